// Package dojo is the whole program as a function, for programs of other modules: they register
// their games and call Main, and have every verb for them.
//
//	func main() {
//		games.Register(breakthrough.Rules)
//		dojo.Main()
//	}
//
// Other packages of this module can be used by themselves: engine and engine/enginetest to write a
// game, bot to play with a trained model, mcts, think and analysis to search.
package dojo

import "dojo.example/cli"

// Main runs the command line that the process was started with, and ends the process.
func Main() { cli.Main() }
