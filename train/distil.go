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

// Distillation trains a network, the student, to give the outputs of a trained network, the teacher
// (Hinton et al. 2015). Both kinds of network can be student or teacher. The positions to learn
// from are drawn at random: a few random actions lead from a root, which is a position of a played
// game, to the position. A search also visits such positions next to the played ones. The targets
// are the teacher's policy and value, not the outcome of a game. Hardly any position is drawn
// twice. The student therefore does not overfit, and memory holds only the roots and one batch.
type Distillation struct {
	Teacher *model.Checkpoint
	Game    engine.Game
	Network model.Network // network of the student, fitted to the game by Network.For
	Roots   Roots

	Positions int     // number of positions that the student learns from
	Wander    int     // largest number of random actions from a root to such a position
	Rate      float32 // first learning rate; it falls to 0 along a cosine
	Optimiser graph.Config
	Seed      uint64
	Workers   int    // number of goroutines; it does not change the result
	Version   string // version of the program, for the student's metadata

	// State is the path of a file that stores an unfinished distillation, or "" for none. Run saves
	// its state there when its context ends, and also at intervals before. It continues from an
	// existing file. The caller removes the file once the student is saved.
	State string

	// Progress is called after each of the total steps. It may be nil.
	Progress func(done, total int, note string)
}

// DefaultDistillation returns settings for a sparse student. The caller sets Teacher, Game and
// Roots, and fits Network to the game. Small games need fewer positions. With the default, a
// student of Onitama takes a few minutes.
func DefaultDistillation() Distillation {
	d := Distillation{Network: model.Network{Body: model.DefaultSparse()}, Positions: 4_000_000, Wander: 3, Rate: 0.002, Optimiser: graph.Default(), Seed: 1}
	d.Optimiser.WeightDecay, d.Optimiser.Batch = 1e-4, 1024
	return d
}

// steps is the number of optimiser steps.
func (d *Distillation) steps() int {
	return int(math.Ceil(float64(d.Positions) / float64(d.Optimiser.Batch)))
}

// Run trains and returns the student. The same distillation gives the same student, even if it was
// interrupted.
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

// meta returns the student's metadata, which tell where it comes from.
func (d *Distillation) meta() model.Meta {
	return model.Meta{
		Game: d.Game.Name, SpecVersion: d.Game.Version, Name: "student", Parent: d.Teacher.Name,
		Seed: d.Seed, ProgramVersion: d.Version, Search: d.Teacher.Search, Players: d.Teacher.Players,
		Origin: fmt.Sprintf("distilled from model %s, hash %s, on %d positions up to %d random actions away from %s",
			d.Teacher.Name, d.Teacher.Hash(), d.steps()*d.Optimiser.Batch, d.Wander, d.Roots.From),
	}
}

// identityKey is the metadata key under which a state file stores its distillation's identity.
const identityKey = "distillation"

// identity returns a hash, in 16 hexadecimal digits, of everything that decides what is learnt.
func (d *Distillation) identity() string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s %+v %v %d %d %d %s", d.Game.Name, d.Network.Identity(), d.Teacher.Hash(), d.Optimiser, d.Rate, d.Positions, d.Wander, d.Seed, d.Roots.Identity)
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// restore loads the trainer's state from the file d.State, if the file exists.
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

// learn takes the remaining optimiser steps.
func (d *Distillation) learn(ctx context.Context, t *graph.Trainer, l *lessons) error {
	const saves = 20 // number of saves in all; a process that is killed loses at most 1/saves of the work
	total := d.steps()
	save := func() error {
		if d.State == "" {
			return nil
		}
		return t.Save(d.State, map[string]string{identityKey: d.identity()})
	}
	if err := save(); err != nil { // if the file cannot be written, fail before any work is done
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

// lessons draws the samples that a student learns from.
type lessons struct {
	*Distillation
	sampler *sampler     // writes the samples to a batch
	parts   [chunks]part // the parts of a batch, made in parallel
}

// A part makes the samples of one part of a batch.
type part struct {
	asked *model.Batch // positions sent to the teacher, and its answers
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

// fill fills the batch of a step.
func (l *lessons) fill(ctx context.Context, b *graph.Batch, step int) (err error) {
	if l.sampler.picks, err = l.draw(ctx, step, l.Optimiser.Batch); err == nil {
		l.sampler.write(b)
	}
	return err
}

// draw returns n samples for a step. They are valid until the next call.
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

// draw makes n samples of the part.
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
