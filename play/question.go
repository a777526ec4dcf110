package play

import (
	"dojo.example/engine"
	"dojo.example/play/analysis"
)

// A Question is what a page asks about a game, in JSON.
type Question struct {
	Game     string   `json:"game"`
	Language string   `json:"language"` // of the rules: see [engine.Rules.AboutIn]
	Seed     uint64   `json:"seed"`
	Usual    bool     `json:"usual"` // the usual start is wanted, where there is one
	Position string   `json:"position"`
	Moves    []string `json:"moves"` // played from Position
	Text     string   `json:"text"`  // a saved game
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
