// Package tune finds better constants of a program by letting it play against itself: simultaneous
// perturbation stochastic approximation (J. C. Spall, "Multivariate Stochastic Approximation Using
// a Simultaneous Perturbation Gradient Approximation", 1992), as chess programs use it. Each
// iteration moves all constants a little in random directions and plays a few games between
// the two opposite displacements; the score says which way is up. It needs no more games for
// three constants than for one.
package tune

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"

	"dojo.example/internal/bounded"
	"dojo.example/internal/detmath"
	"dojo.example/internal/journal"
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

// A Plan says what is tuned and how. It is the first line of a file, whose other lines are Steps.
type Plan struct {
	Player     string     `json:"player"` // whose constants are tuned
	Model      string     `json:"model"`  // its hash
	Budget     string     `json:"budget"` // of a move
	Openings   int        `json:"openings"`
	Games      int        `json:"games"` // of an iteration
	Iterations int        `json:"iterations"`
	Seed       uint64     `json:"seed"`
	Constants  []Constant `json:"constants"` // each begins between its bounds
}

// Play plays the games of an iteration between players with the constants a and b, and returns the
// share of points that a wins.
type Play func(ctx context.Context, iteration int, a, b []float64) (score float64, err error)

// A Step is an iteration that was played.
type Step struct {
	Iteration int       `json:"iteration"`
	A         []float64 `json:"a"`      // the constants of one player
	B         []float64 `json:"b"`      // and of the other
	Score     float64   `json:"score"`  // of A
	Values    []float64 `json:"values"` // the constants after it
}

// A Tuning is how far a plan has come. It follows from the plan and the scores so far, which a file
// keeps.
type Tuning struct {
	plan   Plan
	file   journal.Journal
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

// Open goes on with the tuning in the file at path, which need not exist yet; with "" there is no
// file. A file of another plan is an error.
func Open(path string, plan Plan) (*Tuning, error) {
	n := len(plan.Constants)
	t := &Tuning{plan: plan, file: journal.Journal{Path: path}, rng: rand.New(rand.NewPCG(plan.Seed, 0)), sum: make([]float64, n), signs: make([]float64, n)}
	for _, c := range plan.Constants {
		t.at = append(t.at, c.unit(c.Start))
	}
	begun := false // the file has the plan
	err := t.file.Read(func(line []byte) error {
		if begun {
			return t.readStep(line)
		}
		var was Plan
		if err := bounded.Unmarshal(line, &was); err != nil {
			return err
		}
		if begun = reflect.DeepEqual(was, plan); !begun {
			return fmt.Errorf("it is of another tuning: of %s with %s a move, %d iterations of %d games, openings of %d actions, seed %d; choose another file",
				bounded.Quote(was.Player), bounded.Clip(was.Budget), was.Iterations, was.Games, was.Openings, was.Seed)
		}
		return nil
	})
	if !begun && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		err = t.file.Append(plan)
	}
	return t, err
}

// readStep goes on with a step of the file.
func (t *Tuning) readStep(line []byte) error {
	var x Step
	if err := bounded.Unmarshal(line, &x); err != nil {
		return err
	}
	if a, b := t.next(); x.Iteration != t.done || !slices.Equal(a, x.A) || !slices.Equal(b, x.B) {
		return errors.New("the iteration is of another tuning")
	}
	t.learn(x.Score)
	return nil
}

// Done is the number of iterations so far.
func (t *Tuning) Done() int { return t.done }

// next draws the players of the next iteration.
func (t *Tuning) next() (a, b []float64) {
	t.spread = spread * detmath.Pow(float64(t.done+1), -spreadPower)
	for i, c := range t.plan.Constants {
		t.signs[i] = 1 - 2*float64(t.rng.IntN(2))
		a = append(a, c.value(min(1, max(0, t.at[i]+float64(t.signs[i]*t.spread)))))
		b = append(b, c.value(min(1, max(0, t.at[i]-float64(t.signs[i]*t.spread)))))
	}
	return a, b
}

// learn moves the constants by the score of a.
func (t *Tuning) learn(score float64) {
	n := float64(t.plan.Iterations)
	step := gain * detmath.Pow((1+n/10)/(float64(t.done)+1+n/10), gainPower) * (2*score - 1)
	for i := range t.at {
		t.at[i] = min(1, max(0, t.at[i]+float64(step*t.signs[i])))
		if 2*t.done >= t.plan.Iterations {
			t.sum[i] += t.at[i]
		}
	}
	t.done++
}

// Values returns the constants so far: the mean over the second half of all iterations, or,
// before that half begins, the present ones.
func (t *Tuning) Values() (values []float64) {
	late := t.done - (t.plan.Iterations+1)/2
	for i, c := range t.plan.Constants {
		u := t.at[i]
		if late > 0 {
			u = t.sum[i] / float64(late)
		}
		values = append(values, c.value(u))
	}
	return values
}

// Run plays the iterations that are left, and calls each after every one.
func (t *Tuning) Run(ctx context.Context, play Play, each func()) error {
	for t.done < t.plan.Iterations {
		x := Step{Iteration: t.done}
		x.A, x.B = t.next()
		var err error
		if x.Score, err = play(ctx, x.Iteration, x.A, x.B); err != nil {
			return fmt.Errorf("iteration %d: %w", x.Iteration, err)
		}
		t.learn(x.Score)
		x.Values = t.Values()
		if err := t.file.Append(x); err != nil {
			return err
		}
		each()
	}
	return nil
}
