package arena

import (
	"cmp"
	"math"
	"slices"

	"dojo.example/internal/detmath"

	"gonum.org/v1/gonum/mat"
)

// A Meeting is the result of A against B: A scored Points in Games games, where a draw is half
// a point.
type Meeting struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Games  float64 `json:"games"`
	Points float64 `json:"points"`
}

// Meeting returns the result as a meeting of two named players. Repeated games count once.
func (r Result) Meeting(a, b string) Meeting {
	games := float64(2 * r.counted())
	return Meeting{a, b, games, float64(games * r.Score())}
}

// perElo is the change of the log odds of the expected score for one Elo.
const perElo = math.Ln10 / 400

// Ratings are the most likely ratings of players in Elo, with a mean of 0.
type Ratings struct {
	Players []string // in the order in which they appear in the meetings
	Elo     []float64
	Noise   *mat.SymDense // the covariance of the ratings' errors, which come from the number of games
}

// Rate rates the players of some meetings, which must connect them all (Bradley and Terry 1952,
// found by the iteration of Hunter 2004, "MM algorithms for generalized Bradley–Terry models").
// One drawn game is added to each meeting, so that one without a loss leaves the ratings finite.
func Rate(meetings []Meeting) (r Ratings) {
	at := map[string]int{}
	var points, strength []float64
	for _, m := range meetings {
		for i, name := range []string{m.A, m.B} {
			if _, known := at[name]; !known {
				at[name] = len(at)
				r.Players, points, strength = append(r.Players, name), append(points, 0), append(strength, 1)
			}
			points[at[name]] += []float64{m.Points, m.Games - m.Points}[i] + 0.5
		}
	}
	const enough = 1e-9
	weight := make([]float64, len(at))
	for change := 1.0; change > enough; {
		clear(weight)
		for _, m := range meetings {
			a, b := at[m.A], at[m.B]
			w := (m.Games + 1) / (strength[a] + strength[b])
			weight[a], weight[b] = weight[a]+w, weight[b]+w
		}
		change = 0
		for i, w := range weight {
			change = max(change, math.Abs(points[i]/w/strength[i]-1))
			strength[i] = points[i] / w
		}
	}
	mean := 0.0
	for _, s := range strength {
		elo := detmath.Log(s) / perElo
		r.Elo = append(r.Elo, elo)
		mean += elo / float64(len(strength))
	}
	for i := range r.Elo {
		r.Elo[i] -= mean
	}
	r.Noise = noise(meetings, at, r.Elo)
	return r
}

// Information returns the Fisher information of games with an expected score about a
// difference in Elo.
func Information(games, score float64) float64 {
	return float64(games * score * (1 - score) * perElo * perElo)
}

// noise returns the covariance of the errors of the ratings elo of players with the places at: the
// pseudo-inverse of the information in the meetings, since these tell differences of ratings alone.
func noise(meetings []Meeting, at map[string]int, elo []float64) *mat.SymDense {
	n := len(elo)
	sum := mat.NewSymDense(n, nil) // the information, and 1/n that makes it regular
	for i := range n {
		for j := range i + 1 {
			sum.SetSym(i, j, 1/float64(n))
		}
	}
	add := func(i, j int, x float64) { sum.SetSym(i, j, sum.At(i, j)+x) }
	for _, m := range meetings {
		a, b := at[m.A], at[m.B]
		x := Information(m.Games+1, ExpectedScore(elo[a]-elo[b]))
		add(a, a, x)
		add(b, b, x)
		add(a, b, -x)
	}
	all := mat.NewSymDense(n, nil)
	var c mat.Cholesky
	if !c.Factorize(sum) || c.InverseTo(all) != nil {
		panic("arena: ratings of players who are not connected")
	}
	for i := range n {
		for j := range i + 1 {
			all.SetSym(i, j, all.At(i, j)-1/float64(n))
		}
	}
	return all
}

// A Rung is a player of a ladder.
type Rung struct {
	Player string  `json:"player"`
	Model  string  `json:"model,omitempty"` // the hash of a model
	Games  float64 `json:"games"`           // without repeated ones
	Score  float64 `json:"score"`           // its share of the points

	// Elo is the rating relative to B of the group's first meeting, with a 95 % interval
	// that assumes independent games. (The games of a pair are not: if the opening favours
	// a seat, each player wins once, and the interval is wider than necessary.)
	Elo     float64 `json:"elo"`
	EloLow  float64 `json:"elo_low"`
	EloHigh float64 `json:"elo_high"`

	// Group is a number, from 0 on. Players of different groups are not connected by any
	// chain of games, so that their ratings cannot be compared.
	Group int `json:"group"`
}

// Ladder rates the players of some meetings, those of a group together; see [Rate]. The strongest of
// a group comes first. Meetings of a player with itself say nothing about its strength and are left
// out.
func Ladder(meetings []Meeting) (rungs []Rung) {
	for group, of := range connected(meetings) {
		ratings := Rate(of)
		zero := slices.Index(ratings.Players, of[0].B)
		first := len(rungs)
		for i, p := range ratings.Players {
			r := Rung{Player: p, Elo: ratings.Elo[i] - ratings.Elo[zero], Group: group}
			for _, m := range of {
				switch p {
				case m.A:
					r.Games, r.Score = r.Games+m.Games, r.Score+m.Points
				case m.B:
					r.Games, r.Score = r.Games+m.Games, r.Score+m.Games-m.Points
				}
			}
			r.Score /= max(1, r.Games)
			if i != zero {
				d := float64(z * math.Sqrt(ratings.Noise.At(i, i)+ratings.Noise.At(zero, zero)-float64(2*ratings.Noise.At(i, zero))))
				r.EloLow, r.EloHigh = r.Elo-d, r.Elo+d
			}
			rungs = append(rungs, r)
		}
		slices.SortStableFunc(rungs[first:], func(a, b Rung) int { return cmp.Compare(b.Elo, a.Elo) })
	}
	return rungs
}

// connected divides meetings into groups that have no player in common, in the order of their first
// meetings.
func connected(meetings []Meeting) (groups [][]Meeting) {
	for _, m := range meetings {
		if m.A == m.B {
			continue
		}
		into := -1
		for i, g := range groups {
			switch meets := slices.ContainsFunc(g, func(x Meeting) bool { return x.A == m.A || x.A == m.B || x.B == m.A || x.B == m.B }); {
			case meets && into < 0:
				into = i
			case meets:
				groups[into], groups[i] = append(groups[into], g...), nil
			}
		}
		if into < 0 {
			into, groups = len(groups), append(groups, nil)
		}
		groups[into] = append(groups[into], m)
	}
	return slices.DeleteFunc(groups, func(g []Meeting) bool { return g == nil })
}
