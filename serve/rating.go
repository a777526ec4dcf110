package serve

import (
	"math"

	"dojo/run"
	"dojo/train"
)

// Rating is the strength of a generation's candidate, and of the best model after its gate, in
// Elo above the search without a network. It is the sum of the gates' results from one best
// model to the next: an upper estimate, often by far. A gate chooses winners, so that good luck
// stays in the sum, and a test that stops early exaggerates. The interval grows with every gate
// but does not include this bias. To compare two models use "dojo match".
type Rating struct {
	Model    string  `json:"model"` // the candidate
	Elo      float64 `json:"elo"`
	Low      float64 `json:"low"` // with High the interval of 95 %
	High     float64 `json:"high"`
	Promoted bool    `json:"promoted"`

	Best     string  `json:"best"` // the model that plays next
	BestElo  float64 `json:"best_elo"`
	BestLow  float64 `json:"best_low"`
	BestHigh float64 `json:"best_high"`
}

// rate rates the generation that comes after the given ones.
func rate(before []record, m train.Metrics) Rating {
	var last Rating // of the search without a network: 0 Elo by definition
	if n := len(before); n > 0 {
		last = before[n-1].rating
	}
	// The errors of independent matches add up as the root of the sum of squares.
	g := m.Gate
	elo := last.BestElo + g.Elo
	r := Rating{
		Model: run.ModelName(m.Generation), Elo: elo,
		Low:      elo - rootOfSquares(last.BestElo-last.BestLow, g.Elo-g.EloLow),
		High:     elo + rootOfSquares(last.BestHigh-last.BestElo, g.EloHigh-g.Elo),
		Promoted: g.Promoted,
		Best:     m.Best, BestElo: last.BestElo, BestLow: last.BestLow, BestHigh: last.BestHigh,
	}
	if g.Promoted {
		r.BestElo, r.BestLow, r.BestHigh = r.Elo, r.Low, r.High
	}
	return r
}

// rootOfSquares is the root of the sum of two squares.
func rootOfSquares(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
