package arena

import "dojo/engine"

// Summary is the result of a match in JSON, from A's side.
type Summary struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Games   int     `json:"games"` // played, as are wins, losses and draws
	Wins    int     `json:"wins"`
	Losses  int     `json:"losses"`
	Draws   int     `json:"draws"`
	Elo     float64 `json:"elo"`
	EloLow  float64 `json:"elo_low"` // bounds of the 95 % interval
	EloHigh float64 `json:"elo_high"`

	Distinct int `json:"distinct"` // different openings
	Repeats  int `json:"repeats"`  // games that repeat an earlier one, and count once in Elo

	First  float64 `json:"first"` // A's share of the points as First, and as Second
	Second float64 `json:"second"`

	*Clocked
}

// Clocked is what a match under a clock says besides.
type Clocked struct {
	Forfeits [2]int  `json:"forfeits"`   // of A and of B: lost by the clock or an illegal answer
	Slowest  float64 `json:"slowest_ms"` // answer of a program, without its first
}

// Summary names the players of a result.
func (r Result) Summary(a, b string) Summary {
	m := Summary{A: a, B: b, Games: r.Games(), Wins: r.Wins, Losses: r.Losses, Draws: r.Draws}
	m.Elo, m.EloLow, m.EloHigh = r.Elo()
	m.Distinct, m.Repeats = r.Openings, r.Repeats
	m.First, m.Second = r.Seat(engine.First), r.Seat(engine.Second)
	return m
}
