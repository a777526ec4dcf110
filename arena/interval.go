package arena

import (
	"math"

	"dojo.example/internal/detmath"
)

// z is the two-sided 95 % quantile of the normal distribution.
const z = 1.959964

// Interval is A's score with its 95 % interval, 0 to 1 before any game.
//
// It is the score interval for the mean of the pairs' scores: it holds every
// mean s that the pairs do not contradict,
//
//	n·(score − s)² / V(s) ≤ z²
//
// where n is the number of pairs and V(s) the variance of a pair's score if
// the mean were s: the variance of the distribution over the five kinds of pairs that
// has mean s and makes the observed pairs most likely. With two kinds,
// this is Wilson's interval, and with three Tango's (Statistics in Medicine 17,
// 1998, "Equivalence test and confidence interval for the difference in
// proportions for the paired-sample design"). V(s) is not 0 away from the
// score even if all pairs were alike, as when the seat decides every game: a
// mean of ½+δ then takes some pairs that A wins, and 100 pairs of 1–1 give
// 50 ± 1.8 %.
func (r Result) Interval() (score, low, high float64) {
	score = r.Score()
	if r.counted() == 0 {
		return score, 0, 1
	}
	return score, r.intervalBound(score, 0), r.intervalBound(score, 1)
}

// intervalBound returns the bound of the interval between the score and end, which is 0 or 1.
func (r Result) intervalBound(score, end float64) float64 {
	if score == end {
		return end
	}
	in, out := score, end
	for range 32 { // to a thousand-millionth
		s := float64((in + out) / 2)
		if d := score - s; r.counted()*float64(d*d) <= z*z*r.variance(s) {
			in = s
		} else {
			out = s
		}
	}
	return in
}

// pseudoCount is the number of pairs that is added to each kind, so that kinds that were not
// seen are possible.
const pseudoCount = 1e-6

// variance is V(s), see Interval, for 0 < s < 1. By Lagrange's method the most
// likely shares with mean s are
//
//	share[i] = count[i] / (n·(1 + t·(x[i] − s)))
//
// where x[i] is the score of a pair of kind i and t makes their mean s (Owen,
// Empirical Likelihood, 2001, section 2.9).
func (r Result) variance(s float64) float64 {
	// The denominators are positive between these.
	low, high := -1/(1-s), 1/s
	for range 60 {
		t := (low + high) / 2
		if slope, _ := r.tilted(s, t); slope > 0 {
			low = t
		} else {
			high = t
		}
	}
	_, variance := r.tilted(s, (low+high)/2)
	return variance
}

// tilted returns the mean less s, and the mean square distance from s, of a pair's score under
// the shares that the comment of variance describes.
func (r Result) tilted(s, t float64) (distance, square float64) {
	n := r.counted() + float64(pseudoCount*float64(len(r.Pairs)))
	for i, count := range r.Pairs {
		d := float64(float64(i)/4) - s
		share := (count + pseudoCount) / (n * (1 + float64(t*d)))
		distance += float64(share * d)
		square += float64(share * d * d)
	}
	return distance, square
}

// maxScore is the largest score for the bounds of Elo: it stands for 1,200 Elo. A match without
// a loss has no upper bound, so that some limit must be chosen.
const maxScore = 0.999

// Elo returns the difference in rating for which the score is expected, with its 95 %
// interval. All three are finite: scores of 0 and 100 % are replaced by half a game less than
// that, and bounds beyond ±1,200 by ±1,200, or by elo if that is farther out.
func (r Result) Elo() (elo, low, high float64) {
	score, from, to := r.Interval()
	edge := 0.5 / (2*r.counted() + 1)
	most := max(maxScore, 1-edge)
	return EloOf(clamp(edge, score, 1-edge)), EloOf(clamp(1-most, from, most)), EloOf(clamp(1-most, to, most))
}

// clamp returns x, or low or high if x is beyond that.
func clamp(low, x, high float64) float64 { return max(low, min(high, x)) }

// EloOf returns the difference in rating for which a score is expected:
// 400·log10(s/(1−s)).
func EloOf(score float64) float64 { return 400 / math.Ln10 * detmath.Log(score/(1-score)) }

// ExpectedScore returns the expected score at a difference in rating.
func ExpectedScore(elo float64) float64 { return 1 / (1 + detmath.Pow(10, -elo/400)) }
