// Package tune finds better constants of a program by letting it play against itself. It implements
// simultaneous perturbation stochastic approximation (J. C. Spall, "Multivariate Stochastic
// Approximation Using a Simultaneous Perturbation Gradient Approximation", 1992), which chess
// programs use too. Each iteration moves all constants a little in random directions, and plays a
// few games against a copy of the program whose constants are moved in the opposite directions. The
// score shows which directions are better. Tuning three constants needs no more games than tuning
// one.
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

// A Constant is a number to tune.
type Constant struct {
	Name             string
	Start, Low, High float64
	Log              bool // if set, steps multiply instead of adding; requires Low > 0
}

// unit maps x from the range Low to High onto the range 0 to 1. The mapping is linear, or
// logarithmic if Log is set.
func (c Constant) unit(x float64) float64 {
	if c.Log {
		return detmath.Log(x/c.Low) / detmath.Log(c.High/c.Low)
	}
	return (x - c.Low) / (c.High - c.Low)
}

// value is the inverse of unit. It rounds to three significant digits, to keep players' names
// short.
func (c Constant) value(u float64) float64 {
	x := c.Low + float64(u*(c.High-c.Low))
	if c.Log {
		x = c.Low * detmath.Exp(u*detmath.Log(c.High/c.Low))
	}
	x = min(c.High, max(c.Low, x))
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64) // cannot fail
	return x
}

// A Plan specifies what to tune and how. It is the first line of a tuning's file; the other lines
// are Steps.
type Plan struct {
	Player     string     `json:"player"`   // name of the player whose constants are tuned
	Model      string     `json:"model"`    // hash of the player's model
	Budget     string     `json:"budget"`   // limit per move, such as :64 or @42ms
	Openings   int        `json:"openings"` // number of random actions in an opening
	Games      int        `json:"games"`    // number of games per iteration
	Iterations int        `json:"iterations"`
	Seed       uint64     `json:"seed"`
	Constants  []Constant `json:"constants"` // for each, Low <= Start <= High
}

// Play plays the games of one iteration between a player with the constants a and a player with the
// constants b. It returns the share of points that the first player wins.
type Play func(ctx context.Context, iteration int, a, b []float64) (score float64, err error)

// A Step is an iteration that has been played.
type Step struct {
	Iteration int       `json:"iteration"`
	A         []float64 `json:"a"`      // constants of the first player
	B         []float64 `json:"b"`      // constants of the second player
	Score     float64   `json:"score"`  // share of points that the first player won
	Values    []float64 `json:"values"` // constants after this iteration
}

// A Tuning is the state of a tuning. The file stores only the plan and the scores so far, because
// the state can be computed from them.
type Tuning struct {
	plan   Plan
	file   journal.Journal
	done   int        // number of iterations so far
	at     []float64  // current constants, scaled to 0..1 by Constant.unit
	sum    []float64  // sum of the values of at over the second half of the iterations
	rng    *rand.Rand // generates the random directions
	signs  []float64  // 1 or -1 for each constant: the directions of this iteration
	spread float64    // how far the current iteration moves each constant
}

// The schedule of Spall (1998). For the games of iteration k, each constant is moved temporarily by
// spread/(k+1)^0.101. After the games, each is changed permanently by a step proportional to
// gain/(k+1+A)^0.602, where A is a tenth of the number of iterations. spread and gain are fractions
// of a constant's range.
const (
	spread      = 0.12
	gain        = 0.25
	spreadPower = 0.101
	gainPower   = 0.602
)

// Open continues the tuning in the file at path, or starts a new one. If path is "", the tuning is
// not stored. If the file has another plan, Open returns an error.
func Open(path string, plan Plan) (*Tuning, error) {
	n := len(plan.Constants)
	t := &Tuning{plan: plan, file: journal.Journal{Path: path}, rng: rand.New(rand.NewPCG(plan.Seed, 0)), sum: make([]float64, n), signs: make([]float64, n)}
	for _, c := range plan.Constants {
		t.at = append(t.at, c.unit(c.Start))
	}
	begun := false // whether the plan has been read from the file
	err := t.file.Read(func(line []byte) error {
		if begun {
			return t.readStep(line)
		}
		var was Plan
		if err := bounded.Unmarshal(line, &was); err != nil {
			return err
		}
		if begun = reflect.DeepEqual(was, plan); !begun {
			return fmt.Errorf("the file has another tuning: of %s with %s per move, %d iterations of %d games, openings of %d actions, seed %d; choose another file",
				bounded.Quote(was.Player), bounded.Clip(was.Budget), was.Iterations, was.Games, was.Openings, was.Seed)
		}
		return nil
	})
	if !begun && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		err = t.file.Append(plan)
	}
	return t, err
}

// readStep applies a step read from the file.
func (t *Tuning) readStep(line []byte) error {
	var x Step
	if err := bounded.Unmarshal(line, &x); err != nil {
		return err
	}
	if a, b := t.next(); x.Iteration != t.done || !slices.Equal(a, x.A) || !slices.Equal(b, x.B) {
		return errors.New("the iteration does not follow from the plan and the iterations before it; the file is damaged or was edited")
	}
	t.learn(x.Score)
	return nil
}

// Done returns the number of iterations so far.
func (t *Tuning) Done() int { return t.done }

// next picks random directions for the next iteration and returns the constants of its two players.
func (t *Tuning) next() (a, b []float64) {
	t.spread = spread * detmath.Pow(float64(t.done+1), -spreadPower)
	for i, c := range t.plan.Constants {
		t.signs[i] = 1 - 2*float64(t.rng.IntN(2))
		a = append(a, c.value(min(1, max(0, t.at[i]+float64(t.signs[i]*t.spread)))))
		b = append(b, c.value(min(1, max(0, t.at[i]-float64(t.signs[i]*t.spread)))))
	}
	return a, b
}

// learn changes the constants according to the first player's score in the current iteration.
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

// Values returns the result so far: the mean of the constants over the second half of all
// iterations. In the first half, it returns the current constants.
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

// Run plays the remaining iterations. It calls each after every iteration.
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
