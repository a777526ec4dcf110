// Command breakthrough is dojo with one more game.
package main

import (
	breakthrough "breakthrough.example"
	"dojo.example"
	"dojo.example/games"
)

func main() {
	games.Register(breakthrough.Rules)
	dojo.Main()
}
