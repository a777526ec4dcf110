// Package graph trains a network. The library Gorgonia builds the graph of a
// network and its losses, differentiates it and runs it; the nodes that take time
// are operations of this package, which call the kernels of package model/kernel,
// forward and backward.
//
// A [Trainer] holds the graph of a [model.Network] for one size of batch, the
// optimiser, which is [AdamW], and a running average of the weights. It takes a
// step for each [Batch], positions with what each head is to learn of them, and
// says what it saw, as [Losses]. All planes, policies and values are seen from the
// side of the player to move. The weights after a step have the same bits for any
// number of workers.
//
// A batch is computed in parts. A worker has a replica of the graph, with the trainer's
// weights, and takes a part forward and backward alone. It waits for the others once a
// step, when the gradients of the parts are added in their order. How a batch is divided
// does not depend on the number of workers.
//
// A network of the sparse kind trains on lists of features and of legal actions. Its first
// layer has a row of weights for every feature, its last one for every action and every
// feature of actions, and a position uses few of them. The gradients of the rows are not added up
// from those of the parts, which would be zeros for the most part: when all parts are done,
// each row is summed over the batch.
package graph

import (
	"errors"
	"fmt"
	"math"

	"dojo.example/engine"
	"dojo.example/internal/parallel"
	"dojo.example/model"
)

// Trainer holds a network in training and takes optimiser steps. One goroutine
// uses it; a step itself uses several.
type Trainer struct {
	network model.Network
	config  Config
	workers int

	layers []*layer
	solver *AdamW
	parts  []*part
	idle   map[int]chan *replica // by number of boards
}

// parts is the number of parts of a batch. It does not depend on the workers, so that sums
// over the batch have one order.
const parts = 8

// A part is some boards of a batch, with what was computed of them in the last step.
type part struct {
	index    int
	from, to int           // its boards
	in       *engine.Input // of the batch
	seen     []seen        // by head
}

// seen is the sums, over the boards of a part, of what a head's loss saw.
type seen struct {
	loss    float64
	entropy float64 // only of a policy
	off     float64 // of the slope of the loss; of a Win |value − target|
}

// Losses is what a step saw before it changed the weights. All but GradNorm are
// means over the batch.
type Losses struct {
	Heads      map[string]float32 // the loss of each head, by name; of an Amount the Huber loss in the head's units, else nats
	Entropy    float32            // of the network's policy over the legal actions, in nats
	ValueError float32            // |value − target|
	GradNorm   float32            // the norm of the whole gradient, before it was bounded
}

// New makes the trainer of a network. Its weights are zero until SetWeights or
// Restore.
func New(n model.Network, c Config, workers int) (*Trainer, error) {
	if err := errors.Join(n.Validate(), c.Validate()); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	t := &Trainer{network: n, config: c, workers: max(1, workers)}
	var params []*parameter
	for _, spec := range n.Architecture().Layers {
		l := newLayer(spec)
		t.layers, params = append(t.layers, l), append(params, l.parameter)
	}
	t.solver = newAdamW(c, params, t.workers)
	if err := t.addParts(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return t, nil
}

// addParts divides the batch and builds the replicas: for each size of part, at most one for each worker.
func (t *Trainer) addParts() error {
	t.idle = map[int]chan *replica{}
	for c := range parts {
		from, to := t.config.Batch*c/parts, t.config.Batch*(c+1)/parts
		boards := to - from
		if boards == 0 {
			continue
		}
		p := &part{index: len(t.parts), from: from, to: to, seen: make([]seen, len(t.network.Architecture().Heads))}
		for _, l := range t.layers {
			l.shares = append(l.shares, l.share(boards))
		}
		t.parts = append(t.parts, p)
		if t.idle[boards] == nil {
			t.idle[boards] = make(chan *replica, t.workers)
		}
		if len(t.idle[boards]) == t.workers {
			continue
		}
		r, err := newReplica(t, boards)
		if err != nil {
			return err
		}
		t.idle[boards] <- r
	}
	return nil
}

// NewBatch returns an empty batch of the size that Step wants.
func (t *Trainer) NewBatch() *Batch { return NewBatch(t.network, t.config.Batch) }

// StepCount is the number of steps since SetWeights, those before a Save included.
func (t *Trainer) StepCount() int { return t.solver.Steps }

// Step takes one step on the batch at a learning rate. On an error the weights are
// as before.
func (t *Trainer) Step(b *Batch, rate float32) (Losses, error) {
	l, err := t.run(b)
	if err != nil {
		return l, err
	}
	t.solver.Rate = rate
	if err := t.solver.Step(t.solver.params); err != nil {
		return l, err
	}
	l.GradNorm = t.solver.norm
	return l, nil
}

// run computes the losses and the gradients of a batch, without taking a step.
func (t *Trainer) run(b *Batch) (Losses, error) {
	if err := t.check(b); err != nil {
		return Losses{}, err
	}
	parallel.For(len(t.layers), t.workers, func(i int) { t.layers[i].pack() })

	// Forward and backward: a worker takes a part at a time.
	errs := make([]error, len(t.parts))
	parallel.For(len(t.parts), t.workers, func(i int) {
		p := t.parts[i]
		idle := t.idle[p.to-p.from]
		r := <-idle
		errs[i] = r.run(b, p)
		idle <- r
	})
	if err := errors.Join(errs...); err != nil {
		return Losses{}, fmt.Errorf("graph: %w", err)
	}

	// Reduce: the sums over the parts.
	var work []func()
	for _, l := range t.layers {
		work = append(work, l.sums(l.grads, l.shares, t.workers)...)
	}
	parallel.For(len(work), t.workers, func(i int) { work[i]() })
	return t.losses()
}

// losses returns the means of what the parts saw.
func (t *Trainer) losses() (Losses, error) {
	l, rows := Losses{Heads: map[string]float32{}}, float64(t.config.Batch)
	for i, h := range t.network.Architecture().Heads {
		var sum seen
		for _, p := range t.parts {
			sum.loss, sum.entropy, sum.off = sum.loss+p.seen[i].loss, sum.entropy+p.seen[i].entropy, sum.off+p.seen[i].off
		}
		l.Heads[h.Name] = float32(sum.loss / rows)
		switch h.Kind {
		case model.Logits:
			l.Entropy = float32(sum.entropy / rows)
		case model.Win:
			l.ValueError = float32(sum.off / rows)
		}
		if math.IsNaN(sum.loss) || math.IsInf(sum.loss, 0) {
			return l, fmt.Errorf("graph: the loss of the %s is not finite (%v)", h.Name, sum.loss)
		}
	}
	return l, nil
}
