// Command ultimate is dojo with one more game, Ultimate Tic-Tac-Toe.
package main

import (
	"dojo.example"
	"dojo.example/games"
	ultimate "ultimate.example"
)

func main() {
	games.Register(ultimate.Rules)
	dojo.Main()
}
