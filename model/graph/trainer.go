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
// A network of the sparse kind trains on lists of features and of legal actions
// ([Batch].Lists). Its first layer has a row of weights for each feature and its last
// one a row for each action, and a position uses few of them. Forward these rows are
// gathered; backward the gradients are added to them, each column of the matrix in
// the order of the batch.
package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dojo/internal/detmath"
	"dojo/model"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trainer holds a network in training and takes optimiser steps. One goroutine
// uses it; a step itself uses several.
type Trainer struct {
	network model.Network
	config  Config

	planes *gorgonia.Node // the input, or nil if the network reads lists
	lists  lists          // the input of such a network
	heads  []*head        // in the order of the architecture
	loss   *gorgonia.Node // the weighted sum of the heads' losses
	layers []params       // those with parameters
	params gorgonia.Nodes // the parameters of each of these layers

	machine gorgonia.VM
	solver  *AdamW
	average [][]float32 // the running average of the parameters, by layer
}

// A head is an output of the network with its loss.
type head struct {
	model.Head
	output, target *gorgonia.Node
	policy         *policyLoss    // the loss, if the head is Logits
	row            *rowLoss       // the loss, if it is not
	term           gorgonia.Value // what the loss was in the last step, unweighted
}

// Losses is what a step saw before it changed the weights. All but GradNorm are
// means over the batch.
type Losses struct {
	Heads      map[string]float32 // the loss of each head, by name; of an Amount the Huber loss in the head's units, else nats
	Entropy    float32            // of the network's policy over the legal actions, in nats
	ValueError float32            // |value − target|
	GradNorm   float32            // the norm of the whole gradient, before it was bounded
}

// New builds the graph of a network. Its weights are zero until SetWeights or
// Restore.
func New(n model.Network, c Config, workers int) (*Trainer, error) {
	if err := errors.Join(n.Validate(), c.Validate()); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	t := &Trainer{network: n, config: c}
	if err := t.build(max(1, workers)); err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	var sizes, decayed []int
	for _, l := range t.layers {
		sizes, decayed = append(sizes, l.parameters()), append(decayed, l.weights())
		t.average = append(t.average, make([]float32, l.parameters()))
	}
	t.solver = NewAdamW(c, sizes, decayed, max(1, workers))
	return t, nil
}

// build makes the graph (layers, losses, gradients) and the machine that runs it.
func (t *Trainer) build(workers int) error {
	g := gorgonia.NewGraph()
	outputs, err := t.forward(g, workers)
	if err != nil {
		return err
	}
	for _, h := range t.network.Architecture().Heads {
		if err := t.addHead(g, h, outputs[h.From], workers); err != nil {
			return err
		}
	}
	if _, err := gorgonia.Grad(t.loss, t.params...); err != nil {
		return err
	}
	t.machine = gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(t.params...))
	return nil
}

// addHead adds a head's target and its weighted loss.
func (t *Trainer) addHead(g *gorgonia.ExprGraph, spec model.Head, output *gorgonia.Node, workers int) error {
	batch := t.config.Batch
	h := &head{Head: spec, output: output, target: input(g, spec.Name+".target", batch, width(t.network, spec))}
	t.heads = append(t.heads, h)
	var loss interface {
		apply(output, target *gorgonia.Node) (*gorgonia.Node, error)
	}
	switch h.Kind {
	case model.Logits:
		h.policy = newPolicyLoss(batch, t.network.Actions, workers)
		if t.planes == nil {
			h.policy.lists = &t.lists
		}
		loss = h.policy
	case model.Win:
		h.row = &rowLoss{rows: batch, loss: winLoss}
		loss = h.row
	case model.Amount:
		h.row = &rowLoss{rows: batch, loss: huber}
		loss = h.row
	}
	term, err := loss.apply(h.output, h.target)
	if err != nil {
		return err
	}
	gorgonia.Read(term, &h.term)
	weighted, err := gorgonia.Mul(term, gorgonia.NewConstant(t.config.weight(spec)))
	if err != nil {
		return err
	}
	if t.loss == nil {
		t.loss = weighted
		return nil
	}
	t.loss, err = gorgonia.Add(t.loss, weighted)
	return err
}

// input returns a node for a matrix that each step fills.
func input(g *gorgonia.ExprGraph, name string, rows, columns int) *gorgonia.Node {
	zero := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, columns))
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(rows, columns), gorgonia.WithValue(zero))
}

// forward adds the layers to the graph and returns their results by name.
func (t *Trainer) forward(g *gorgonia.ExprGraph, workers int) (map[string]*gorgonia.Node, error) {
	n, batch := t.network, t.config.Batch
	a := n.Architecture()
	if !a.Lists {
		t.planes = input(g, "planes", batch*n.Planes.Cells(), n.Planes.C)
	}
	results := map[string]*gorgonia.Node{"": t.planes}
	for _, spec := range a.Layers {
		x := results[spec.From]
		var y *gorgonia.Node
		var err error
		switch spec.Kind {
		case model.Pooling:
			y, err = pool(spec, batch, workers, x)
		case model.Columns, model.Chosen:
			l := &sparseLayer{params: paramsOf(spec), spec: spec, lists: &t.lists, boards: batch, workers: workers}
			y, err = l.apply(x, t.addParams(g, l.params))
		default:
			l := newLayer(spec, batch, workers)
			var residual *gorgonia.Node
			if spec.Add != "" {
				residual = results[spec.Add]
			}
			y, err = l.apply(x, t.addParams(g, l.params), residual, spec.From == "")
		}
		if err != nil {
			return nil, err
		}
		results[spec.Name] = y
	}
	return results, nil
}

// addParams adds the parameters of a layer.
func (t *Trainer) addParams(g *gorgonia.ExprGraph, p params) *gorgonia.Node {
	node := input(g, p.name+".params", p.shape()[0], p.shape()[1])
	t.layers, t.params = append(t.layers, p), append(t.params, node)
	return node
}

// Close frees the graph's machine.
func (t *Trainer) Close() error { return t.machine.Close() }

// NewBatch returns an empty batch of the size that Step wants.
func (t *Trainer) NewBatch() *Batch { return NewBatch(t.network, t.config.Batch) }

// StepCount is the number of steps since SetWeights, those before a Save included.
func (t *Trainer) StepCount() int { return t.solver.Steps }

// data returns the memory of a node's value.
func data(n *gorgonia.Node) []float32 { return n.Value().Data().([]float32) }

// Step takes one step on the batch at a learning rate. On an error the weights are
// as before.
func (t *Trainer) Step(b *Batch, rate float32) (Losses, error) {
	l, err := t.run(b)
	if err != nil {
		return l, err
	}
	t.solver.Rate = rate
	if err := t.solver.Step(gorgonia.NodesToValueGrads(t.params)); err != nil {
		return l, err
	}
	l.GradNorm = t.solver.norm
	t.updateAverage()
	return l, nil
}

// updateAverage adds the weights after a step to their running average. After step
// n, the weights after step i count in proportion to Average^(n-i), for i from 1 to
// n; those before the first step do not count. This is the bias correction of
// Adam's moments (Kingma and Ba 2015, section 3).
func (t *Trainer) updateAverage() {
	keep := float64(t.config.Average)
	share := float32((1 - keep) / (1 - detmath.Pow(keep, float64(t.solver.Steps))))
	forEachPiece(t.average, t.solver.workers, func(i, from, to int) {
		average, weights := t.average[i][:to], data(t.params[i])[:to]
		for j := from; j < to; j++ {
			average[j] += float32(share * (weights[j] - average[j]))
		}
	})
}

// run computes the losses and the gradients of a batch, without taking a step.
func (t *Trainer) run(b *Batch) (Losses, error) {
	if len(b.Targets) != len(t.heads) {
		return Losses{}, fmt.Errorf("graph: the batch has %d targets, want %d", len(b.Targets), len(t.heads))
	}
	if err := t.set(b); err != nil {
		return Losses{}, err
	}
	defer t.machine.Reset()
	if err := t.machine.RunAll(); err != nil {
		return Losses{}, fmt.Errorf("graph: %w", err)
	}
	l := Losses{Heads: map[string]float32{}}
	for _, h := range t.heads {
		loss := number(h.term)
		l.Heads[h.Name] = loss
		switch h.Kind {
		case model.Logits:
			l.Entropy = h.policy.entropy
		case model.Win:
			l.ValueError = h.row.err
		}
		if x := float64(loss); math.IsNaN(x) || math.IsInf(x, 0) {
			return l, fmt.Errorf("graph: the loss of the %s is not finite (%v)", h.Name, loss)
		}
	}
	return l, nil
}

// set makes a batch the input of the graph.
func (t *Trainer) set(b *Batch) error {
	if t.planes != nil {
		if err := set(t.planes, b.Planes); err != nil {
			return err
		}
	} else if err := t.setLists(b); err != nil {
		return err
	}
	for i, h := range t.heads {
		if h.Kind == model.Logits && t.planes == nil {
			copy(data(h.target), b.Targets[i].Rows) // one for each legal action
			continue
		}
		if err := set(h.target, b.Targets[i].Rows); err != nil {
			return err
		}
	}
	return nil
}

// number returns the float in a scalar value.
func number(v gorgonia.Value) float32 {
	switch x := v.Data().(type) {
	case []float32:
		return x[0]
	case float32:
		return x
	}
	panic(fmt.Sprintf("graph: %T is no scalar", v.Data()))
}

// tensors splits the parameters of each layer into the tensors of a checkpoint, by
// model.Param.Name.
func (t *Trainer) tensors(layers [][]float32) map[string][]float32 {
	all := map[string][]float32{}
	for i, l := range t.layers {
		all[l.name+".weight"] = slices.Clone(layers[i][:l.weights()])
		all[l.name+".bias"] = slices.Clone(layers[i][l.weights():])
	}
	return all
}
