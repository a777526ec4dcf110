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

// perElo is the change of the log odds of the expected score for one Elo.
const perElo = math.Ln10 / 400

// MostLikely returns the players of some meetings, in the order in which they appear
// there, and the Elo ratings under which the results are most likely (Bradley and Terry
// 1952, found by the iteration of Hunter 2004, "MM algorithms for generalized
// Bradley–Terry models"). The ratings' mean is 0. One drawn game is added to each
// meeting, so that one without a loss leaves them finite. Ratings of players that are
// not connected by meetings cannot be compared.
func MostLikely(meetings []Meeting) (players []string, elo map[string]float64) {
	type opponent struct {
		name   string
		games  float64
		points float64 // of the player, not of the opponent
	}
	against := map[string][]opponent{}
	add := func(a, b string, games, points float64) {
		if against[a] == nil {
			players = append(players, a) // in this order, so that sums have a fixed order
		}
		against[a] = append(against[a], opponent{b, games + 1, points + 0.5})
	}
	for _, m := range meetings {
		add(m.A, m.B, m.Games, m.Points)
		add(m.B, m.A, m.Games, m.Games-m.Points)
	}
	strength := map[string]float64{}
	for _, n := range players {
		strength[n] = 1
	}
	const enough = 1e-9
	for change := 1.0; change > enough; {
		change = 0
		for _, n := range players {
			points, weight := 0.0, 0.0
			for _, o := range against[n] {
				points += o.points
				weight += o.games / (strength[n] + strength[o.name])
			}
			change = max(change, math.Abs(points/weight/strength[n]-1))
			strength[n] = points / weight
		}
	}
	elo = map[string]float64{}
	mean := 0.0
	for _, n := range players {
		elo[n] = detmath.Log(strength[n]) / perElo
		mean += elo[n] / float64(len(players))
	}
	for n := range elo {
		elo[n] -= mean
	}
	return players, elo
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

// Ladder rates the players of some meetings, all together, by maximum likelihood; see
// [MostLikely]. The strongest of a group comes first. Meetings of a player with itself say
// nothing about its strength and are left out.
func Ladder(meetings []Meeting) (rungs []Rung) {
	meetings = slices.DeleteFunc(slices.Clone(meetings), func(m Meeting) bool { return m.A == m.B })
	players, elo := MostLikely(meetings)
	for group, members := range connected(players, meetings) {
		members[0], members[1] = members[1], members[0] // the first two met first, as A and B
		variance := varianceAbove(members, meetings, elo)
		var of []Rung
		for i, p := range members {
			r := Rung{Player: p, Elo: elo[p] - elo[members[0]], Group: group}
			for _, m := range meetings {
				switch p {
				case m.A:
					r.Games, r.Score = r.Games+m.Games, r.Score+m.Points
				case m.B:
					r.Games, r.Score = r.Games+m.Games, r.Score+m.Games-m.Points
				}
			}
			r.Score /= max(1, r.Games)
			d := float64(z * math.Sqrt(variance[i]))
			r.EloLow, r.EloHigh = r.Elo-d, r.Elo+d
			of = append(of, r)
		}
		slices.SortStableFunc(of, func(a, b Rung) int { return cmp.Compare(b.Elo, a.Elo) })
		rungs = append(rungs, of...)
	}
	return rungs
}

// connected divides players into groups that are connected by meetings, each in the order of
// players.
func connected(players []string, meetings []Meeting) (groups [][]string) {
	for _, p := range players {
		groups = append(groups, []string{p})
	}
	for _, m := range meetings {
		i := slices.IndexFunc(groups, func(g []string) bool { return slices.Contains(g, m.A) })
		j := slices.IndexFunc(groups, func(g []string) bool { return slices.Contains(g, m.B) })
		if i != j {
			groups[min(i, j)] = append(groups[min(i, j)], groups[max(i, j)]...)
			groups = slices.Delete(groups, max(i, j), max(i, j)+1)
		}
	}
	for _, g := range groups {
		slices.SortFunc(g, func(a, b string) int { return cmp.Compare(slices.Index(players, a), slices.Index(players, b)) })
	}
	return groups
}

// varianceAbove returns the variance of the difference between each player's rating and the
// first player's: the diagonal of the inverse of the Fisher information that the games have on
// these differences.
func varianceAbove(players []string, meetings []Meeting, elo map[string]float64) []float64 {
	n := len(players) - 1
	variance := make([]float64, n+1)
	if n == 0 {
		return variance
	}
	at := map[string]int{}
	for i, p := range players {
		at[p] = i - 1 // -1 for the first, from which the differences are taken
	}
	information := mat.NewSymDense(n, nil)
	add := func(i, j int, x float64) {
		if i >= 0 && j >= 0 {
			information.SetSym(i, j, information.At(i, j)+x)
		}
	}
	for _, m := range meetings {
		i, known := at[m.A]
		if !known {
			continue
		}
		j, p := at[m.B], ExpectedScore(elo[m.A]-elo[m.B])
		x := float64(float64((m.Games+1)*p*(1-p)) * perElo * perElo)
		add(i, i, x)
		add(j, j, x)
		add(min(i, j), max(i, j), -x)
	}
	var factors mat.Cholesky
	var inverse mat.SymDense
	if !factors.Factorize(information) || factors.InverseTo(&inverse) != nil {
		panic("arena: connected players say nothing of each other")
	}
	for i := range n {
		variance[i+1] = inverse.At(i, i)
	}
	return variance
}
