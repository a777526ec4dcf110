package arena

import "dojo.example/engine"

// Result is the result of a match between players A and B, counted for player A.
type Result struct {
	// Wins, Losses and Draws count the results of player A in all games that were played.
	Wins, Losses, Draws int

	// Openings is the number of different openings that were played. It is smaller than the number
	// of pairs if the game has too few openings.
	Openings int

	// Repeats is the number of played games that repeat an earlier game of the match; see [Record].
	// The fields below do not count them.
	Repeats int

	// Pairs[i] is the number of pairs in which player A scored i half points: 0, ½, 1, 1½ or 2
	// points. Statistics use pairs, not games, because the two games of a pair share their opening
	// and are not independent. If one game of a pair is a repeat, the pair counts as half a pair,
	// and the score of the other game counts twice in it.
	Pairs [5]float64

	// Seats holds the results of player A when it plays First (index 0) and Second (index 1).
	Seats [2]Seat

	// Points sums up the points of players A and B at the end of the games that count, if the game
	// has scores.
	Points Points

	// Forfeits counts, over all games played, the games that were lost by a [Forfeit] and not by
	// the rules of the game: index 0 for player A, index 1 for player B.
	Forfeits [2]int
}

// Seat is the result of player A on one seat, First or Second, in the games that count. The results
// of the two seats differ if the rules favour one of them.
type Seat struct{ Games, HalfPoints int }

// Score returns the share of the points that player A scored, or ½ before any game.
func (s Seat) Score() float64 {
	if s.Games == 0 {
		return 0.5
	}
	return float64(s.HalfPoints) / float64(2*s.Games)
}

// add adds the two games of a pair to the result.
func (r *Result) add(pair []Record) {
	games, halfPoints := 0, 0
	scored, margin := 0, 0
	for _, g := range pair {
		a := g.seatOfA()
		points := 1 + int(g.Outcome.Value()*a.Sign()) // player A's points in halves: 0, 1 or 2
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

// seatOfA returns the side (First or Second) of player A.
func (g Record) seatOfA() engine.Player {
	if g.AFirst {
		return engine.First
	}
	return engine.Second
}

// Games returns the number of games that were played.
func (r Result) Games() int { return r.Wins + r.Losses + r.Draws }

// Score returns the share of the points that player A scored in the games that count, or ½ before
// any game.
func (r Result) Score() float64 {
	if r.counted() == 0 {
		return 0.5
	}
	mean, _, _ := r.moments(0)
	return mean
}

// counted returns the number of pairs that count. A pair in which one game is a repeat counts as
// half a pair.
func (r Result) counted() (n float64) {
	for _, c := range r.Pairs {
		n += c
	}
	return n
}

// moments returns the mean and the variance of the pairs' scores, and the number of pairs n. The
// score of a pair is from 0 to 1. First, moments adds the value of prior, which may be a fraction,
// to the number of pairs with each of the five possible scores.
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

// Summary is the JSON form of a match's result, counted for player A.
type Summary struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Games  int     `json:"games"` // number of games played; wins, losses and draws add up to it
	Wins   int     `json:"wins"`
	Losses int     `json:"losses"`
	Draws  int     `json:"draws"`
	Elo    float64 `json:"elo"`
	// EloLow and EloHigh are the bounds of the 95 % confidence interval.
	EloLow  float64 `json:"elo_low"`
	EloHigh float64 `json:"elo_high"`

	// Pairs counts the pairs by the points of player A in both games: 0, ½, 1, 1½ or 2. If most
	// pairs are in the middle, either the openings are lopsided or the players are equally strong.
	Pairs [5]float64 `json:"pairs"`

	Plies    int `json:"opening_plies"` // number of random actions in an opening
	Distinct int `json:"distinct"`      // number of different openings
	Repeats  int `json:"repeats"`       // number of repeated games; they do not count in Elo

	First  float64 `json:"first"` // share of the points that player A scored when it played First
	Second float64 `json:"second"`

	*Scored
	*Clocked
	*Tested

	Interrupted bool `json:"interrupted,omitempty"` // the match was stopped before its last game
}

// Tested is the part of a Summary that only matches with a sequential test have; see [SPRT].
type Tested struct {
	LLR     float64 `json:"llr"`     // log-likelihood ratio of the hypotheses Elo1 and Elo0
	LLRLow  float64 `json:"llr_low"` // the test rejects at LLRLow and accepts at LLRHigh
	LLRHigh float64 `json:"llr_high"`
	// Verdict is "accept" if player A is stronger by Elo1, "reject" if A is stronger only by Elo0,
	// and otherwise "undecided".
	Verdict string `json:"verdict"`
}

// Scored is the part of a Summary for games with scores.
type Scored struct {
	Points [2]float64 `json:"points"` // mean points of players A and B at the end of a game
	Margin Mean       `json:"margin"` // mean of player A's points minus player B's
}

// Clocked is the part of a Summary that only matches with a time limit have.
type Clocked struct {
	// Forfeits holds the number of games that player A (index 0) and player B (index 1) lost by
	// exceeding the time limit or by giving an illegal answer.
	Forfeits [2]int `json:"forfeits"`
	// Slowest is the longest time, in milliseconds, that a program took to answer. The first answer
	// of each process does not count.
	Slowest float64 `json:"slowest_ms"`
}

// Summary returns the summary of a result. a and b are the names of players A and B.
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
