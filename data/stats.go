package data

import (
	"math"

	"dojo.example/internal/detmath"
)

// Summary describes the rows of a number of whole games.
type Summary struct {
	Games         int     `json:"games"`
	Positions     int     `json:"positions"`
	MeanLength    float64 `json:"mean_length"`    // mean number of actions in a game
	FirstWins     float64 `json:"first_wins"`     // share of the games that First won
	SecondWins    float64 `json:"second_wins"`    // share of the games that Second won
	Draws         float64 `json:"draws"`          // share of the games that were drawn
	PolicyEntropy float64 `json:"policy_entropy"` // mean entropy of the improved policy, in nats
	ValueError    float64 `json:"value_error"`    // mean of |value of the search's root − outcome|
	Distinct      float64 `json:"distinct"`       // number of distinct positions divided by number of positions
}

// Stats computes the summary of rows. The rows must be whole games.
func Stats(rows []Row) Summary {
	var s Summary
	positions := map[string]bool{}
	for _, r := range rows {
		s.Positions++
		positions[r.Position] = true
		s.ValueError += math.Abs(float64(r.Value) - float64(r.Outcome))
		for _, w := range r.Policy {
			s.PolicyEntropy -= float64(float64(w.Weight) * detmath.Log(float64(w.Weight)))
		}
		if r.TurnsLeft > 1 {
			continue
		}
		s.Games++
		switch r.Outcome {
		case 1:
			s.FirstWins++
		case -1:
			s.SecondWins++
		default:
			s.Draws++
		}
	}
	if s.Games == 0 {
		return s
	}
	games, n := float64(s.Games), float64(s.Positions)
	s.MeanLength = n / games
	s.FirstWins, s.SecondWins, s.Draws = s.FirstWins/games, s.SecondWins/games, s.Draws/games
	s.PolicyEntropy, s.ValueError = s.PolicyEntropy/n, s.ValueError/n
	s.Distinct = float64(len(positions)) / n
	return s
}
