// Package graph trains a network. The library Gorgonia builds the graph of a
// network and its losses, differentiates it and runs it; the nodes that take time
// are operations of this package, which call the kernels of package model/kernel,
// forward and backward.
//
// A [Trainer] holds the graph of a [model.Network] for one size of batch, the
// optimiser of package adamw, and its running average of the weights. It takes a
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

	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/adamw"
	"dojo.example/model/loss"
)

// Trainer holds a network in training and takes optimiser steps. One goroutine
// uses it; a step itself uses several.
type Trainer struct {
	network model.Network
	config  Config
	workers int

	layers []*layer
	solver *adamw.Solver
	parts  []*part
	idle   map[int]chan *replica // by number of boards
}

// parts is the number of parts of a batch. It does not depend on the workers, so that sums
// over the batch have one order.
const parts = 8

// A part is some boards of a batch, with what was computed of them in the last step.
type part struct {
	index    int
	from, to int // its boards
	batch    *Batch
	seen     []loss.Sum // by head
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
	var params []*adamw.Param
	for _, spec := range n.Architecture().Layers {
		l := newLayer(spec)
		t.layers, params = append(t.layers, l), append(params, l.Param)
	}
	constants := adamw.Config{WeightDecay: c.WeightDecay, ClipNorm: c.ClipNorm, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, Average: c.Average}
	t.solver = adamw.New(constants, params, t.workers)
	if err := t.addParts(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return t, nil
}

// addParts divides the batch, and builds the replicas for each size of part.
func (t *Trainer) addParts() error {
	t.idle = map[int]chan *replica{}
	for c := range parts {
		from, to := t.config.Batch*c/parts, t.config.Batch*(c+1)/parts
		boards := to - from
		if boards == 0 {
			continue
		}
		t.parts = append(t.parts, &part{index: len(t.parts), from: from, to: to, seen: make([]loss.Sum, len(t.network.Architecture().Heads))})
		for _, l := range t.layers {
			l.shares = append(l.shares, l.share(boards))
		}
		if t.idle[boards] != nil {
			continue
		}
		t.idle[boards] = make(chan *replica, min(t.workers, parts))
		for range cap(t.idle[boards]) {
			r, err := newReplica(t, boards)
			if err != nil {
				return err
			}
			t.idle[boards] <- r
		}
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
	if err := t.solver.Step(t.solver.Params()); err != nil {
		return l, fmt.Errorf("graph: %w", err)
	}
	l.GradNorm = t.solver.Norm
	return l, nil
}

// run computes the losses and the gradients of a batch, without taking a step.
func (t *Trainer) run(b *Batch) (Losses, error) {
	if err := t.check(b); err != nil {
		return Losses{}, err
	}
	parallel.For(len(t.layers), t.workers, func(i int) {
		if dense, ok := t.layers[i].kind.(convolution); ok {
			dense.pack()
		}
	})

	// Forward and backward: a worker takes a part at a time.
	errs := make([]error, len(t.parts))
	parallel.For(len(t.parts), t.workers, func(i int) {
		p := t.parts[i]
		idle := t.idle[p.to-p.from]
		r := <-idle
		p.batch = b
		errs[i] = r.run(p)
		idle <- r
	})
	if err := errors.Join(errs...); err != nil {
		return Losses{}, fmt.Errorf("graph: %w", err)
	}

	// Reduce: the sums over the parts.
	var work []func()
	for _, l := range t.layers {
		work = append(work, l.sums(l.Grads, l.shares, t.workers)...)
	}
	parallel.For(len(work), t.workers, func(i int) { work[i]() })
	return t.losses()
}

// losses returns the means of what the parts saw.
func (t *Trainer) losses() (Losses, error) {
	l, rows := Losses{Heads: map[string]float32{}}, float64(t.config.Batch)
	for i, h := range t.network.Architecture().Heads {
		var sum loss.Sum
		for _, p := range t.parts {
			sum.Add(p.seen[i])
		}
		l.Heads[h.Name] = float32(sum.Loss / rows)
		switch h.Kind {
		case model.Logits:
			l.Entropy = float32(sum.Entropy / rows)
		case model.Win:
			l.ValueError = float32(sum.Off / rows)
		}
		if math.IsNaN(sum.Loss) || math.IsInf(sum.Loss, 0) {
			return l, fmt.Errorf("graph: the loss of the %s is not finite (%v)", h.Name, sum.Loss)
		}
	}
	return l, nil
}
