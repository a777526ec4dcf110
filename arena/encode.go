package arena

import (
	"encoding/json"

	"dojo/engine"
	"dojo/internal/bounded"
)

// A pairGame is a game of a pair as text. In the first game of a pair player A is First,
// in the second player B.
type pairGame struct {
	Opening string   `json:"opening"`
	Actions []string `json:"actions"`
	Outcome int      `json:"outcome"` // an engine.Outcome
	Points  []int    `json:"points,omitempty"`
}

// EncodePair returns the games of a pair as text. The same games give the same bytes.
func EncodePair(games []Record) []byte {
	var all []pairGame
	for _, g := range games {
		all = append(all, pairGame{g.Opening, g.Actions, int(g.Outcome), g.Points})
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // all fields are plain
	}
	return text
}

// DecodePair is the inverse of EncodePair.
func DecodePair(pair int, content []byte) (games []Record, err error) {
	var all []pairGame
	if err := bounded.Unmarshal(content, &all); err != nil {
		return nil, err
	}
	for i, g := range all {
		games = append(games, Record{Pair: pair, AFirst: i == 0, Opening: g.Opening, Actions: g.Actions, Outcome: engine.Outcome(g.Outcome), Points: g.Points})
	}
	return games, nil
}
