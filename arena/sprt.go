package arena

import (
	"math"

	"dojo/internal/detmath"
)

// SPRT is a sequential test: after each pair it tells whether A is stronger
// than B by Elo1 (accept), only by Elo0 (reject), or whether more games are
// needed. If the truth is Elo0 it accepts with a probability of about Alpha,
// and if it is Elo1 it rejects with one of about Beta.
//
// It is the generalised sequential probability ratio test on the scores of
// pairs, in its normal approximation: M. Van den Bergh, "The generalized
// maximum likelihood ratio for the expectation value of a distribution"
// (2019), as the testing framework of Stockfish uses it.
type SPRT struct {
	Elo0, Elo1  float64
	Alpha, Beta float64
}

// Verdict is the result of a test.
type Verdict int

const (
	Continue Verdict = iota // more games are needed
	Accept                  // A is stronger
	Reject                  // A is not stronger
)

// Verdict is what follows from a result, and llr the logarithm of the ratio of
// its likelihoods: if A is stronger by Elo1, and if by Elo0.
func (s SPRT) Verdict(r Result) (llr float64, v Verdict) {
	// The first pairs may all end alike, and their variance be 0. A quarter of
	// a pair of each kind is added, so that the test does not end by this.
	mean, variance, n := r.moments(0.25)
	return s.verdict(ratio(mean, variance, n, ExpectedScore(s.Elo0), ExpectedScore(s.Elo1)))
}

// VerdictByPoints is Verdict by the signed roots of margins in place of the scores, in a
// game with scores; see [Points]. Roots, for a game that is lost anyhow may be lost by any
// number of points: margins themselves tell less of strength than wins do, their roots
// tell more. Where the roots of single games have the standard deviation σ, a player who
// is stronger by a few Elo is taken to be ahead by
//
//	Elo · ln 10/400 · √3/π · σ
//
// on average: this is so if roots follow a logistic distribution, which is the one that
// Elo's formula for the score assumes of strength.
func (s SPRT) VerdictByPoints(r Result) (llr float64, v Verdict) {
	p := r.Points
	if p.Leads == 0 { // no game, or no margin in any
		return 0, Continue
	}
	// A pair with a mean of 0 that varies like single games is added, so that the test
	// does not end because the first pairs end alike.
	square := float64(p.Leads) / float64(p.Games)
	n := p.Pairs + 1
	mean, variance := Moments{p.Roots.Sum, p.Roots.Squares + square}.of(n)
	perElo := math.Ln10 / 400 * math.Sqrt(3) / math.Pi * math.Sqrt(square)
	return s.verdict(ratio(mean, variance, n, float64(s.Elo0*perElo), float64(s.Elo1*perElo)))
}

// ratio is the logarithm of the ratio of likelihoods of n independent values, whose mean
// and variance are given, if the true mean is m1 and if it is m0.
func ratio(mean, variance, n, m0, m1 float64) float64 {
	return n * (m1 - m0) * (2*mean - m0 - m1) / (2 * variance)
}

// verdict is what follows from a ratio of likelihoods.
func (s SPRT) verdict(llr float64) (float64, Verdict) {
	switch {
	case llr >= detmath.Log((1-s.Beta)/s.Alpha):
		return llr, Accept
	case llr <= detmath.Log(s.Beta/(1-s.Alpha)):
		return llr, Reject
	}
	return llr, Continue
}
