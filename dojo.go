// Package dojo is the whole program as a function, for programs of other modules: they register
// their games and call Main, and have every verb for them.
//
//	func main() {
//		games.Register(breakthrough.Rules)
//		dojo.Main()
//	}
//
// Other packages of this module can be used by themselves: engine and engine/enginetest to write a
// game, play/bot to play with a trained model, search/mcts, search/think and play/analysis to
// search.
package dojo

// Main runs the command line that the process was started with, and ends the process. In a program
// that is built for js/wasm it is the bot in a browser: "export --as web" builds the program that
// it belongs to once more, so that the pages have the games that are registered there.
func Main() { start() }
