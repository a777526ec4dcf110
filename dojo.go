// Package dojo contains the whole program as a function. A program of another module can register
// its own games and call Main; it then has every command of dojo for these games:
//
//	func main() {
//		games.Register(breakthrough.Rules)
//		dojo.Main()
//	}
//
// Other packages of this module can be used without this one: engine and engine/enginetest to write
// a game, play/bot to play with a trained model, search/mcts, search/think and play/analysis to
// search.
package dojo

// Main runs the command given on the command line and then exits the process.
//
// In a program built for js/wasm, Main instead runs the bot that plays in a browser. The command
// "export --as web" builds the calling program a second time, for js/wasm. So all games that the
// program registers also work on the exported pages.
func Main() { start() }
