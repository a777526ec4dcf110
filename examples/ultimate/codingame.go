package ultimate

import (
	_ "embed"

	"dojo.example/export/codingame"
)

//go:embed bot.cpp.txt
var botCPP string

// CodinGame holds what dojo needs to generate a bot for CodinGame. There is no bot in Go.
var CodinGame = codingame.Game{Title: "Ultimate Tic-Tac-Toe", Game: Rules.Game(), CPP: botCPP}
