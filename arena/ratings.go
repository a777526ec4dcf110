package arena

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Meeting is the result of games between players A and B. Games is the number of games, and
// Points is the score of A. A draw gives half a point.
type Meeting struct {
	A      string  `json:"a"`
	B      string  `json:"b"`
	Games  float64 `json:"games"`
	Points float64 `json:"points"`
}

// Meeting converts the result of a match into a meeting of players a and b. Repeated games do not
// count.
func (r Result) Meeting(a, b string) Meeting {
	games := float64(2 * r.counted())
	return Meeting{a, b, games, float64(games * r.Score())}
}

// perElo is how much one Elo point adds to the log odds of the expected score.
const perElo = math.Ln10 / 400

// Ratings holds the maximum-likelihood ratings of players in Elo. Their mean is 0.
type Ratings struct {
	Players []string // sorted
	Elo     []float64
	// Noise is the covariance of the errors of Elo that are due to the finite number of games.
	Noise *mat.SymDense
}

// Rate computes ratings from meetings by maximum likelihood (Bradley and Terry 1952). A chain of
// meetings must connect every two players. Only the games matter: if the same games are grouped
// into meetings differently, or come in another order, the ratings are identical bit for bit.
//
// To keep ratings finite for players who won or lost every game, Rate adds half a drawn game per
// player. It divides this half among the player's opponents in proportion to the games against
// them. So two players who meet only each other get one extra draw. More draws would pull the
// ratings together: with one draw per opponent, the rating differences of a ladder of 16-game
// matches are about 8 % too small.
func Rate(meetings []Meeting) Ratings {
	players, pairs := pool(meetings)
	r := Ratings{Players: players, Elo: make([]float64, len(players))}
	// The loop is Newton's method. It converges from any start if no step changes a difference of
	// ratings by more than one unit of the log odds (Bach 2010, "Self-concordant analysis for
	// logistic regression").
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

// A pair holds all games of two players against each other, including the fraction of a drawn game
// that Rate adds.
type pair struct {
	a, b          int // indices of the two players
	games, points float64
}

// pool combines the meetings of each pair of players. It returns the sorted players, and the pairs
// in the order of the players.
func pool(meetings []Meeting) (players []string, pairs []pair) {
	played := map[[2]string]float64{} // number of games by pair of names in ascending order
	points := map[[2]string]float64{} // points of the first player of each pair
	games := map[string]float64{}     // number of games by player
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

// Difference returns the rating of player i minus the rating of player j, and the variance of the
// error of this difference. i and j are indices into Players.
func (r Ratings) Difference(i, j int) (elo, variance float64) {
	return r.Elo[i] - r.Elo[j], max(0, r.Noise.At(i, i)+r.Noise.At(j, j)-float64(2*r.Noise.At(i, j)))
}

// slope returns the gradient of the log likelihood of the pairs' results with respect to the
// ratings.
func slope(pairs []pair, elo []float64) *mat.VecDense {
	sum := mat.NewVecDense(len(elo), nil)
	for _, p := range pairs {
		x := float64(perElo * (p.points - float64(p.games*ExpectedScore(elo[p.a]-elo[p.b]))))
		sum.SetVec(p.a, sum.AtVec(p.a)+x)
		sum.SetVec(p.b, sum.AtVec(p.b)-x)
	}
	return sum
}

// Information returns the Fisher information about the rating difference of two players, in Elo,
// from the given number of games with the given expected score.
func Information(games, score float64) float64 {
	return float64(games * score * (1 - score) * perElo * perElo)
}

// noise returns the covariance of the errors of the given ratings. It is the pseudo-inverse of the
// games' information matrix. That matrix has no inverse, because games determine only differences
// of ratings.
func noise(pairs []pair, elo []float64) *mat.SymDense {
	n := len(elo)
	// sum is the information matrix plus 1/n in each element. Unlike the information matrix, it has
	// an inverse.
	sum := mat.NewSymDense(n, nil)
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

// A Rung is the entry of one player in a ladder, which is a list of rated players.
type Rung struct {
	Player string  `json:"player"`
	Model  string  `json:"model,omitempty"` // hash of the player's model, if it uses one
	Games  float64 `json:"games"`           // number of games without repeats
	Score  float64 `json:"score"`           // the share of the points that the player scored

	// Elo is the rating relative to a reference player, with a 95 % interval. The reference is
	// player B of the group's first meeting. The interval assumes independent games. (The two games
	// of a pair are not independent: if the opening favours a seat, each player wins once. The
	// interval is then wider than necessary.)
	Elo     float64 `json:"elo"`
	EloLow  float64 `json:"elo_low"`
	EloHigh float64 `json:"elo_high"`

	// Group is the number of the player's group, beginning with 0. No chain of games connects
	// players of different groups, so their ratings cannot be compared.
	Group int `json:"group"`
}

// Ladder rates the players of the meetings; see [Rate]. Players that a chain of games connects form
// a group and are rated together. The strongest player of a group comes first. Ladder ignores
// meetings of a player with itself and meetings without games, because they say nothing about
// strength.
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

// connected divides meetings into groups so that no two groups have a player in common. The groups
// are in the order of their first meetings.
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
