package data

import (
	"math"

	"dojo/internal/detmath"
)

// Summary describes rows of whole games. A game is dealt, or restarted from a position of
// an earlier game. Restarted games are shorter, and begin where values were wrong, so that
// lengths, results and value errors are counted apart.
type Summary struct {
	Games     int `json:"games"`     // restarted ones included
	Positions int `json:"positions"` // likewise

	// Of dealt games.
	MeanLength float64 `json:"mean_length"` // of a game, in actions
	FirstWins  float64 `json:"first_wins"`  // share of games
	SecondWins float64 `json:"second_wins"` // share of games
	Draws      float64 `json:"draws"`       // share of games
	ValueError float64 `json:"value_error"` // mean |root value − outcome|

	// Of all games.
	PolicyEntropy float64 `json:"policy_entropy"` // mean, of the improved policy, in nats
	Distinct      float64 `json:"distinct"`       // distinct positions over positions

	Restarted Restarted `json:"restarted,omitzero"`
}

// Restarted describes the restarted games among some games.
type Restarted struct {
	Games      int     `json:"games"`
	Positions  int     `json:"positions"`
	MeanLength float64 `json:"mean_length"` // of a game, in actions, from where it begins
	ValueError float64 `json:"value_error"` // mean |root value − outcome|
}

// Stats summarises the rows of whole games.
func Stats(rows []Row) Summary {
	var s Summary
	positions := map[string]bool{}
	restarted := false // the game at hand is
	for i, r := range rows {
		if i == 0 || rows[i-1].Game != r.Game {
			restarted = r.Ply > 0
		}
		s.Positions++
		positions[r.Position] = true
		for _, w := range r.Policy {
			s.PolicyEntropy -= float64(float64(w.Weight) * detmath.Log(float64(w.Weight)))
		}
		valueError := math.Abs(float64(r.Value) - float64(r.Outcome))
		if restarted {
			s.Restarted.Positions++
			s.Restarted.ValueError += valueError
		} else {
			s.ValueError += valueError
		}
		if r.TurnsLeft > 1 {
			continue
		}
		s.Games++
		switch {
		case restarted:
			s.Restarted.Games++
		case r.Outcome == 1:
			s.FirstWins++
		case r.Outcome == -1:
			s.SecondWins++
		default:
			s.Draws++
		}
	}
	return s.means(len(positions))
}

// means divides sums by what they are sums over; distinct is the number of distinct
// positions.
func (s Summary) means(distinct int) Summary {
	if s.Positions > 0 {
		s.PolicyEntropy /= float64(s.Positions)
		s.Distinct = float64(distinct) / float64(s.Positions)
	}
	if games := float64(s.Games - s.Restarted.Games); games > 0 {
		positions := float64(s.Positions - s.Restarted.Positions)
		s.MeanLength, s.ValueError = positions/games, s.ValueError/positions
		s.FirstWins, s.SecondWins, s.Draws = s.FirstWins/games, s.SecondWins/games, s.Draws/games
	}
	if r := &s.Restarted; r.Games > 0 {
		r.MeanLength, r.ValueError = float64(r.Positions)/float64(r.Games), r.ValueError/float64(r.Positions)
	}
	return s
}
