package arena

import (
	"math"

	"dojo.example/internal/detmath"
)

// z is the 97.5 % quantile of the standard normal distribution, so 95 % of the distribution lies
// between -z and z.
const z = 1.959964

// Interval returns the score of player A with its 95 % confidence interval. Before any game the
// interval is 0 to 1.
//
// A pair is two games with the same opening and swapped sides. The interval is the score interval
// for the mean score of a pair. It contains every mean s that is consistent with the observed
// pairs:
//
//	n·(score − s)² / V(s) ≤ z²
//
// Here n is the number of pairs, and V(s) is the variance of a pair's score if its mean were s. A
// pair has one of five scores: 0, ¼, ½, ¾ or 1. V(s) is computed for the distribution over these
// five scores that has mean s and makes the observed pairs most likely. If only two different
// scores occurred, this is Wilson's interval. If three occurred, it is Tango's interval (Statistics
// in Medicine 17, 1998, "Equivalence test and confidence interval for the difference in proportions
// for the paired-sample design").
//
// V(s) is positive for every s other than the score, even if all pairs ended alike, for example
// because First won every game: a mean of ½+δ is possible only if player A wins some pairs. So 100
// pairs that all ended 1–1 give 50 ± 1.8 %.
func (r Result) Interval() (score, low, high float64) {
	score = r.Score()
	if r.counted() == 0 {
		return score, 0, 1
	}
	return score, r.intervalBound(score, 0), r.intervalBound(score, 1)
}

// intervalBound returns one bound of the confidence interval: the lower bound if end is 0, and the
// upper bound if end is 1.
func (r Result) intervalBound(score, end float64) float64 {
	if score == end {
		return end
	}
	in, out := score, end
	for range 32 { // 32 bisections give a precision of 1e-9
		s := float64((in + out) / 2)
		if d := score - s; r.counted()*float64(d*d) <= z*z*r.variance(s) {
			in = s
		} else {
			out = s
		}
	}
	return in
}

// Share returns the share of k in n trials with its 95 % confidence interval (Wilson 1927). Before
// any trial the interval is 0 to 1.
func Share(k, n int) (share, low, high float64) {
	if n == 0 {
		return 0, 0, 1
	}
	trials := float64(n)
	share = float64(k) / trials
	middle := share + float64(z*z/(2*trials))
	reach := float64(z * math.Sqrt(float64(share*(1-share)/trials)+float64(z*z/(4*trials*trials))))
	whole := 1 + float64(z*z/trials)
	low, high = (middle-reach)/whole, (middle+reach)/whole
	if k == 0 {
		low = 0 // without the rounding error
	}
	if k == n {
		high = 1
	}
	return share, low, high
}

// pseudoCount is added to the number of pairs with each of the five scores, so that scores that
// never occurred are still possible.
const pseudoCount = 1e-6

// variance returns V(s), which the comment on Interval defines, for 0 < s < 1. Let x[i] be the i-th
// of the five scores of a pair, and count[i] the number of pairs with this score. By Lagrange's
// method the most likely distribution with mean s has the probabilities
//
//	share[i] = count[i] / (n·(1 + t·(x[i] − s)))
//
// Here n is the number of pairs, and t is chosen so that the mean is s (Owen, Empirical Likelihood,
// 2001, section 2.9).
func (r Result) variance(s float64) float64 {
	// For every t between low and high, all denominators in the formula above are positive.
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

// tilted computes two moments of a pair's score under the distribution for the given t (see
// variance). distance is the mean minus s, and square is the mean squared distance from s.
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

// maxScore is the highest score for which Elo computes a bound; it corresponds to 1,200 Elo. The
// limit is needed because a match without a loss has no finite upper bound.
const maxScore = 0.999

// Elo returns the rating difference at which the observed score is expected, with its 95 %
// confidence interval. All three numbers are finite. A score of 0 or 100 % is moved by half a game
// towards 50 %. The bounds are limited to ±1,200, or to ±elo if that is farther out.
func (r Result) Elo() (elo, low, high float64) {
	score, from, to := r.Interval()
	edge := 0.5 / (2*r.counted() + 1)
	most := max(maxScore, 1-edge)
	return EloOf(clamp(edge, score, 1-edge)), EloOf(clamp(1-most, from, most)), EloOf(clamp(1-most, to, most))
}

// clamp returns x limited to the range from low to high.
func clamp(low, x, high float64) float64 { return max(low, min(high, x)) }

// EloOf returns the rating difference at which the given score is expected:
// 400·log10(score/(1−score)).
func EloOf(score float64) float64 { return 400 / math.Ln10 * detmath.Log(score/(1-score)) }

// ExpectedScore returns the expected score of a player whose rating is elo points higher than the
// opponent's.
func ExpectedScore(elo float64) float64 { return 1 / (1 + detmath.Pow(10, -elo/400)) }
