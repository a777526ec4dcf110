package arena

import "dojo/internal/detmath"

// SPRT is a sequential test of whether A is stronger by Elo1 (accept) or only
// by Elo0 (reject), with error rates Alpha and Beta: the generalised test on
// the scores of pairs in its normal approximation (Van den Bergh 2019, as in
// fishtest).
type SPRT struct {
	Elo0, Elo1  float64
	Alpha, Beta float64
}

// Verdict is what a test has come to.
type Verdict int

const (
	Continue Verdict = iota
	Accept           // A is stronger
	Reject           // it is not
)

// Verdict is the log-likelihood ratio of a result and what follows from it.
func (s SPRT) Verdict(r Result) (llr float64, v Verdict) {
	// A quarter of a pair of each kind keeps the variance from being nothing
	// before it is known.
	mean, variance, n := r.moments(0.25)
	s0, s1 := expected(s.Elo0), expected(s.Elo1)
	llr = n * (s1 - s0) * (2*mean - s0 - s1) / (2 * variance)
	switch {
	case llr >= detmath.Log((1-s.Beta)/s.Alpha):
		return llr, Accept
	case llr <= detmath.Log(s.Beta/(1-s.Alpha)):
		return llr, Reject
	}
	return llr, Continue
}
