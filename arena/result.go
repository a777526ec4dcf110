package arena

import "dojo.example/engine"

// Result counts a match from A's side.
type Result struct {
	// Wins, Losses and Draws are those of A in all games that were played.
	Wins, Losses, Draws int

	// Openings is the number of different openings that were played. It is less than the
	// number of pairs if the game has fewer openings than that.
	Openings int

	// Repeats is the number of games that were played and not counted below,
	// because an earlier one was the same; see [Record].
	Repeats int

	// Pairs counts the pairs by what A scored in their two games together:
	// 0, ½, 1, 1½ or 2 points. Statistics count pairs and not games, because
	// the games of a pair share their opening and are not independent. If one
	// game of a pair is a repeat, the other counts as half a pair in which A
	// scored twice as much as in it.
	Pairs [5]float64

	// Seats has A's results as First and as Second.
	Seats [2]Seat

	// Points has the points at the end of the games that count, in a game with scores.
	Points Points

	// Forfeits is the number of games, of all that were played, that A (0) and B (1) lost
	// not by the rules of the game but by a [Forfeit].
	Forfeits [2]int
}

// Seat is A's result as First, or as Second, in the games that count. The two
// differ if one of the seats has an advantage.
type Seat struct{ Games, HalfPoints int }

// Score is A's share of the points, ½ before any game.
func (s Seat) Score() float64 {
	if s.Games == 0 {
		return 0.5
	}
	return float64(s.HalfPoints) / float64(2*s.Games)
}

// add counts the two games of a pair.
func (r *Result) add(pair []Record) {
	games, halfPoints := 0, 0
	scored, margin := 0, 0
	for _, g := range pair {
		a := g.seatOfA()
		points := 1 + int(g.Outcome.Value()*a.Sign()) // of A, in halves
		switch points {
		case 2:
			r.Wins++
		case 1:
			r.Draws++
		default:
			r.Losses++
		}
		if g.Forfeit != "" {
			r.Forfeits[points/2]++
		}
		if g.Repeat {
			r.Repeats++
			continue
		}
		r.Seats[a].Games++
		r.Seats[a].HalfPoints += points
		games++
		halfPoints += points
		if g.Forfeit == "" && len(g.Points) == 2 {
			mine, others := g.Points[a], g.Points[1-a]
			r.Points.A, r.Points.B = r.Points.A+mine, r.Points.B+others
			scored, margin = scored+1, margin+mine-others
		}
	}
	r.Points.add(scored, margin)
	switch games {
	case 1:
		r.Pairs[2*halfPoints] += 0.5
	case 2:
		r.Pairs[halfPoints]++
	}
}

// seatOfA is the side that A played.
func (g Record) seatOfA() engine.Player {
	if g.AFirst {
		return engine.First
	}
	return engine.Second
}

// Games is the number of games that were played.
func (r Result) Games() int { return r.Wins + r.Losses + r.Draws }

// Score is A's share of the points in the games that count, ½ before any.
func (r Result) Score() float64 {
	if r.counted() == 0 {
		return 0.5
	}
	mean, _, _ := r.moments(0)
	return mean
}

// counted is the number of pairs that count; one with a repeat counts half.
func (r Result) counted() (n float64) {
	for _, c := range r.Pairs {
		n += c
	}
	return n
}

// moments returns the mean and the variance of the pairs' scores, each from 0 to 1, and
// the number of pairs n. It first adds prior pairs, which may be a fraction, of each of the
// five kinds.
func (r Result) moments(prior float64) (mean, variance, n float64) {
	for i, c := range r.Pairs {
		x, w := float64(i)/4, c+prior
		n += w
		mean += float64(w * x)
		variance += float64(w * x * x)
	}
	mean /= n
	return mean, max(0, variance/n-float64(mean*mean)), n
}

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

	Plies    int `json:"opening_plies"` // random actions of an opening
	Distinct int `json:"distinct"`      // different openings
	Repeats  int `json:"repeats"`       // games that repeat an earlier one, and count once in Elo

	First  float64 `json:"first"` // A's share of the points as First, and as Second
	Second float64 `json:"second"`

	*Scored
	*Clocked
	*Tested

	Interrupted bool `json:"interrupted,omitempty"` // somebody ended the match before its last game
}

// Tested is the part of a Summary for matches that a sequential test ends; see [SPRT].
type Tested struct {
	LLR     float64 `json:"llr"`     // the log-likelihood ratio of Elo1 against Elo0
	LLRLow  float64 `json:"llr_low"` // the bounds at which the test rejects and accepts
	LLRHigh float64 `json:"llr_high"`
	Verdict string  `json:"verdict"` // accept: A is stronger by Elo1; reject: only by Elo0; undecided
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
	m.First, m.Second = r.Seats[engine.First].Score(), r.Seats[engine.Second].Score()
	if p := r.Points; p.Games > 0 {
		n := float64(p.Games)
		m.Scored = &Scored{[2]float64{float64(p.A) / n, float64(p.B) / n}, p.Margin()}
	}
	return m
}
