package train

import (
	"bytes"
	"encoding/json"

	"dojo.example/arena"
)

// GateGame is a game of a gate's match: a line of gates/000012.jsonl.
type GateGame struct {
	Pair    int      `json:"pair"`    // games of a pair begin from the same opening, sides swapped
	First   string   `json:"first"`   // the model that played First
	Second  string   `json:"second"`  // the model that played Second
	Opening string   `json:"opening"` // the position after the random actions
	Actions []string `json:"actions"` // of the models, as the game writes them
	Outcome int      `json:"outcome"` // from First's side: 1, 0 or -1
}

// gateGames collects the games of a gate's match, as lines of JSON.
type gateGames struct {
	candidate, best string
	lines           bytes.Buffer
}

// add adds the next game of the match.
func (g *gateGames) add(r arena.Record) error {
	line := GateGame{Pair: r.Pair, First: g.best, Second: g.candidate, Opening: r.Opening, Actions: r.Actions, Outcome: int(r.Outcome.Value())}
	if r.AFirst {
		line.First, line.Second = g.candidate, g.best
	}
	text, err := json.Marshal(line)
	g.lines.Write(append(text, '\n'))
	return err
}
