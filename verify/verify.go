// Package verify computes parts of a run a second time and compares them with what the run's
// folder holds. Everything in a run but times follows from its configuration and seed, so
// anybody who has the folder can check it, on any machine.
//
// [Run] checks three things. The chain: the record of each generation has the seal of the
// record before it and the hash of its listing, which has the hashes of the generation's
// shards, model and gate (see run.Folder.Listing). A sample: some shards of self-play and some
// gates, drawn at random, are played again by the models that the chain names. The training:
// all generations are trained again from the shards.
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"dojo.example/configs"
	"dojo.example/run"
	"dojo.example/train"
)

// Options says how much is computed again.
type Options struct {
	Share    float64 // of the shards, and of the gates: above 0, at most 1
	Training bool    // train all generations again
	Until    int     // if not 0, check only this many generations, the first ones
	Seed     uint64  // draws the shards and gates
	Workers  int     // number of goroutines
	Report   train.Reporter
}

// A Result says what was compared, and what was found.
type Result struct {
	Run         string `json:"run"`
	Game        string `json:"game"`
	Seed        uint64 `json:"seed"` // of the run
	Generations int    `json:"generations"`
	Best        string `json:"best"`
	Seal        string `json:"seal"`  // of the last generation's record
	Files       int    `json:"files"` // that are as they were listed
	Gone        int    `json:"gone"`  // files that were listed and are not there

	Drawn  uint64 `json:"drawn"` // Options.Seed
	Shards Sample `json:"shards"`
	Gates  Sample `json:"gates"`

	Trained   int    `json:"trained"`             // generations that were trained again
	Untrained string `json:"untrained,omitempty"` // why that was not all

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
	folder run.Folder
	frozen configs.Frozen
	opt    Options
	done   []train.Metrics
	listed []map[string]string // by generation: the hashes of its files

	unlisted int // files that a listing should have and has not
	Result
}

// Run verifies a run. The error says why that was not possible; what is wrong with the run is
// in the Result.
func Run(ctx context.Context, folder run.Folder, opt Options) (Result, error) {
	c, err := open(folder, opt)
	if err != nil {
		return Result{}, fmt.Errorf("verify %s: %w", folder, err)
	}
	for _, step := range []func(context.Context) error{c.chain, c.sample, c.train} {
		if err := step(ctx); err != nil {
			return c.Result, fmt.Errorf("verify %s: %w", folder, err)
		}
	}
	return c.Result, nil
}

// open reads the configuration and the records of a run. Reading checks the seals.
func open(folder run.Folder, opt Options) (c *check, err error) {
	c = &check{folder: folder, opt: opt}
	if c.frozen, err = configs.Thaw(folder); err != nil {
		return nil, err
	}
	if c.done, err = train.ReadMetrics(folder); err != nil {
		return nil, err
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
		Best: last.Best, Seal: last.Seal, Drawn: opt.Seed, Faults: []string{},
	}
	return c, nil
}

func (c *check) fault(format string, args ...any) {
	c.Faults = append(c.Faults, fmt.Sprintf(format, args...))
}

// chain compares the files with the listings that the records have the hashes of.
func (c *check) chain(context.Context) error {
	for g, m := range c.done {
		files, err := c.folder.Listed(g, m.Files)
		if err != nil {
			return err
		}
		differ, gone, err := c.folder.Compare(files)
		if err != nil {
			return err
		}
		for _, name := range c.lacks(g, files) {
			c.fault("generation %d does not list %s", g, name)
			c.unlisted++
		}
		for _, name := range differ {
			c.fault("%s is not the file that generation %d lists", name, g)
		}
		c.Files += len(files) - len(differ) - len(gone)
		c.Gone += len(gone)
		c.listed = append(c.listed, files)
	}
	return nil
}

// lacks returns what the listing of generation g should have and has not.
func (c *check) lacks(g int, files map[string]string) (names []string) {
	want := []string{c.folder.Model(run.ModelName(g)), c.folder.Gate(g)}
	for shard := range c.frozen.Config.Selfplay.Shards() {
		want = append(want, c.folder.Shard(g, shard))
	}
	for _, file := range want {
		if name := c.name(file); files[name] == "" {
			names = append(names, name)
		}
	}
	return names
}

// sample plays shards and gates again that are drawn at random.
func (c *check) sample(ctx context.Context) error {
	shards := c.frozen.Config.Selfplay.Shards()
	c.Shards.Of, c.Gates.Of = len(c.done)*shards, len(c.done)
	drawn := map[int][]int{} // by generation
	for _, n := range draw(c.opt.Seed, 0, c.Shards.Of, c.opt.Share) {
		drawn[n/shards] = append(drawn[n/shards], n%shards)
	}
	gates := map[int]bool{}
	for _, g := range draw(c.opt.Seed, 1, c.Gates.Of, c.opt.Share) {
		gates[g] = true
	}
	return c.beside([]string{"samples", "models"}, func(r *train.Run, scratch run.Folder) error {
		for g := range c.done {
			if err := c.replay(ctx, r, g, drawn[g]); err != nil {
				return fmt.Errorf("play generation %d again: %w", g, err)
			}
			if !gates[g] {
				continue
			}
			best, err := r.Regate(ctx, g)
			if err != nil {
				return fmt.Errorf("generation %d: %w", g, err)
			}
			c.Gates.Checked++
			if err := c.compareGate(g, best, scratch); err != nil {
				return err
			}
		}
		return nil
	})
}

// replay plays shards of generation g again and compares them.
func (c *check) replay(ctx context.Context, r *train.Run, g int, shards []int) error {
	return r.Replay(ctx, g, c.done[g].Program, shards, func(shard int, content []byte) {
		c.Shards.Checked++
		if name := c.name(c.folder.Shard(g, shard)); run.TextHash(content) != c.listed[g][name] {
			c.Shards.Wrong++
			c.fault("%s is not what model %s plays", name, c.done[g].Player)
		}
	})
}

// compareGate compares a gate that was played again, in the folder scratch, with the run's.
func (c *check) compareGate(g int, best string, scratch run.Folder) error {
	hash, err := run.FileHash(scratch.Gate(g))
	if err != nil {
		return err
	}
	if name := c.name(c.folder.Gate(g)); hash != c.listed[g][name] || best != c.done[g].Best {
		c.Gates.Wrong++
		c.fault("%s is not the match of generation %d, after which model %s is the best", name, g, best)
	}
	return nil
}

// train trains all generations again and compares their models.
func (c *check) train(ctx context.Context) error {
	config, err := run.FileHash(c.folder.ConfigPath())
	if err != nil {
		return err
	}
	switch {
	case !c.opt.Training:
		c.Untrained = "not asked for"
		return nil
	case c.done[0].Config != config:
		c.Untrained = "run.yaml was written anew since (dojo train --generations)"
		return nil
	case c.unlisted > 0:
		c.Untrained = "files that it needs are not listed"
		return nil
	case c.Gone > 0:
		c.Untrained = "files that it needs are gone (data.keep)"
		return nil
	}
	return c.beside([]string{"samples"}, func(r *train.Run, scratch run.Folder) error {
		for g := range c.done {
			if err := r.Refit(ctx, g, c.done[g].Program); err != nil {
				return fmt.Errorf("train generation %d again: %w", g, err)
			}
			hash, err := run.FileHash(scratch.Model(run.ModelName(g)))
			if err != nil {
				return err
			}
			if name := c.name(c.folder.Model(run.ModelName(g))); hash != c.listed[g][name] {
				c.fault("%s is not what training gives; later models were not trained again", name)
				c.Untrained = "a model differs"
				return nil
			}
			c.Trained++
		}
		return nil
	})
}

// name is the name of a file of the run in a listing.
func (c *check) name(file string) string {
	name, err := filepath.Rel(string(c.folder), file)
	if err != nil {
		panic(fmt.Sprintf("verify: %s is not in %s", file, c.folder)) // the folder made the path
	}
	return filepath.ToSlash(name)
}

// draw draws a share of the numbers below n, at least one.
func draw(seed, stream uint64, n int, share float64) []int {
	rng := rand.New(rand.NewPCG(seed, stream))
	return rng.Perm(n)[:min(n, int(math.Ceil(share*float64(n))))]
}
