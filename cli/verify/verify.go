// Package verify recomputes parts of a run and compares the results with the files in the run's
// folder. Everything in a run except times and speeds follows from its configuration and seed, so
// anybody who has the folder can check it, on any machine.
//
// [Run] checks three parts:
//
//   - The chain. The record of each generation contains the seal of the record before it and
//     the hash of the generation's listing. The listing contains the hashes of the generation's
//     shards, model and gate (see rundir.Folder.Listing).
//   - A random sample of the games. Run replays some shards and gate matches with the models that
//     the chain names. If it replays a generation's gate match, it also replays the generation's
//     ladder matches.
//   - The training. Run retrains all models from the shards.
//
// Run compares the results with the files and with the figures in the records. If a file that it
// needs is missing, it stops after the chain, unless the caller allows missing files: see
// Result.Missing. Result.Unchecked names everything that could not be checked.
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

// Options are the options of a verification.
type Options struct {
	Share    float64 // share of the shards and gate matches to replay: above 0, at most 1
	Training bool    // retrain all models
	Until    int     // number of generations to check, counted from the first; 0 for all
	Seed     uint64  // seed of the random choice of shards and gate matches
	Missing  bool    // if selected files are missing, check the other files anyway
	Workers  int     // number of goroutines
	Report   train.Reporter
}

// A Result reports what was checked and what is wrong.
type Result struct {
	// Model, Sample and Confidence summarise the result. For a run, Sample counts shards. For a
	// proof, it counts generations, of which the first ones were retrained. Confidence is the
	// probability that the check would have found a false item if there were exactly one.
	Model string `json:"model"` // the name of the best model
	Sample
	Confidence float64 `json:"confidence"`

	Run         string `json:"run"`
	Game        string `json:"game"`
	Seed        uint64 `json:"seed"` // seed of the run
	Generations int    `json:"generations"`
	Best        string `json:"best"`
	Seal        string `json:"seal"`  // seal (hash) of the last record
	Files       int    `json:"files"` // number of files whose hash is the listed one
	Gone        int    `json:"gone"`  // number of listed files that do not exist

	// Missing lists the selected files that cannot be read, with the reasons. Selected are all
	// listings, models and gate matches, and the randomly chosen shards. If the run is not
	// complete, the list may also have the first missing shard without which it cannot go on. Other
	// shards that data.keep has removed do not count as missing. If files are missing and
	// Options.Missing is not set, only the chain was checked.
	Missing []string `json:"missing"`

	Drawn  uint64 `json:"drawn"` // Options.Seed
	Shards Sample `json:"shards"`
	Gates  Sample `json:"gates"`
	Ladder Sample `json:"ladder"` // ladder matches

	Trained   int    `json:"trained"`             // number of generations that were trained again
	Untrained string `json:"untrained,omitempty"` // why some generations were not trained again

	Unchecked []string `json:"unchecked"` // figures and files that were not compared, with the reason

	Faults []string `json:"faults"` // one sentence for each fault; empty if nothing is wrong
}

// A Sample counts how many of some items, such as shards, were recomputed.
type Sample struct {
	Of      int `json:"of"`      // number of items in all
	Checked int `json:"checked"` // number of items computed again
	Wrong   int `json:"wrong"`   // number of checked items that differ
}

// Hidden returns the probability that the check finds none of m false items among the s.Of items,
// if it checks s.Checked items chosen at random.
func (s Sample) Hidden(m int) float64 {
	p := 1.0
	for i := range m {
		p *= math.Max(0, float64(s.Of-s.Checked-i)) / float64(s.Of-i)
	}
	return p
}

// Bound returns the smallest number m for which the following is true: if m items were false, the
// check would have found at least one of them with a probability of 95 %.
func (s Sample) Bound() int {
	m := 1
	for m < s.Of && s.Hidden(m) > 0.05 {
		m++
	}
	return m
}

// A check is a verification in progress.
type check struct {
	folder rundir.Folder
	frozen configs.Frozen
	opt    Options
	done   []train.Metrics
	first  int           // first generation whose shards data.keep has not removed
	shards map[int][]int // for each generation, the shards to replay
	gates  map[int]bool  // the generations whose gate match is replayed
	// listed has, for each generation, the hashes of its files by name. It is nil for a generation
	// without a listing.
	listed []map[string]string
	lost   map[string]string // reasons why files cannot be used, by file name

	Result
}

// Run verifies a run. If something is wrong with the run, Result.Faults lists it. Run returns an
// error only if the run cannot be verified.
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

// open reads the configuration and the records of a run, and checks the seals (the hashes that link
// the records).
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
		return nil, fmt.Errorf("the run has only %d complete generations, not %d", len(c.done), opt.Until)
	}
	if opt.Until > 0 {
		c.done = c.done[:opt.Until]
	}
	if len(c.done) == 0 {
		return nil, errors.New("the run has no complete generation yet")
	}
	for g, m := range c.done {
		if m.Files == "" {
			return nil, fmt.Errorf("the record of generation %d has no hash of its files, because an older version of dojo wrote it; such a run cannot be verified", g)
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

// sumUp adds to Unchecked the figures in the records that were not compared.
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
