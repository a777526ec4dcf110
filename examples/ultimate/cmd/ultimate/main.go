// Command ultimate is dojo with one more game, Ultimate Tic-Tac-Toe.
package main

import (
	"dojo.example"
	"dojo.example/export/codingame"
	"dojo.example/games"
	ultimate "ultimate.example"
)

func main() {
	games.Register(ultimate.Rules)
	codingame.Register(ultimate.CodinGame)
	dojo.Main()
}
