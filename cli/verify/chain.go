package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"path"
	"path/filepath"
	"slices"

	"dojo.example/data/rundir"
)

// draw picks at random the shards and the gate matches to replay.
func (c *check) draw() {
	perGeneration := c.frozen.Config.Selfplay.Shards()
	c.Shards.Of, c.Gates.Of = len(c.done)*perGeneration, len(c.done)
	c.shards, c.gates = map[int][]int{}, map[int]bool{}
	for _, n := range drawn(c.opt.Seed, 0, c.Shards.Of, c.opt.Share) {
		c.shards[n/perGeneration] = append(c.shards[n/perGeneration], n%perGeneration)
	}
	for _, g := range drawn(c.opt.Seed, 1, c.Gates.Of, c.opt.Share) {
		c.gates[g] = true
	}
}

// drawn picks at random a share of the n numbers 0 to n-1: share·n of them, rounded up.
func drawn(seed, stream uint64, n int, share float64) []int {
	rng := rand.New(rand.NewPCG(seed, stream))
	return rng.Perm(n)[:min(n, int(math.Ceil(share*float64(n))))]
}

// chain checks the run's files against the hashes in the listings, and the listings against the
// hashes in the records.
func (c *check) chain() error {
	for g, m := range c.done {
		files, err := c.folder.Listed(g, m.Files)
		if unreadable := (*fs.PathError)(nil); errors.As(err, &unreadable) {
			c.missing(c.name(c.folder.Listing(g)), unreadable)
			c.listed = append(c.listed, nil)
			continue
		}
		if err != nil {
			return err
		}
		c.listed = append(c.listed, files)
		for _, name := range c.lacks(g) {
			c.fault("generation %d does not list %s", g, name)
			c.lost[name] = "is not listed"
		}
		differ, unreadable := c.folder.Compare(files)
		for _, name := range differ {
			c.fault("%s differs from the file that generation %d lists", name, g)
			c.lost[name] = "differs"
		}
		for _, name := range slices.Sorted(maps.Keys(unreadable)) {
			c.lost[name] = "is missing"
			c.Gone++
			if c.selects(g, name) {
				c.missing(name, unreadable[name])
			}
		}
		c.Files += len(files) - len(differ) - len(unreadable)
	}
	return c.next()
}

// next records the first missing shard without which the run cannot go on. A copy that was made
// while the run dropped old shards may lack it.
func (c *check) next() error {
	o, err := c.frozen.Options(c.folder)
	if err != nil || c.opt.Until > 0 || len(c.done) >= o.Train.Generations {
		return err
	}
	path, err := o.MissingSamples(len(c.done))
	if path != "" {
		c.Missing = append(c.Missing, c.name(path)+": the next generation cannot be trained without it")
	}
	return err
}

// missing records that a selected file cannot be read.
func (c *check) missing(name string, err error) {
	reason := err.Error()
	// Leave out the path in the error, because name already gives it.
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		reason = of.Err.Error()
	}
	c.Missing = append(c.Missing, name+": "+reason)
}

// selects reports whether the file called name, in the listing of generation g, must be checked.
// All files must be, except two kinds of shards: those that were not picked at random, and those
// that the setting data.keep has removed.
func (c *check) selects(g int, name string) bool {
	if path.Dir(name) != c.name(c.folder.Samples(g)) {
		return true
	}
	return g >= c.first && slices.ContainsFunc(c.shards[g], func(n int) bool { return name == c.name(c.folder.Shard(g, n)) })
}

// lacks returns the names of the files that should be in the listing of generation g but are not.
func (c *check) lacks(g int) (names []string) {
	want := append(c.shardsOf(g), c.name(c.folder.Model(rundir.ModelName(g))), c.name(c.folder.Gate(g)))
	return slices.DeleteFunc(want, func(name string) bool { return c.listed[g][name] != "" })
}

// shardsOf returns the names of all shards of generation g.
func (c *check) shardsOf(g int) (names []string) {
	for shard := range c.frozen.Config.Selfplay.Shards() {
		names = append(names, c.name(c.folder.Shard(g, shard)))
	}
	return names
}

// unusable returns the reason why generation g cannot be checked, or "" if it can. Either the
// generation has no listing, or one of files, which the check needs, is missing or wrong.
func (c *check) unusable(g int, files ...string) string {
	if c.listed[g] == nil {
		return c.name(c.folder.Listing(g)) + " is missing"
	}
	for _, name := range files {
		if why := c.lost[name]; why != "" {
			return name + " " + why
		}
	}
	return ""
}

// modelName returns a model's file name in a listing, or "" for model.NoModel.
func (c *check) modelName(name string) string {
	if !rundir.IsModelName(name) {
		return ""
	}
	return c.name(c.folder.Model(name))
}

// name returns the name of a file in a listing: its path relative to the run's folder.
func (c *check) name(file string) string {
	name, err := filepath.Rel(string(c.folder), file)
	if err != nil {
		panic(fmt.Sprintf("verify: %s is not in %s", file, c.folder)) // impossible: all paths come from the folder
	}
	return filepath.ToSlash(name)
}
