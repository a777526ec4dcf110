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

	// Pairs counts the pairs of games by A's points in both: 0, ½, 1, 1½, 2. If most are in
	// the middle, the openings are lopsided or the players equal.
	Pairs [5]float64 `json:"pairs"`

	Distinct int `json:"distinct"` // different openings
	Repeats  int `json:"repeats"`  // games that repeat an earlier one, and count once in Elo

	First  float64 `json:"first"` // A's share of the points as First, and as Second
	Second float64 `json:"second"`

	*Scored
	*Clocked
}

// Scored is the part of a Summary for games with scores.
type Scored struct {
	Points [2]float64 `json:"points"` // mean points of A and of B at the end of a game
	Margin Mean       `json:"margin"` // A's mean lead
}

// Clocked is the part of a Summary for matches with a clock.
type Clocked struct {
	Forfeits [2]int  `json:"forfeits"`   // of A and of B: lost by the clock or an illegal answer
	Slowest  float64 `json:"slowest_ms"` // answer of a program, without its first
}

// Summary returns the summary of a result; a and b are the names of the players.
func (r Result) Summary(a, b string) Summary {
	m := Summary{A: a, B: b, Games: r.Games(), Wins: r.Wins, Losses: r.Losses, Draws: r.Draws}
	m.Elo, m.EloLow, m.EloHigh = r.Elo()
	m.Pairs = r.Pairs
	m.Distinct, m.Repeats = r.Openings, r.Repeats
	m.First, m.Second = r.Seat(engine.First), r.Seat(engine.Second)
	if p := r.Points; p.Games > 0 {
		n := float64(p.Games)
		m.Scored = &Scored{[2]float64{float64(p.A) / n, float64(p.B) / n}, p.Margin()}
	}
	return m
}
