package arena

import "dojo.example/internal/detmath"

// SPRT is a sequential test of whether player A is stronger than player B. After each pair it says
// that A is stronger by Elo1 (accept), that A is stronger only by Elo0 (reject), or that more games
// are needed. If the true difference is Elo0, the test accepts with a probability of about 5 %. If
// the true difference is Elo1, it rejects with the same probability.
//
// It is the generalised sequential probability ratio test on the scores of pairs, in its normal
// approximation: M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation
// value of a distribution" (2019). The testing framework of Stockfish uses the same test.
type SPRT struct{ Elo0, Elo1 float64 }

// errorRate is the probability of wrongly accepting, and also of wrongly rejecting. 5 % is usual
// for tests of chess programs.
const errorRate = 0.05

// Bounds returns two values of the log-likelihood ratio. The test rejects at the first and accepts
// at the second.
func (s SPRT) Bounds() (reject, accept float64) {
	accept = detmath.Log((1 - errorRate) / errorRate)
	return -accept, accept
}

// Verdict is the state of a sequential test: more games needed, accepted or rejected.
type Verdict int

const (
	Continue Verdict = iota // more games are needed
	Accept                  // player A is stronger by Elo1
	Reject                  // player A is stronger only by Elo0
)

func (v Verdict) String() string { return [...]string{"undecided", "accept", "reject"}[v] }

// Verdict returns the state of the test after the games in r. llr is the log-likelihood ratio: the
// logarithm of how much more likely the result is if player A is stronger by Elo1 than if A is
// stronger by Elo0.
func (s SPRT) Verdict(r Result) (llr float64, v Verdict) {
	// If the first pairs all end alike, their variance is 0, and the test would end immediately. To
	// prevent that, a quarter of a pair is added to each of the five possible scores of a pair.
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
