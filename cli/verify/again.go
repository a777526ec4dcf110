package verify

import (
	"context"
	"fmt"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/train"
)

// sample replays the shards and gate matches that draw chose at random, and compares the results
// with the run.
func (c *check) sample(ctx context.Context) error {
	return c.beside([]string{"samples", "models"}, func(r *train.Run, scratch rundir.Folder) error {
		for g := range c.done {
			if err := c.replay(ctx, r, g); err != nil {
				return fmt.Errorf("playing generation %d again: %w", g, err)
			}
			if !c.gates[g] {
				continue
			}
			if err := c.regate(ctx, r, g, scratch); err != nil {
				return fmt.Errorf("generation %d: %w", g, err)
			}
			if err := c.remeet(ctx, r, g); err != nil {
				return fmt.Errorf("generation %d: %w", g, err)
			}
		}
		return nil
	})
}

// replay replays those shards of generation g that draw chose at random, and compares the results
// with the run.
func (c *check) replay(ctx context.Context, r *train.Run, g int) error {
	if len(c.shards[g]) == 0 {
		return nil
	}
	if why := c.unusable(g, c.modelName(c.done[g].Player)); why != "" {
		c.unchecked("%d shards of generation %d: %s", len(c.shards[g]), g, why)
		return nil
	}
	return r.Replay(ctx, g, c.done[g].Program, c.shards[g], func(shard int, content []byte) {
		c.Shards.Checked++
		if name := c.name(c.folder.Shard(g, shard)); rundir.TextHash(content) != c.listed[g][name] {
			c.Shards.Wrong++
			c.fault("%s differs from the games that model %s plays", name, c.done[g].Player)
		}
	})
}

// regate replays the gate match of generation g, which decided whether its model replaced the best
// one, and compares the result with the run.
func (c *check) regate(ctx context.Context, r *train.Run, g int, scratch rundir.Folder) error {
	before := c.frozen.Start
	if before != "" {
		before = rundir.StartModel
	}
	if g > 0 {
		before = c.done[g-1].Best
	}
	if why := c.unusable(g, c.modelName(rundir.ModelName(g)), c.modelName(before)); why != "" {
		c.unchecked("the gate of generation %d: %s", g, why)
		return nil
	}
	again, err := r.Regate(ctx, g)
	if err != nil {
		return err
	}
	hash, err := rundir.FileHash(scratch.Gate(g))
	if err != nil {
		return err
	}
	c.Gates.Checked++
	name, wrong := c.name(c.folder.Gate(g)), false
	if hash != c.listed[g][name] || again.Best != c.done[g].Best {
		c.fault("%s differs from the gate of generation %d when it is played again, after which model %s is the best", name, g, again.Best)
		wrong = true
	}
	if c.figures(g, again, "its gate") || wrong {
		c.Gates.Wrong++
	}
	return nil
}

// figures compares the record of generation g with again, a copy of the record in which the named
// part was recomputed. If they differ, it adds a fault and returns true.
func (c *check) figures(g int, again train.Metrics, part string) (wrong bool) {
	differences := compare(c.done[g], again)
	if len(differences) == 0 {
		return false
	}
	const most = 4
	if n := len(differences) - most; n > 0 {
		differences = append(differences[:most], fmt.Sprintf("and %d more", n))
	}
	c.fault("the record of generation %d differs from the results of %s: %s", g, part, strings.Join(differences, ", "))
	return true
}

// train retrains the models of all generations. It compares the models with the run's files, and
// the figures of training with the records.
func (c *check) train(ctx context.Context) error {
	current, err := c.current(0)
	if err != nil {
		return err
	}
	switch {
	case !c.opt.Training:
		c.Untrained = "turned off by --training=false"
		return nil
	case !current:
		c.Untrained = "run.yaml has changed since the first generation (dojo train --generations)"
		return nil
	}
	return c.beside([]string{"samples"}, func(r *train.Run, scratch rundir.Folder) error {
		for g := range c.done {
			needs := c.shardsOf(g)
			if c.frozen.Start != "" {
				needs = append(needs, c.modelName(rundir.StartModel))
			}
			if c.Untrained = c.unusable(g, needs...); c.Untrained != "" {
				if g < c.first {
					c.Untrained += " (data.keep)"
				}
				return nil
			}
			again, err := r.Refit(ctx, g)
			if err != nil {
				return fmt.Errorf("training generation %d again: %w", g, err)
			}
			hash, err := rundir.FileHash(scratch.Model(rundir.ModelName(g)))
			if err != nil {
				return err
			}
			if name := c.modelName(rundir.ModelName(g)); hash != c.listed[g][name] {
				c.fault("%s differs from the model that training gives; later models were not trained again", name)
				c.Untrained = "a model differs"
				return nil
			}
			c.Trained++
			c.figures(g, again, "training")
		}
		return nil
	})
}

// current reports whether generation g was made with the same run.yaml that the run has now.
func (c *check) current(g int) (bool, error) {
	config, err := rundir.FileHash(c.folder.ConfigPath())
	return c.done[g].Config == config, err
}
