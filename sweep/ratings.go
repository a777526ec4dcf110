package sweep

import (
	"math"

	"dojo/arena"
	"dojo/internal/detmath"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ratings are the Elo ratings of players under which the results of their matches are
// most likely (Bradley and Terry 1952, found by the iteration of Hunter 2004, "MM
// algorithms for generalized Bradley–Terry models"). Their mean is 0. A draw is half a
// win, and one drawn game is added to each match, so that a match without a loss leaves
// them finite.
func ratings(played []Match) map[string]float64 {
	type opponent struct {
		name   string
		games  float64
		points float64 // of the player, not of the opponent
	}
	against := map[string][]opponent{}
	var names []string // in the order of the matches, so that sums have a fixed order
	add := func(a, b string, games, points float64) {
		if against[a] == nil {
			names = append(names, a)
		}
		against[a] = append(against[a], opponent{b, games + 1, points + 0.5})
	}
	for _, m := range played {
		games := float64(m.Games)
		add(m.A.Player, m.B.Player, games, games*m.Score)
		add(m.B.Player, m.A.Player, games, games*(1-m.Score))
	}
	strength := map[string]float64{}
	for _, n := range names {
		strength[n] = 1
	}
	const enough = 1e-9
	for change := 1.0; change > enough; {
		change = 0
		for _, n := range names {
			points, weight := 0.0, 0.0
			for _, o := range against[n] {
				points += o.points
				weight += o.games / (strength[n] + strength[o.name])
			}
			change = max(change, math.Abs(points/weight/strength[n]-1))
			strength[n] = points / weight
		}
	}
	elo, mean := map[string]float64{}, 0.0
	for _, n := range names {
		elo[n] = 400 / math.Ln10 * detmath.Log(strength[n])
		mean += elo[n] / float64(len(names))
	}
	for _, n := range names {
		elo[n] -= mean
	}
	return elo
}

// Estimate is a mean over seeds in Elo, with its 95 % interval by Student's t.
type Estimate struct {
	Elo    float64 `json:"elo"`
	Low    float64 `json:"elo_low"`
	High   float64 `json:"elo_high"`
	Spread float64 `json:"spread"` // standard deviation from seed to seed
}

// estimate is that of the mean of independent values, at least two.
func estimate(values []float64) Estimate {
	mean, spread := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	d := quantile(n-1) * spread / math.Sqrt(n)
	return newEstimate(mean, d, spread)
}

func newEstimate(mean, d, spread float64) Estimate {
	return Estimate{Elo: hundredths(mean), Low: hundredths(mean - d), High: hundredths(mean + d), Spread: hundredths(spread)}
}

// difference is that of the means of a and b, whose variances need not be equal (Welch
// 1947). Its spread is that of the difference of two runs.
func difference(a, b []float64) Estimate {
	meanA, varA := stat.MeanVariance(a, nil)
	meanB, varB := stat.MeanVariance(b, nil)
	na, nb := float64(len(a)), float64(len(b))
	d := 0.0
	if ea, eb := varA/na, varB/nb; ea+eb > 0 {
		freedom := (ea + eb) * (ea + eb) / (ea*ea/(na-1) + eb*eb/(nb-1))
		d = quantile(freedom) * math.Sqrt(ea+eb)
	}
	return newEstimate(meanA-meanB, d, math.Sqrt(varA+varB))
}

// hundredths rounds to hundredths, with 0 for what is a little less.
func hundredths(x float64) float64 { return math.Round(100*x)/100 + 0 }

// quantile is the two-sided 95 % quantile of Student's t.
func quantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975)
}

// eloOf is the difference in rating that a match shows, with one drawn game added to it.
func eloOf(m Match) float64 {
	games := float64(m.Games)
	return arena.EloOf((games*m.Score + 0.5) / (games + 1))
}
