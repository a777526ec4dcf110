package play

import (
	"dojo.example/engine"
	"dojo.example/play/analysis"
)

// A Question is what a page asks about a game, in JSON.
type Question struct {
	Game     string   `json:"game"`
	Language string   `json:"language,omitempty"` // of the rules: see [engine.Rules.AboutIn]
	Seed     uint64   `json:"seed,omitempty"`
	Usual    bool     `json:"usual,omitempty"` // the usual start is wanted, where there is one
	Position string   `json:"position,omitempty"`
	Moves    []string `json:"moves,omitempty"` // played from Position
	Text     string   `json:"text,omitempty"`  // a saved game
}

// Model is what a page knows of a model that it can play with.
type Model struct {
	ID      string            `json:"id"` // names it in requests, where "" means the first model of the game
	Name    string            `json:"name"`
	Game    string            `json:"game"`
	About   string            `json:"about,omitempty"`   // one line: hash, network, run
	Run     string            `json:"run,omitempty"`     // the id of the run that it is from
	Usual   bool              `json:"usual,omitempty"`   // the game has a usual start, and deals others
	Title   map[string]string `json:"title,omitempty"`   // what people call the game, by language
	Kernels string            `json:"kernels,omitempty"` // what a browser computes with: "relaxed", "simd" or "portable"
}

// Answers answer the questions of pages, by name.
var Answers = map[string]func(rules engine.Game, q Question) (any, error){
	// rules: what players have to know of the rules, as Markdown.
	"rules": func(rules engine.Game, q Question) (any, error) {
		return rules.AboutIn(q.Language).ForPlayers(), nil
	},

	// start: the first position, as Seed deals it.
	"start": func(rules engine.Game, q Question) (any, error) {
		word := Start
		if q.Usual {
			word = Usual
		}
		p, err := Position(rules, word, q.Seed)
		return analysis.Illustrate(rules.Name, p), err
	},

	// follow: the position and the one after each move.
	"follow": func(rules engine.Game, q Question) (any, error) {
		g, err := Follow(rules, q.Position, q.Moves)
		return g.Show(), err
	},

	// write: the game as text to save.
	"write": func(rules engine.Game, q Question) (any, error) {
		g, err := Follow(rules, q.Position, q.Moves)
		if err != nil {
			return nil, err
		}
		return g.String(), nil
	},

	// read: the positions of a saved game.
	"read": func(rules engine.Game, q Question) (any, error) {
		g, err := Read(rules, q.Text)
		return g.Show(), err
	},
}
