package sweep

import (
	"math"

	"dojo.example/arena"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// ratings holds the Elo ratings of a set of runs, and the covariance matrix of the errors of these
// ratings. Runs are identified by their indices.
type ratings struct{ arena.Ratings }

// against rates players that all played the same opponent, whose rating is 0. Each element of
// meetings holds one player's games. If it has no games, the player is the opponent itself, with a
// rating of exactly 0. The errors of the ratings are independent.
func against(meetings []arena.Meeting) ratings {
	r := ratings{arena.Ratings{Elo: make([]float64, len(meetings)), Noise: mat.NewSymDense(len(meetings), nil)}}
	for i, m := range meetings {
		if m.Games > 0 {
			elo, variance := arena.Rate([]arena.Meeting{{A: "a", B: "b", Games: m.Games, Points: m.Points}}).Difference(0, 1)
			r.Elo[i] = elo
			r.Noise.SetSym(i, i, variance)
		}
	}
	return r
}

// Estimate is a mean Elo rating over the seeds, with a 95 % confidence interval from Student's t.
type Estimate struct {
	Elo    float64 `json:"elo"`
	Low    float64 `json:"elo_low"`
	High   float64 `json:"elo_high"`
	Spread float64 `json:"spread"` // standard deviation over the seeds
}

// A sample holds the statistics of the ratings of the runs of one arm (configuration).
type sample struct {
	runs     float64 // number of runs
	mean     float64 // mean of the ratings
	variance float64 // variance of the ratings
	errors   float64 // the part of the variance that is due to the finite number of games
}

// spread returns the part of the variance that is due to the seeds.
func (s sample) spread() float64 { return max(0, s.variance-s.errors) }

// sample returns the statistics of the given runs. There must be at least two.
func (r ratings) sample(runs []int) sample {
	n := float64(len(runs))
	var elos []float64
	own, all := 0.0, 0.0 // own is the sum of the variances; all also includes the covariances
	for _, i := range runs {
		elos = append(elos, r.Elo[i])
		own += r.Noise.At(i, i)
		for _, j := range runs {
			all += r.Noise.At(i, j)
		}
	}
	mean, variance := stat.MeanVariance(elos, nil)
	return sample{n, mean, variance, (own - all/n) / (n - 1)}
}

// estimate estimates the mean rating of the runs a or, if b is not empty, the mean rating of a
// minus the mean rating of b. Both a and b need at least two runs, with different seeds. The Spread
// of the estimate is the standard deviation of one run's rating, or of the difference between two
// runs.
func (r ratings) estimate(a, b []int) Estimate {
	x := r.sample(a)
	samples, mean, spread := []sample{x}, x.mean, x.spread()
	if len(b) > 0 {
		y := r.sample(b)
		samples, mean, spread = append(samples, y), mean-y.mean, spread+y.spread()
	}
	d := interval(r.error(a, b), samples...)
	return Estimate{Elo: hundredths(mean), Low: hundredths(mean - d), High: hundredths(mean + d), Spread: hundredths(math.Sqrt(spread))}
}

// interval returns half the width of the 95 % confidence interval for a sum or difference of the
// samples' means. It uses Welch's method (1947), in which the variances of the samples may differ.
// The parameter errors is the part of the variance that is due to errors of the ratings. The
// variances of the samples already include this part, often more than once. So interval removes it
// from them and then adds errors once. The resulting variance is never less than errors.
func interval(errors float64, samples ...sample) float64 {
	// seen: the variance of the means; known: the part of it that is due to errors of the ratings;
	// squares: the denominator in Welch's formula for the degrees of freedom
	seen, known, squares := 0.0, 0.0, 0.0
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

// error returns how much variance the errors of the ratings add to the difference between the mean
// ratings of the runs a and of the runs b.
func (r ratings) error(a, b []int) (variance float64) {
	weight := make([]float64, len(r.Elo))
	for _, i := range a {
		weight[i] += 1 / float64(len(a))
	}
	for _, i := range b {
		weight[i] -= 1 / float64(len(b))
	}
	w := mat.NewVecDense(len(weight), weight)
	return max(0, mat.Inner(w, r.Noise, w))
}

// hundredths rounds x to hundredths. It never returns a negative zero.
func hundredths(x float64) float64 { return math.Round(100*x)/100 + 0 }

// quantile returns the two-sided 95 % quantile of Student's t with the given degrees of freedom.
func quantile(freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(0.975)
}
