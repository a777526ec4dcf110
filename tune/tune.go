// Package tune finds better constants of a program by letting it play against itself: simultaneous
// perturbation stochastic approximation (J. C. Spall, "Multivariate Stochastic Approximation Using
// a Simultaneous Perturbation Gradient Approximation", 1992), as chess programs use it. Each
// iteration moves all constants a little in random directions and plays a few games between
// the two opposite displacements; the score says which way is up. It needs no more games for
// three constants than for one.
package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"dojo.example/internal/detmath"
)

// A Constant is a number that is tuned.
type Constant struct {
	Name             string
	Start, Low, High float64
	Log              bool // changes are by factors, not by differences; Low is above 0
}

// unit returns where x lies between Low and High, from 0 to 1.
func (c Constant) unit(x float64) float64 {
	if c.Log {
		return detmath.Log(x/c.Low) / detmath.Log(c.High/c.Low)
	}
	return (x - c.Low) / (c.High - c.Low)
}

// value is the inverse of unit, rounded to three digits so that a name of a player can say it.
func (c Constant) value(u float64) float64 {
	x := c.Low + float64(u*(c.High-c.Low))
	if c.Log {
		x = c.Low * detmath.Exp(u*detmath.Log(c.High/c.Low))
	}
	x = min(c.High, max(c.Low, x))
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // which has just been written
	return x
}

// Options are the parameters of a tuning.
type Options struct {
	Constants  []Constant
	Iterations int
	Seed       uint64

	// Play plays the games of an iteration between players with the constants a and b, and
	// returns the share of points that a wins.
	Play func(ctx context.Context, iteration int, a, b []float64) (score float64, err error)
}

// A Step is an iteration that was played.
type Step struct {
	Iteration int       `json:"iteration"`
	A         []float64 `json:"a"`      // the constants of one player
	B         []float64 `json:"b"`      // and of the other
	Score     float64   `json:"score"`  // of A
	Values    []float64 `json:"values"` // the constants after it
}

// State is how far a tuning is: it follows from its options and the scores so far.
type State struct {
	opt    Options
	done   int
	at     []float64 // in units
	sum    []float64 // of at over the second half of the iterations
	rng    *rand.Rand
	signs  []float64
	spread float64
}

// The schedule of Spall (1998): steps of gain/(k+1+A)^0.602 along perturbations of
// spread/(k+1)^0.101, with A a tenth of the iterations, in units of the ranges.
const (
	spread      = 0.12
	gain        = 0.25
	spreadPower = 0.101
	gainPower   = 0.602
)

// Begin returns the state before the first iteration.
func Begin(opt Options) (*State, error) {
	s := &State{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 0)), sum: make([]float64, len(opt.Constants))}
	for _, c := range opt.Constants {
		if !(c.Low < c.High) || c.Log && !(c.Low > 0) || !(c.Start >= c.Low && c.Start <= c.High) {
			return nil, fmt.Errorf("tune %s: it begins at %v, which is not between %v and %v", c.Name, c.Start, c.Low, c.High)
		}
		s.at = append(s.at, c.unit(c.Start))
	}
	s.signs = make([]float64, len(s.at))
	return s, nil
}

// Done is the number of iterations so far.
func (s *State) Done() int { return s.done }

// next draws the players of the next iteration.
func (s *State) next() (a, b []float64) {
	s.spread = spread * detmath.Pow(float64(s.done+1), -spreadPower)
	for i, c := range s.opt.Constants {
		s.signs[i] = 1 - 2*float64(s.rng.IntN(2))
		a = append(a, c.value(min(1, max(0, s.at[i]+float64(s.signs[i]*s.spread)))))
		b = append(b, c.value(min(1, max(0, s.at[i]-float64(s.signs[i]*s.spread)))))
	}
	return a, b
}

// learn moves the constants by the score of a.
func (s *State) learn(score float64) {
	n := float64(s.opt.Iterations)
	step := gain * detmath.Pow((1+n/10)/(float64(s.done)+1+n/10), gainPower) * (2*score - 1)
	for i := range s.at {
		s.at[i] = min(1, max(0, s.at[i]+float64(step*s.signs[i])))
		if 2*s.done >= s.opt.Iterations {
			s.sum[i] += s.at[i]
		}
	}
	s.done++
}

// Values returns the constants so far: the mean over the second half of all iterations, or,
// before that half begins, the present ones.
func (s *State) Values() (values []float64) {
	late := s.done - (s.opt.Iterations+1)/2
	for i, c := range s.opt.Constants {
		u := s.at[i]
		if late > 0 {
			u = s.sum[i] / float64(late)
		}
		values = append(values, c.value(u))
	}
	return values
}

// Replay takes iterations that were played before, in order. They must be those of this tuning.
func (s *State) Replay(steps []Step) error {
	for _, x := range steps {
		a, b := s.next()
		if x.Iteration != s.done || !slices.Equal(a, x.A) || !slices.Equal(b, x.B) {
			return fmt.Errorf("iteration %d is of another tuning", x.Iteration)
		}
		s.learn(x.Score)
	}
	return nil
}

// Run plays the iterations that are left, and calls each after every one.
func (s *State) Run(ctx context.Context, each func(Step) error) error {
	for s.done < s.opt.Iterations {
		x := Step{Iteration: s.done}
		x.A, x.B = s.next()
		var err error
		if x.Score, err = s.opt.Play(ctx, x.Iteration, x.A, x.B); err != nil {
			return fmt.Errorf("iteration %d: %w", x.Iteration, err)
		}
		s.learn(x.Score)
		x.Values = s.Values()
		if err := each(x); err != nil {
			return err
		}
	}
	return nil
}
