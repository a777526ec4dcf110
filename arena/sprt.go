package arena

import "dojo.example/internal/detmath"

// SPRT is a sequential test: after each pair it tells whether A is stronger
// than B by Elo1 (accept), only by Elo0 (reject), or whether more games are
// needed. If the truth is Elo0 it accepts with a probability of about 5 %,
// and if it is Elo1 it rejects with the same.
//
// It is the generalised sequential probability ratio test on the scores of
// pairs, in its normal approximation: M. Van den Bergh, "The generalized
// maximum likelihood ratio for the expectation value of a distribution"
// (2019), as the testing framework of Stockfish uses it.
type SPRT struct{ Elo0, Elo1 float64 }

// errorRate is the probability of either wrong verdict, as usual for chess programs.
const errorRate = 0.05

// Bounds are the log-likelihood ratios at which the test rejects and accepts.
func (s SPRT) Bounds() (reject, accept float64) {
	accept = detmath.Log((1 - errorRate) / errorRate)
	return -accept, accept
}

// Verdict is the result of a test.
type Verdict int

const (
	Continue Verdict = iota // more games are needed
	Accept                  // A is stronger
	Reject                  // A is not stronger
)

func (v Verdict) String() string { return [...]string{"undecided", "accept", "reject"}[v] }

// Verdict decides by the result of the games so far. llr is the log-likelihood ratio: the
// logarithm of how much more likely the result is if A is stronger by Elo1 than if by Elo0.
func (s SPRT) Verdict(r Result) (llr float64, v Verdict) {
	// If the first pairs all end alike, their variance is 0, and the test would end at once.
	// A quarter of a pair of each kind is added to prevent that.
	mean, variance, n := r.moments(0.25)
	s0, s1 := ExpectedScore(s.Elo0), ExpectedScore(s.Elo1)
	llr = n * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
	switch reject, accept := s.Bounds(); {
	case llr >= accept:
		return llr, Accept
	case llr <= reject:
		return llr, Reject
	}
	return llr, Continue
}
