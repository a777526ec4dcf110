package arena

import (
	"cmp"
	"maps"
	"math"
	"slices"

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
	Players []string // sorted
	Elo     []float64
	Noise   *mat.SymDense // the covariance of the ratings' errors, which come from the number of games
}

// Rate rates the players of some meetings, which must connect them all, by maximum likelihood
// (Bradley and Terry 1952). Only the games count: the same games divided into other meetings, or
// in another order, give the same ratings, bit for bit.
//
// To keep the ratings of players who won or lost every game finite, each player adds half a drawn
// game, shared among its opponents in proportion to the games against them. Two players who meet
// only each other so have one draw added. More draws pull the ratings together: with a draw for
// each of its opponents, a ladder of 16-game matches shows about 8 % less than the true differences.
func Rate(meetings []Meeting) Ratings {
	players, pairs := pool(meetings)
	r := Ratings{Players: players, Elo: make([]float64, len(players))}
	// Newton's method. It converges from anywhere if no difference changes by more than one unit of
	// the log odds in a step (Bach 2010, "Self-concordant analysis for logistic regression").
	const most, enough, maxSteps = 0.5 / perElo, 1e-9, 1000
	for range maxSteps {
		r.Noise = noise(pairs, r.Elo)
		var step mat.VecDense
		step.MulVec(r.Noise, slope(pairs, r.Elo))
		far := mat.Norm(&step, math.Inf(1))
		for i := range r.Elo {
			r.Elo[i] += float64(step.AtVec(i) * min(1, most/max(far, enough)))
		}
		if far < enough {
			break
		}
	}
	return r
}

// A pair has all games of two players against each other, with the drawn part of a game that Rate
// adds.
type pair struct {
	a, b          int // their places among the players
	games, points float64
}

// pool returns the players of meetings, sorted, and their pairs, in the order of the players.
func pool(meetings []Meeting) (players []string, pairs []pair) {
	played := map[[2]string]float64{} // games by pair, the names sorted
	points := map[[2]string]float64{} // points of the first of the pair
	games := map[string]float64{}     // by player
	for _, m := range meetings {
		key, won := [2]string{m.A, m.B}, m.Points
		if m.A > m.B {
			key, won = [2]string{m.B, m.A}, m.Games-m.Points
		}
		played[key] += m.Games
		points[key] += won
		games[m.A] += m.Games
		games[m.B] += m.Games
	}
	players = slices.Sorted(maps.Keys(games))
	for _, key := range slices.SortedFunc(maps.Keys(played), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) }) {
		a, _ := slices.BinarySearch(players, key[0])
		b, _ := slices.BinarySearch(players, key[1])
		n := played[key]
		drawn := float64((n/games[key[0]] + n/games[key[1]]) / 2)
		pairs = append(pairs, pair{a, b, n + drawn, points[key] + float64(drawn/2)})
	}
	return players, pairs
}

// Difference returns by how much the player at place i is rated above the one at place j, and the
// variance of the difference's error.
func (r Ratings) Difference(i, j int) (elo, variance float64) {
	return r.Elo[i] - r.Elo[j], max(0, r.Noise.At(i, i)+r.Noise.At(j, j)-float64(2*r.Noise.At(i, j)))
}

// slope returns the derivatives of the log likelihood of the pairs' results by the ratings elo.
func slope(pairs []pair, elo []float64) *mat.VecDense {
	sum := mat.NewVecDense(len(elo), nil)
	for _, p := range pairs {
		x := float64(perElo * (p.points - float64(p.games*ExpectedScore(elo[p.a]-elo[p.b]))))
		sum.SetVec(p.a, sum.AtVec(p.a)+x)
		sum.SetVec(p.b, sum.AtVec(p.b)-x)
	}
	return sum
}

// Information returns the Fisher information of games with an expected score about a
// difference in Elo.
func Information(games, score float64) float64 {
	return float64(games * score * (1 - score) * perElo * perElo)
}

// noise returns the covariance of the errors of the ratings elo: the pseudo-inverse of the
// information in the pairs' games, since these tell only differences of ratings.
func noise(pairs []pair, elo []float64) *mat.SymDense {
	n := len(elo)
	sum := mat.NewSymDense(n, nil) // the information, and 1/n that makes it regular
	for i := range n {
		for j := range i + 1 {
			sum.SetSym(i, j, 1/float64(n))
		}
	}
	add := func(i, j int, x float64) { sum.SetSym(i, j, sum.At(i, j)+x) }
	for _, p := range pairs {
		x := Information(p.games, ExpectedScore(elo[p.a]-elo[p.b]))
		add(p.a, p.a, x)
		add(p.b, p.b, x)
		add(p.a, p.b, -x)
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
// a group comes first. Meetings of a player with itself, or without games, say nothing about its
// strength and are left out.
func Ladder(meetings []Meeting) (rungs []Rung) {
	for group, of := range connected(meetings) {
		ratings := Rate(of)
		zero := slices.Index(ratings.Players, of[0].B)
		first := len(rungs)
		for i, p := range ratings.Players {
			elo, variance := ratings.Difference(i, zero)
			r := Rung{Player: p, Elo: elo, Group: group}
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
				d := float64(z * math.Sqrt(variance))
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
		if m.A == m.B || m.Games == 0 {
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
