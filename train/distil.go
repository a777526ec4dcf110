package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/graph"
)

// Distillation trains a network, the student, to give the same outputs as a trained network, the
// teacher (Hinton et al. 2015). Student and teacher can be of either kind of network. The student
// learns from random positions. To generate one, the program takes a position of a played game (a
// root) and plays a few random actions. Such positions are similar to those that a search visits
// besides the played positions. The training targets are the teacher's policy and value, not the
// outcome of a game. Hardly any position occurs twice, so the student does not overfit. Only the
// roots and one batch are in memory.
type Distillation struct {
	Teacher *model.Checkpoint
	Game    engine.Game
	// Network of the student; it must come from Network.For, so that it fits the game.
	Network model.Network
	Roots   Roots

	Positions int     // number of positions from which the student learns
	Wander    int     // largest number of random actions from a root to a position
	Rate      float32 // learning rate at the beginning; it falls to 0 along a cosine
	Optimiser graph.Config
	Seed      uint64
	Workers   int    // number of goroutines; it does not change the result
	Version   string // version of the program, for the student's metadata

	// State is the path of a file for an unfinished distillation, or "" for none. Run saves its
	// state in this file from time to time, and when its context ends. If the file exists, Run
	// continues from it. When the student has been saved, the caller removes the file.
	State string

	// Progress is called after each optimiser step; total is the number of all steps. It may be
	// nil.
	Progress func(done, total int, note string)
}

// DefaultDistillation returns settings for a sparse student. The caller must set Teacher, Game and
// Roots, and must fit Network to the game. With the default number of positions, a student for
// Onitama takes a few minutes. Small games need fewer positions.
func DefaultDistillation() Distillation {
	d := Distillation{Network: model.Network{Body: model.DefaultSparse()}, Positions: 4_000_000, Wander: 3, Rate: 0.002, Optimiser: graph.Default(), Seed: 1}
	d.Optimiser.WeightDecay, d.Optimiser.Batch = 1e-4, 1024
	return d
}

// steps returns the number of optimiser steps.
func (d *Distillation) steps() int {
	return int(math.Ceil(float64(d.Positions) / float64(d.Optimiser.Batch)))
}

// Run trains the student and returns it. The same settings always give the same student, even if
// the training was interrupted.
func (d Distillation) Run(ctx context.Context) (student *model.Checkpoint, err error) {
	defer func() {
		if err != nil {
			student, err = nil, fmt.Errorf("distil: %w", err)
		}
	}()
	if len(d.Roots.Positions) == 0 {
		return nil, errors.New("there are no positions to learn from")
	}
	student = model.NewCheckpoint(d.meta(), d.Network, rand.New(rand.NewPCG(d.Seed, streamInit)))
	team := parallel.NewTeam(d.Workers)
	defer team.Close()
	trainer, err := graph.New(student.Network, d.Optimiser, team)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(trainer.SetWeights(student), d.restore(trainer)); err != nil {
		return nil, err
	}
	l, err := d.lessons(team)
	if err != nil {
		return nil, err
	}
	if err := d.learn(ctx, trainer, l); err != nil {
		return nil, err
	}
	picks, err := l.draw(ctx, d.steps(), max(calibrationSamples, d.Optimiser.Batch))
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, p := range picks {
		samples = append(samples, p.sample)
	}
	return student, take(student, trainer, samples)
}

// meta returns the student's metadata, which include where the student comes from.
func (d *Distillation) meta() model.Meta {
	return model.Meta{
		Game: d.Game.Name, SpecVersion: d.Game.Version, Name: "student", Parent: d.Teacher.Name,
		Seed: d.Seed, ProgramVersion: d.Version, Search: d.Teacher.Search, Players: d.Teacher.Players,
		Origin: fmt.Sprintf("distilled from model %s, hash %s, on %d positions up to %d random actions away from %s",
			d.Teacher.Name, d.Teacher.Hash(), d.steps()*d.Optimiser.Batch, d.Wander, d.Roots.From),
	}
}

// A state file stores the identity of its distillation under the metadata key identityKey.
const identityKey = "distillation"

// identity returns a hash of everything that affects what the student learns, as 16 hexadecimal
// digits.
func (d *Distillation) identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %+v %v %d %d %d %s", d.Game.Name, d.Network.Identity(), d.Teacher.Hash(), d.Optimiser, d.Rate, d.Positions, d.Wander, d.Seed, d.Roots.Identity)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// restore loads the trainer's state from the file d.State, if this file exists.
func (d *Distillation) restore(t *graph.Trainer) error {
	if d.State == "" {
		return nil
	}
	meta, err := t.Restore(d.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && meta[identityKey] != d.identity() {
		err = errors.New("it belongs to another distillation")
	}
	if err != nil {
		return fmt.Errorf("continue from %s: %w; remove it to start again", d.State, err)
	}
	return nil
}

// Forget removes the file d.State, if it exists.
func (d *Distillation) Forget() error {
	if err := os.Remove(d.State); err != nil && d.State != "" && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// learn runs the remaining optimiser steps.
func (d *Distillation) learn(ctx context.Context, t *graph.Trainer, l *lessons) error {
	// The state is saved this many times in all, so a killed process loses at most 1/saves of the
	// work.
	const saves = 20
	total := d.steps()
	save := func() error {
		if d.State == "" {
			return nil
		}
		return t.Save(d.State, map[string]string{identityKey: d.identity()})
	}
	if err := save(); err != nil { // saves before any work is done, so that an error shows immediately
		return err
	}
	b := graph.NewBatch(d.Network, d.Optimiser.Batch)
	for i := t.StepCount(); i < total; i++ {
		err := l.fill(ctx, b, i)
		if err := cmp.Or(context.Cause(ctx), err); err != nil {
			return errors.Join(err, save())
		}
		losses, err := t.Step(b, d.Rate*float32(1+detmath.Cos(math.Pi*float64(i)/float64(total)))/2)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if d.Progress != nil {
			d.Progress(i+1, total, fmt.Sprintf("policy %.3f value %.3f", losses.Heads["policy"], losses.Heads["value"]))
		}
		if (i+1)%max(1, total/saves) == 0 && i+1 < total {
			if err := save(); err != nil {
				return err
			}
		}
	}
	return nil
}

// lessons generates the samples from which a student learns.
type lessons struct {
	*Distillation
	sampler *sampler     // writes the generated samples into a batch
	parts   [chunks]part // the parts of a batch, which are generated in parallel
}

// A part generates the samples for one part of a batch.
type part struct {
	asked *model.Batch // positions that were sent to the teacher, with its answers
	rows  *sampleRows
	picks []pick
}

func (d *Distillation) lessons(team *parallel.Team) (*lessons, error) {
	teacher, err := d.Teacher.Evaluator(model.Best)
	if err != nil {
		return nil, err
	}
	l := &lessons{Distillation: d, sampler: newSampler(d.Game, d.Network, nil, rand.New(rand.NewPCG(d.Seed, streamFit)), team)}
	for i := range l.parts {
		l.parts[i].asked, l.parts[i].rows = model.NewBatch(teacher), &sampleRows{Input: d.Network.NewInput()}
	}
	return l, nil
}

// fill generates the samples for a step and writes them into the batch b.
func (l *lessons) fill(ctx context.Context, b *graph.Batch, step int) (err error) {
	if l.sampler.picks, err = l.draw(ctx, step, l.Optimiser.Batch); err == nil {
		l.sampler.write(b)
	}
	return err
}

// draw returns n random samples for a step. They are valid until the next call of draw.
func (l *lessons) draw(ctx context.Context, step, n int) (picks []pick, err error) {
	var errs [chunks]error
	l.sampler.team.For(chunks, func(c int) {
		rng := rand.New(rand.NewPCG(l.Seed, streamDistil+uint64(step*chunks+c)))
		errs[c] = l.parts[c].draw(ctx, l, rng, n*(c+1)/chunks-n*c/chunks)
	})
	picks = l.sampler.picks[:0]
	for _, p := range l.parts {
		picks = append(picks, p.picks...)
	}
	return picks, cmp.Or(errs[:]...)
}

// askedAtOnce is the largest number of positions that the teacher evaluates together.
const askedAtOnce = 32

// draw generates n samples and stores them in p.picks.
func (p *part) draw(ctx context.Context, l *lessons, rng *rand.Rand, n int) error {
	p.rows.clear()
	p.picks = p.picks[:0]
	for n > 0 {
		var positions []engine.Position
		var symmetries []int
		for range min(n, askedAtOnce) {
			at, err := l.randomDescendant(rng)
			if err != nil {
				return err
			}
			positions = append(positions, at)
			symmetries = append(symmetries, rng.IntN(1+len(l.Game.Symmetries))-1)
		}
		n -= len(positions)
		if err := p.asked.Ask(ctx, positions...); err != nil {
			return err
		}
		for i, pos := range positions {
			p.picks = append(p.picks, pick{sample{rows: p.rows, row: p.rows.Rows(), value: p.asked.Values[i]}, symmetries[i]})
			p.rows.Append(pos)
			p.rows.policy = append(p.rows.policy, policyOf(p.asked, i)...)
		}
	}
	return nil
}
