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
// layer has a row of weights for each feature and its last one a row for each action and each
// feature of actions, and a position uses few of them. All its layers and losses are one
// operation of the graph, with its own derivative. The gradients of the rows are no sums of
// parts, most of which would be zeros: when all parts are done, each row is summed up over the
// batch.
package graph

import (
	"errors"
	"fmt"
	"math"

	"dojo.example/internal/parallel"
	"dojo.example/model"
	"dojo.example/model/kernel"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trainer holds a network in training and takes optimiser steps. One goroutine
// uses it; a step itself uses several.
type Trainer struct {
	network model.Network
	config  Config
	workers int

	layers  []params        // those with parameters
	weights [][]float32     // the parameters of each of these layers
	grads   []*tensor.Dense // the gradients of these parameters in the last step
	convs   map[string]*layer
	sparse  []sparseLayer // of each layer, nil if it is not sparse

	parts  []*part
	idle   map[int]chan *replica // by number of boards
	solver *AdamW
}

// parts is the number of parts of a batch. It does not depend on the workers, so that sums
// over the batch have one order.
const parts = 8

// A part is some boards of a batch, with what was computed of them in the last step.
type part struct {
	index    int
	from, to int             // its boards
	grads    []*tensor.Dense // the gradients of each layer's parameters; of a sparse layer Trainer.grads
	seen     []seen          // by head
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
	t := &Trainer{network: n, config: c, workers: max(1, workers), convs: map[string]*layer{}}
	var sizes, decayed []int
	a := n.Architecture()
	for _, spec := range a.Layers {
		p := paramsOf(spec)
		t.layers = append(t.layers, p)
		sparse := newSparse(spec, c.Batch)
		if t.sparse = append(t.sparse, sparse); sparse == nil {
			t.convs[spec.Name] = newLayer(spec)
		}
		sizes, decayed = append(sizes, p.parameters()), append(decayed, p.weights())
		t.weights = append(t.weights, make([]float32, p.parameters()))
		t.grads = append(t.grads, tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(p.shape()...)))
	}
	t.solver = NewAdamW(c, sizes, decayed, t.workers)
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
		for i, l := range t.layers {
			grad := t.grads[i]
			if t.sparse[i] == nil {
				grad = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(l.shape()...))
			}
			p.grads = append(p.grads, grad)
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
	if err := t.solver.Step(t.valueGrads()); err != nil {
		return l, err
	}
	l.GradNorm = t.solver.norm
	return l, nil
}

// A parameter is the parameters of a layer with their gradient, for a solver.
type parameter struct{ value, grad *tensor.Dense }

func (p parameter) Value() gorgonia.Value         { return p.value }
func (p parameter) Grad() (gorgonia.Value, error) { return p.grad, nil }

// valueGrads returns the parameters of all layers with their gradients.
func (t *Trainer) valueGrads() (all []gorgonia.ValueGrad) {
	for i, l := range t.layers {
		value := tensor.New(tensor.WithShape(l.shape()...), tensor.WithBacking(t.weights[i]))
		all = append(all, parameter{value, t.grads[i]})
	}
	return all
}

// run computes the losses and the gradients of a batch, without taking a step.
func (t *Trainer) run(b *Batch) (Losses, error) {
	if err := t.check(b); err != nil {
		return Losses{}, err
	}
	t.pack()
	for _, s := range t.sparse {
		if s != nil {
			s.set(&b.Input)
		}
	}
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
	t.sumGrads()
	return t.losses()
}

// pack packs the weights for the kernels, forward and backward.
func (t *Trainer) pack() {
	parallel.For(len(t.layers), t.workers, func(i int) {
		if l := t.convs[t.layers[i].name]; l != nil {
			l.pack(t.weights[i])
		}
	})
}

// sumGrads adds up the gradients of the parts, in the order of the parts, and computes those
// of sparse layers.
func (t *Trainer) sumGrads() {
	sums := make([][]float32, len(t.grads))
	var work []func()
	for i, g := range t.grads {
		if s := t.sparse[i]; s != nil {
			work = append(work, s.sums(g.Data().([]float32), t.workers)...)
		} else {
			sums[i] = g.Data().([]float32)
		}
	}
	parallel.For(len(work), t.workers, func(i int) { work[i]() })
	forEachPiece(sums, t.workers, func(_, i, from, to int) {
		sum := sums[i][from:to]
		for k, p := range t.parts {
			part := p.grads[i].Data().([]float32)[from:to]
			if k == 0 {
				copy(sum, part)
			} else {
				kernel.Add(sum, part)
			}
		}
	})
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
