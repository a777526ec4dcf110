// Command breakthrough is dojo with one more game, Breakthrough.
package main

import (
	breakthrough "breakthrough.example"
	"dojo.example"
	"dojo.example/export/codingame"
	"dojo.example/games"
)

func main() {
	games.RegisterConfigurable(breakthrough.Rules, breakthrough.Configured)
	codingame.Register(breakthrough.CodinGame)
	dojo.Main()
}
