package model

import (
	"context"
	"fmt"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

// Net is a checkpoint made ready to play in floats: its weights are packed for the
// kernels. It does not change and is safe for concurrent use.
type Net struct{ program }

var _ Evaluator = (*Net)(nil)

// NewNet packs a checkpoint's weights.
func NewNet(c *Checkpoint) *Net { return newNet(c, c.Architecture()) }

// Leads returns an evaluator like NewNet's whose Values are not values but leads: the points by
// which the network expects the player to move to be ahead at the end of the game. It returns
// nil if the network does not estimate them; see Network.Margin.
func (c *Checkpoint) Leads() Evaluator {
	if c.Margin == 0 {
		return nil
	}
	a := c.Architecture()
	for i, h := range a.Heads {
		a.Heads[i].Plays = h.Target != TargetOutcome
	}
	return newNet(c, a)
}

func newNet(c *Checkpoint, a Architecture) *Net {
	n := &Net{newProgram(a, false)}
	n.name = c.Name
	for i := range n.steps {
		n.steps[i].pack(c)
	}
	return n
}

// tile is the number of boards that go through the network together: few
// enough that their activations stay in the nearest caches.
const tile = 8

// scratch is the memory of a program's buffers, for up to some number of boards.
type scratch struct {
	program *program
	floats  [][]float32
	bytes   [][]uint8

	input *engine.Input // the batch's
	first int           // its row of the first board

	logits []float32 // of all actions, if the program reads planes
	parts  []float32 // of logits: what features of actions add
}

// scratch allocates the buffers, except those that are part of the batch.
func (p *program) scratch(boards int) *scratch {
	s := &scratch{program: p}
	if !p.lists {
		s.logits = make([]float32, boards*p.actions)
	}
	for _, size := range p.floats {
		s.floats = append(s.floats, make([]float32, boards*size))
	}
	for _, size := range p.bytes {
		s.bytes = append(s.bytes, make([]uint8, boards*size))
	}
	return s
}

// Evaluate runs the network; see Evaluator. It allocates memory on the first call
// with a batch, and none on later ones, except in 8 bits with portable kernels.
func (p *program) Evaluate(_ context.Context, b *Batch) (err error) {
	if b.Input.HasPlanes() == p.lists {
		return fmt.Errorf("model %s reads %s, which the batch has not", p.name, map[bool]string{true: "features", false: "planes"}[p.lists])
	}
	defer func() {
		if r := recover(); r != nil {
			if err = p.checkInput(&b.Input); err == nil {
				panic(r)
			}
		}
	}()
	s, ok := b.Scratch.(*scratch)
	if !ok || s.program != p {
		s = p.scratch(tile)
		b.Scratch = s
	}
	rows := b.Input.Rows()
	for from := 0; from < rows; from += tile {
		to := min(rows, from+tile)
		p.bind(s, b, from, to)
		s.floats[valuesBuffer] = b.Values[from:to]
		p.roundPlanes(s)
		for i := range p.steps {
			p.steps[i].run(s, to-from)
		}
		p.choose(s, b, from, to)
		values := b.Values[from:to]
		for i, v := range values {
			if values[i] = v * p.unit; p.unit == 0 {
				values[i] = float32(detmath.Tanh(float64(v)))
			}
		}
	}
	return b.checkFinite(p.name)
}

// checkInput returns an error if the network lacks a feature or an action of the input.
// It is called where a kernel was given a row that its matrix does not have, so that
// what is in order is not checked twice.
func (p *program) checkInput(in *engine.Input) error {
	spec := engine.Spec{Name: "the game", Features: p.planes.C, ActiveFeatures: p.active, Actions: p.actions, ActionFeatures: p.actionFeatures}
	if err := in.Check(spec, 0); err != nil {
		return fmt.Errorf("model %s: %w", p.name, err)
	}
	return nil
}

// bind makes the rows from ≤ row < to of a batch the input of the scratch, and their
// logits its output.
func (p *program) bind(s *scratch, b *Batch, from, to int) {
	if p.lists {
		s.input, s.first = &b.Input, from
		first, end := b.Input.LegalRange(from, to)
		s.floats[logitsBuffer] = b.Logits[first:end]
		return
	}
	size := p.planes.Size()
	s.floats[planesBuffer] = b.Input.Planes[from*size : to*size]
	s.floats[logitsBuffer] = s.logits[:(to-from)*p.actions]
}

// choose copies the logits of the legal actions to the batch, if the network has computed
// those of all actions.
func (p *program) choose(s *scratch, b *Batch, from, to int) {
	if p.lists {
		return
	}
	for i := range to - from {
		all := s.logits[i*p.actions : (i+1)*p.actions]
		first, end := b.Input.LegalRange(from+i, from+i+1)
		for k, a := range b.Input.Legal[first:end] {
			b.Logits[first+k] = all[a]
		}
	}
}

// newInput returns an Input without rows as the program reads it.
func (p *program) newInput(spec engine.Spec) engine.Input {
	if p.lists {
		return engine.FeatureInput(spec.Planes, p.perAction)
	}
	return engine.PlaneInput(spec.Planes)
}
