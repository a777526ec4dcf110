package sweep

import (
	"math"

	"dojo.example/arena"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ratings are the strengths of some runs in Elo, and the covariance of their errors, which come
// from the number of games.
type ratings struct {
	elo   []float64
	noise *mat.SymDense
}

// perElo is the change of the log odds of a win by one Elo.
const perElo = math.Ln10 / 400

// information returns the Fisher information of games with an expected score about a
// difference in Elo.
func information(games, score float64) float64 {
	return float64(games * score * (1 - score) * perElo * perElo)
}

// rated returns the most likely ratings of players, given the results of their matches, and
// the place of each player among them; see [arena.MostLikely]. A match tells a difference of
// two ratings alone, and errors add up from match to match. The covariance is the
// pseudo-inverse of the information, with all ratings relative to their mean.
func rated(played []Match) (r ratings, place map[string]int) {
	var meetings []arena.Meeting
	for _, m := range played {
		games := m.distinct()
		meetings = append(meetings, arena.Meeting{A: m.A.Player, B: m.B.Player, Games: games, Points: float64(games * m.Score)})
	}
	players, elo := arena.MostLikely(meetings)
	n := len(players)
	place = map[string]int{}
	sum := mat.NewSymDense(n, nil) // the information, and 1/n that makes it regular
	for i, p := range players {
		place[p], r.elo = i, append(r.elo, elo[p])
		for j := range i + 1 {
			sum.SetSym(i, j, 1/float64(n))
		}
	}
	add := func(i, j int, x float64) { sum.SetSym(i, j, sum.At(i, j)+x) }
	for _, m := range meetings {
		x, a, b := information(m.Games+1, arena.ExpectedScore(elo[m.A]-elo[m.B])), place[m.A], place[m.B]
		add(a, a, x)
		add(b, b, x)
		add(a, b, -x)
	}
	r.noise = mat.NewSymDense(n, nil)
	var c mat.Cholesky
	if !c.Factorize(sum) || c.InverseTo(r.noise) != nil {
		panic("sweep: players who have not met") // meetings connects all runs
	}
	for i := range n {
		for j := range i + 1 {
			r.noise.SetSym(i, j, r.noise.At(i, j)-1/float64(n))
		}
	}
	return r, place
}

// append adds the rating of a player of a match, to which it adds a drawn game, against one
// whose rating is 0. The errors of such ratings are independent.
func (r *ratings) append(m Match) {
	games := m.distinct() + 1
	score := (float64(m.distinct()*m.Score) + 0.5) / games
	r.independent(arena.EloOf(score), 1/information(games, score))
}

// independent adds a rating whose error has a variance of its own.
func (r *ratings) independent(elo, variance float64) {
	n := len(r.elo)
	noise := mat.NewSymDense(n+1, nil)
	if n > 0 {
		noise = r.noise.GrowSym(1).(*mat.SymDense)
	}
	noise.SetSym(n, n, variance)
	r.elo, r.noise = append(r.elo, elo), noise
}

// Estimate is a mean over seeds in Elo, with its 95 % interval by Student's t.
type Estimate struct {
	Elo    float64 `json:"elo"`
	Low    float64 `json:"elo_low"`
	High   float64 `json:"elo_high"`
	Spread float64 `json:"spread"` // standard deviation from seed to seed
}

// A sample is what the ratings of some runs, given by their places, say of an arm.
type sample struct {
	runs     float64
	mean     float64
	variance float64 // of the ratings
	errors   float64 // how much of it errors cause on average
}

// spread is the variance from seed to seed.
func (s sample) spread() float64 { return max(0, s.variance-s.errors) }

// sample returns a sample of at least two runs.
func (r ratings) sample(runs []int) sample {
	n := float64(len(runs))
	var elos []float64
	own, all := 0.0, 0.0 // sums of variances and of covariances
	for _, i := range runs {
		elos = append(elos, r.elo[i])
		own += r.noise.At(i, i)
		for _, j := range runs {
			all += r.noise.At(i, j)
		}
	}
	mean, variance := stat.MeanVariance(elos, nil)
	return sample{n, mean, variance, (own - all/n) / (n - 1)}
}

// estimate returns the estimate of the mean of at least two runs with different seeds.
func (r ratings) estimate(runs []int) Estimate {
	s := r.sample(runs)
	return newEstimate(s.mean, interval(r.error(runs, nil), s), math.Sqrt(s.spread()))
}

// difference returns the estimate of the difference of the means of a and b. Its spread is the
// deviation of the difference of two runs.
func (r ratings) difference(a, b []int) Estimate {
	x, y := r.sample(a), r.sample(b)
	return newEstimate(x.mean-y.mean, interval(r.error(a, b), x, y), math.Sqrt(x.spread()+y.spread()))
}

// interval returns half the width of the 95 % interval of a sum or difference of means, to
// which errors of ratings add some variance. The variances of the samples, which may differ
// (Welch 1947), contain those errors, often more than once: the errors are subtracted there
// and added once. The result is never less than the variance of the errors.
func interval(errors float64, samples ...sample) float64 {
	seen, known, squares := 0.0, 0.0, 0.0 // of the means
	for _, s := range samples {
		of := max(s.variance, s.errors) / s.runs
		seen += of
		known += s.errors / s.runs
		squares += float64(of * of / (s.runs - 1))
	}
	if seen == 0 {
		return 0
	}
	variance := max(seen-known+errors, errors)
	return quantile(seen*seen/squares) * math.Sqrt(variance)
}

// error returns the variance that the ratings' errors give to the mean of a less that of b.
func (r ratings) error(a, b []int) (variance float64) {
	weight := make([]float64, len(r.elo))
	for _, i := range a {
		weight[i] += 1 / float64(len(a))
	}
	for _, i := range b {
		weight[i] -= 1 / float64(len(b))
	}
	w := mat.NewVecDense(len(weight), weight)
	return max(0, mat.Inner(w, r.noise, w))
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
