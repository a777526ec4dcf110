// Package verify computes parts of a run a second time and compares them with what the run's
// folder holds. Everything in a run but times and speeds follows from its configuration and seed,
// so anybody who has the folder can check it, on any machine.
//
// [Run] checks three things. The chain: the record of each generation has the seal of the
// record before it and the hash of its listing, which has the hashes of the generation's
// shards, model and gate (see rundir.Folder.Listing). A sample: some shards of self-play and some
// gates with the generation's matches of the ladder, drawn at random, are played again by the
// models that the chain names. The training: all generations are trained again from the shards.
// What is computed again is compared with the files and with the figures in the records.
//
// A file that is selected and missing ends the check, unless the caller permits it: see
// Result.Missing. What could not be checked is named: see Result.Unchecked.
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// Options says how much is computed again.
type Options struct {
	Share    float64 // of the shards, and of the gates: above 0, at most 1
	Training bool    // train all generations again
	Until    int     // if not 0, check only this many generations, the first ones
	Seed     uint64  // draws the shards and gates
	Missing  bool    // check the rest if selected files are missing
	Workers  int     // number of goroutines
	Report   train.Reporter
}

// A Result says what was compared, and what was found.
type Result struct {
	// Model, Sample and Confidence are the summary. Of a run the sample is Shards; of a proof it
	// is the generations, of which the first were trained again. Confidence is the probability
	// that the check would have found a single false one.
	Model string `json:"model"` // the name of the best model
	Sample
	Confidence float64 `json:"confidence"`

	Run         string `json:"run"`
	Game        string `json:"game"`
	Seed        uint64 `json:"seed"` // of the run
	Generations int    `json:"generations"`
	Best        string `json:"best"`
	Seal        string `json:"seal"`  // of the last generation's record
	Files       int    `json:"files"` // that are as they were listed
	Gone        int    `json:"gone"`  // files that were listed and are not there

	// Missing names what the options select and nobody can read, with the reason: generations,
	// models, gates and the shards that are drawn. Shards that data.keep has dropped are not
	// missing. Unless Options.Missing is set nothing else was checked then but the chain.
	Missing []string `json:"missing"`

	Drawn  uint64 `json:"drawn"` // Options.Seed
	Shards Sample `json:"shards"`
	Gates  Sample `json:"gates"`
	Ladder Sample `json:"ladder"` // matches of the ladder

	Trained   int    `json:"trained"`             // generations that were trained again
	Untrained string `json:"untrained,omitempty"` // why that was not all

	Unchecked []string `json:"unchecked"` // figures and files that were not compared, with the reason

	Faults []string `json:"faults"` // one sentence each; none in a run that is what it says
}

// A Sample is how many of some things were computed again.
type Sample struct {
	Of      int `json:"of"`
	Checked int `json:"checked"`
	Wrong   int `json:"wrong"`
}

// Hidden returns the probability that a check of this size misses all of m false items.
func (s Sample) Hidden(m int) float64 {
	p := 1.0
	for i := range m {
		p *= math.Max(0, float64(s.Of-s.Checked-i)) / float64(s.Of-i)
	}
	return p
}

// Bound returns the smallest number of false things of which one would have been checked with
// a probability of 95 %.
func (s Sample) Bound() int {
	m := 1
	for m < s.Of && s.Hidden(m) > 0.05 {
		m++
	}
	return m
}

// A check is a verification under way.
type check struct {
	folder rundir.Folder
	frozen configs.Frozen
	opt    Options
	done   []train.Metrics
	first  int                 // the first generation whose shards data.keep has not dropped
	shards map[int][]int       // by generation: the numbers of the shards that are drawn
	gates  map[int]bool        // the generations whose gates are drawn
	listed []map[string]string // by generation: the hashes of its files; nil without a listing
	lost   map[string]string   // by name: why a file of the run cannot be used

	Result
}

// Run verifies a run. The error says why that was not possible; what is wrong with the run is
// in the Result.
func Run(ctx context.Context, folder rundir.Folder, opt Options) (Result, error) {
	c, err := open(folder, opt)
	if err != nil {
		return Result{}, fmt.Errorf("verify %s: %w", folder, err)
	}
	c.draw()
	c.Untrained = "files are missing"
	if err = c.chain(); err == nil && (len(c.Missing) == 0 || opt.Missing) {
		if err = c.sample(ctx); err == nil {
			err = c.train(ctx)
		}
		c.Confidence = 1 - c.Shards.Hidden(1)
	}
	c.Sample = c.Shards
	if err != nil {
		return c.Result, fmt.Errorf("verify %s: %w", folder, err)
	}
	c.sumUp()
	return c.Result, nil
}

// open reads the configuration and the records of a run. Reading checks the seals.
func open(folder rundir.Folder, opt Options) (c *check, err error) {
	c = &check{folder: folder, opt: opt, lost: map[string]string{}}
	if c.frozen, err = configs.Thaw(folder); err != nil {
		return nil, err
	}
	if c.done, err = train.ReadMetrics(folder); err != nil {
		return nil, err
	}
	if keep := c.frozen.Config.Data.Keep; keep > 0 {
		c.first = max(0, len(c.done)-keep)
	}
	if opt.Until > len(c.done) {
		return nil, fmt.Errorf("it has %d generations, not %d", len(c.done), opt.Until)
	}
	if opt.Until > 0 {
		c.done = c.done[:opt.Until]
	}
	if len(c.done) == 0 {
		return nil, errors.New("it has no generation that is complete")
	}
	for g, m := range c.done {
		if m.Files == "" {
			return nil, fmt.Errorf("the record of generation %d has no hash of its files: an older program wrote it", g)
		}
	}
	last := c.done[len(c.done)-1]
	c.Result = Result{
		Run: string(folder), Game: c.frozen.Config.Game, Seed: c.frozen.Config.Seed, Generations: len(c.done),
		Model: last.Best, Best: last.Best, Seal: last.Seal, Drawn: opt.Seed,
		Missing: []string{}, Unchecked: []string{}, Faults: []string{},
	}
	for _, m := range c.done {
		c.Ladder.Of += len(m.Ladder.Meetings)
	}
	return c, nil
}

func (c *check) fault(format string, args ...any) {
	c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
}

func (c *check) unchecked(format string, args ...any) {
	c.Unchecked = append(c.Unchecked, fmt.Sprintf(format, args...))
}

// sumUp names the figures in the records that were not compared.
func (c *check) sumUp() {
	older := 0
	for _, m := range c.done {
		if m.Formulas != train.Formulas {
			older++
		}
	}
	if n := c.Generations - c.Trained; n > 0 {
		c.unchecked("losses and statistics of the games of %d generations", n)
	}
	if n := c.Gates.Of - c.Gates.Checked; n > 0 {
		c.unchecked("gate results of %d generations", n)
	}
	if n := c.Ladder.Of - c.Ladder.Checked; n > 0 {
		c.unchecked("%d matches of the ladder", n)
	}
	if older > 0 {
		c.unchecked("Elo, ladder and validation losses of %d generations, which another version of the program computed", older)
	}
	c.unchecked("times and speeds")
}
