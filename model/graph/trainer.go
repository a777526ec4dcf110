// Package graph trains a network. The library Gorgonia builds and differentiates a graph of the
// network and its losses. This package runs the graph's operations with its own implementation of a
// tape (a list of operations). This package also implements the operations that take most of the
// time, on the kernels of package model/kernel: each layer has one operation for the forward pass,
// and others for the backward pass.
//
// A [Trainer] holds the graph of a [model.Network] for one batch size, the optimiser of package
// adamw, and the running average of the weights. It takes one optimiser step for each [Batch]. A
// Batch holds positions and the targets of each head. The step returns its statistics as [Losses].
// All planes, policies and values are seen from the side of the player to move. The weights after a
// step are bit-identical for any number of workers.
//
// A batch is always divided into eight parts. For each part, a worker takes a replica (a copy of
// the graph that shares the weights of the trainer) and computes the forward and the backward pass
// without waiting for other workers. Then all workers together add up the gradients of the parts,
// in the order of the parts.
//
// A sparse network trains on lists of features and of legal actions. Its first layer has a row of
// weights for every feature, and its policy has a row for every action and every action feature. A
// position uses only a few of these rows. Therefore no part stores a gradient of all rows. When all
// parts are done, the workers compute the gradient of each row as a sum over the batch.
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

// Trainer holds a network in training and takes optimiser steps. Only one goroutine at a time may
// use a Trainer, but each step is computed by several goroutines.
type Trainer struct {
	network model.Network
	config  Config
	team    *parallel.Team

	layers []*layer
	solver *adamw.Solver
	parts  []*part
	// Replicas that no worker is using, by the number of boards that they are built for.
	idle map[int]chan *replica
}

// parts is the number of parts of a batch. It does not depend on the number of workers, so that
// sums over the batch are always added in the same order.
const parts = 8

// A part is a range of the positions (boards) in a batch, together with the results of the last
// step for them.
type part struct {
	index    int
	from, to int // range of boards in the batch
	batch    *Batch
	seen     []loss.Sum // for each head, the sum of the losses over this part of the batch
}

// Losses holds the statistics of a step, computed with the weights from before the step. All fields
// except GradNorm are means over the batch.
type Losses struct {
	// The loss of each head by name: for an Amount head, the Huber loss in the head's units; for
	// the others, the cross entropy in nats.
	Heads      map[string]float32
	Entropy    float32 // entropy of the network's policy over the legal actions, in nats
	ValueError float32 // mean of |value − target|
	// Norm of the gradient of all parameters together, before ClipNorm limited it.
	GradNorm float32
}

// New returns a trainer for a network. Its steps are computed by the workers of the team. The
// weights are zero until SetWeights or Restore is called.
func New(n model.Network, c Config, team *parallel.Team) (*Trainer, error) {
	if err := errors.Join(n.Validate(), c.Validate()); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	t := &Trainer{network: n, config: c, team: team}
	var params []*adamw.Param
	for _, spec := range n.Architecture().Layers {
		l := newLayer(spec)
		t.layers, params = append(t.layers, l), append(params, l.Param)
	}
	constants := adamw.Config{WeightDecay: c.WeightDecay, ClipNorm: c.ClipNorm, Beta1: c.Beta1, Beta2: c.Beta2, Epsilon: c.Epsilon, Average: c.Average}
	t.solver = adamw.New(constants, params, team)
	if err := t.addParts(); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return t, nil
}

// addParts divides the batch into parts and builds replicas for each size that a part can have.
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
			l.states = append(l.states, l.state(boards))
		}
		if t.idle[boards] != nil {
			continue
		}
		t.idle[boards] = make(chan *replica, min(t.team.Workers(), parts))
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

// NewBatch returns an empty batch with the number of boards that Step expects.
func (t *Trainer) NewBatch() *Batch { return NewBatch(t.network, t.config.Batch) }

// StepCount returns the number of steps since SetWeights. After Restore, it includes the steps that
// were taken before Save.
func (t *Trainer) StepCount() int { return t.solver.Steps }

// Step takes one step on the batch with the given learning rate. After an error the weights are
// unchanged.
func (t *Trainer) Step(b *Batch, rate float32) (Losses, error) {
	l, err := t.gradients(b)
	if err != nil {
		return l, err
	}
	// Let the optimiser change the weights.
	t.solver.Rate = rate
	if err := t.solver.Step(t.solver.Params()); err != nil {
		return l, fmt.Errorf("graph: %w", err)
	}
	l.GradNorm = t.solver.Norm
	return l, nil
}

// gradients computes the losses of a batch and the gradients of the parameters.
func (t *Trainer) gradients(b *Batch) (Losses, error) {
	if err := t.check(b); err != nil {
		return Losses{}, err
	}
	t.pack()
	// Forward and backward pass: for each part, run the operations of a replica.
	if err := t.forEachPart(func(r *replica, p *part) error { return r.run(p, b) }); err != nil {
		return Losses{}, fmt.Errorf("graph: %w", err)
	}
	// Sum the gradients of the parts, in the order of the parts.
	var work []func()
	for _, l := range t.layers {
		work = append(work, l.reduce(l.Grads, l.states, t.team.Workers())...)
	}
	t.team.For(len(work), func(i int) { work[i]() })
	return t.losses()
}

// pack converts the parameters of convolutions and dense layers into the form that the kernels
// read.
func (t *Trainer) pack() {
	t.team.For(len(t.layers), func(i int) {
		if c, ok := t.layers[i].kind.(convolution); ok {
			c.pack()
		}
	})
}

// forEachPart calls f for each part of the batch, with a replica for parts of this size. Each
// worker processes one part at a time.
func (t *Trainer) forEachPart(f func(r *replica, p *part) error) error {
	errs := make([]error, len(t.parts))
	t.team.For(len(t.parts), func(i int) {
		idle := t.idle[t.parts[i].to-t.parts[i].from]
		r := <-idle
		errs[i] = f(r, t.parts[i])
		idle <- r
	})
	return errors.Join(errs...)
}

// losses returns the mean losses of the last step over the whole batch.
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
