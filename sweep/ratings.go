package sweep

import (
	"math"

	"dojo/arena"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A rating is a run's strength in Elo, with its variance for independent games against
// opponents whose ratings are known.
type rating struct{ elo, variance float64 }

// perElo is the change of the log odds of a win by one Elo.
const perElo = math.Ln10 / 400

// newRating returns a rating from the Fisher information of its games about the log odds.
func newRating(elo, information float64) rating {
	return rating{elo, 1 / (information * perElo * perElo)}
}

// information returns the Fisher information of games with an expected score.
func information(games, score float64) float64 { return float64(games * score * (1 - score)) }

// ratings returns the most likely ratings of players, given the results of their matches;
// see [arena.MostLikely].
func ratings(played []Match) map[string]rating {
	var meetings []arena.Meeting
	for _, m := range played {
		games := m.distinct()
		meetings = append(meetings, arena.Meeting{A: m.A.Player, B: m.B.Player, Games: games, Points: float64(games * m.Score)})
	}
	players, elo := arena.MostLikely(meetings)
	all := map[string]rating{}
	for _, p := range players {
		known := 0.0
		for _, m := range meetings {
			if p == m.A || p == m.B {
				known += information(m.Games+1, arena.ExpectedScore(elo[m.A]-elo[m.B]))
			}
		}
		all[p] = newRating(elo[p], known)
	}
	return all
}

// ratingOf returns the difference in rating of a match, to which it adds a drawn game.
func ratingOf(m Match) rating {
	games := m.distinct() + 1
	score := (float64(m.distinct()*m.Score) + 0.5) / games
	return newRating(arena.EloOf(score), information(games, score))
}

// Estimate is a mean over seeds in Elo, with its 95 % interval by Student's t.
type Estimate struct {
	Elo    float64 `json:"elo"`
	Low    float64 `json:"elo_low"`
	High   float64 `json:"elo_high"`
	Spread float64 `json:"spread"` // standard deviation from seed to seed
}

// moments returns the mean of ratings, their variance, and the variance of their mean. The
// last is at least the variance that comes from the number of games: a few runs with equal
// results, such as 11 wins of 12 each, are still uncertain.
func moments(runs []rating) (mean, variance, ofMean float64) {
	var elos []float64
	games := 0.0
	for _, r := range runs {
		elos = append(elos, r.elo)
		games += r.variance / float64(len(runs))
	}
	mean, variance = stat.MeanVariance(elos, nil)
	return mean, variance, max(variance, games) / float64(len(runs))
}

// estimate returns the estimate of the mean of at least two independent runs.
func estimate(runs []rating) Estimate {
	mean, variance, ofMean := moments(runs)
	return newEstimate(mean, float64(quantile(float64(len(runs)-1))*math.Sqrt(ofMean)), math.Sqrt(variance))
}

// difference returns the estimate of the difference of the means of a and b, whose
// variances may differ (Welch 1947). Its spread is the deviation of the difference of two
// runs.
func difference(a, b []rating) Estimate {
	meanA, varA, ofA := moments(a)
	meanB, varB, ofB := moments(b)
	d := 0.0
	if sum := ofA + ofB; sum > 0 {
		freedom := sum * sum / (float64(ofA*ofA/float64(len(a)-1)) + float64(ofB*ofB/float64(len(b)-1)))
		d = float64(quantile(freedom) * math.Sqrt(sum))
	}
	return newEstimate(meanA-meanB, d, math.Sqrt(varA+varB))
}

func newEstimate(mean, d, spread float64) Estimate {
	return Estimate{Elo: hundredths(mean), Low: hundredths(mean - d), High: hundredths(mean + d), Spread: hundredths(spread)}
}

// hundredths rounds to hundredths, without a negative zero.
func hundredths(x float64) float64 { return math.Round(100*x)/100 + 0 }

// quantile returns the two-sided 95 % quantile of Student's t.
func quantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975)
}
