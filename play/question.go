package play

import (
	"dojo.example/engine"
	"dojo.example/play/analysis"
)

// Question is a question in JSON that a page asks about a game.
type Question struct {
	Game     string   `json:"game"`
	Language string   `json:"language,omitempty"` // language of the rules; see engine.Rules.AboutIn
	Seed     uint64   `json:"seed,omitempty"`
	Usual    bool     `json:"usual,omitempty"` // start at the game's usual position, if it has one
	Position string   `json:"position,omitempty"`
	Moves    []string `json:"moves,omitempty"` // actions played from Position
	Text     string   `json:"text,omitempty"`  // a saved game
}

// Model describes a model that a page can play with.
type Model struct {
	ID    string `json:"id"` // identifier in requests; "" means the first model of the game
	Name  string `json:"name"`
	Game  string `json:"game"`
	About string `json:"about,omitempty"` // one line: hash, network and run
	Run   string `json:"run,omitempty"`   // ID of the run that produced the model

	// Usual is true if the game has a usual start position but can also start from others.
	Usual bool `json:"usual,omitempty"`

	Title map[string]string `json:"title,omitempty"` // title of the game by language

	// Kernels names the kind of kernels (compute routines) that the browser should load: "relaxed",
	// "simd" or "portable".
	Kernels string `json:"kernels,omitempty"`
}

// Answers maps each kind of question to the function that answers it.
var Answers = map[string]func(rules engine.Game, q Question) (any, error){
	// "rules" returns the part of the rules that is written for players, in Markdown.
	"rules": func(rules engine.Game, q Question) (any, error) {
		return rules.AboutIn(q.Language).ForPlayers(), nil
	},

	// "start" returns the first position of a game. If it is random, Seed determines it.
	"start": func(rules engine.Game, q Question) (any, error) {
		word := Start
		if q.Usual {
			word = Usual
		}
		p, err := Position(rules, word, q.Seed)
		return analysis.Illustrate(rules.Name, p), err
	},

	// "follow" returns Position and the position after each move.
	"follow": func(rules engine.Game, q Question) (any, error) {
		g, err := Follow(rules, q.Position, q.Moves)
		return g.Show(), err
	},

	// "write" returns the game as text for saving.
	"write": func(rules engine.Game, q Question) (any, error) {
		g, err := Follow(rules, q.Position, q.Moves)
		if err != nil {
			return nil, err
		}
		return g.String(), nil
	},

	// "read" returns the positions of a saved game.
	"read": func(rules engine.Game, q Question) (any, error) {
		g, err := Read(rules, q.Text)
		return g.Show(), err
	},
}
