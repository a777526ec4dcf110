// Package graph is the training graph in Gorgonia: the library builds the
// graph, differentiates it and runs it; the heavy nodes are operations of
// ours on the kernels of package model/kernel, forward and backward.
//
// A [Trainer] holds the graph of a [model.Network] for one size of batch, an
// [AdamW] solver and a running average of the weights. All values are the
// mover's. The weights after a step are the same bit for bit for any number
// of workers.
package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dojo/model"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Trainer takes optimiser steps.
type Trainer struct {
	network model.Network
	config  Config

	planes, policy, values, margins   *gorgonia.Node // inputs
	logits, value, margin             *gorgonia.Node // outputs; no margins and margin without a scale
	loss                              *gorgonia.Node
	layers                            []*layer
	params                            gorgonia.Nodes // of the layers
	policyLoss                        *policyLoss
	valueLoss, marginLoss             *rowLoss
	policyTerm, valueTerm, marginTerm gorgonia.Value // the losses as last computed

	machine gorgonia.VM
	solver  *AdamW
	average [][]float32 // of the parameters, by layer
}

// Batch is the input of one step. All slices are row-major.
type Batch struct {
	Planes []float32 // Config.Batch × Spec.Planes
	Policy []float32 // Config.Batch × Spec.Actions: the target; negative where illegal
	Values []float32 // Config.Batch: the target in [-1, 1], for the player to move

	// Margins is Config.Batch targets, for the player to move, in units of
	// Network.Margin; empty if that is 0.
	Margins []float32
}

// Losses is what a step saw before it changed the weights: means over the
// batch.
type Losses struct {
	Policy     float32 // cross entropy with the target, nats
	Value      float32 // cross entropy of the win probability, nats
	Margin     float32 // Huber loss, in units of Network.Margin
	Entropy    float32 // of the network's policy over legal actions, nats
	ValueError float32 // mean |value − target|
	GradNorm   float32 // before it was bounded
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

// build makes the graph: forward, losses, gradients, machine.
func (t *Trainer) build(workers int) error {
	g := gorgonia.NewGraph()
	n, batch := t.network, t.config.Batch
	cells := n.Planes.Cells()
	t.planes = input(g, "planes", batch*cells, n.Planes.C)
	t.policy = input(g, "policy", batch, n.Actions)
	t.values = input(g, "values", batch, 1)
	if err := t.forward(g, workers); err != nil {
		return err
	}
	t.policyLoss = newPolicyLoss(batch, n.Actions, workers)
	t.valueLoss, t.marginLoss = &rowLoss{rows: batch, of: winLoss}, &rowLoss{rows: batch, of: huber}
	policy, err := t.policyLoss.apply(t.logits, t.policy)
	if err != nil {
		return err
	}
	value, err := t.valueLoss.apply(t.value, t.values)
	if err != nil {
		return err
	}
	gorgonia.Read(policy, &t.policyTerm)
	gorgonia.Read(value, &t.valueTerm)
	t.loss = policy
	if err := t.addLoss(value, t.config.ValueWeight); err != nil {
		return err
	}
	if t.margin != nil {
		t.margins = input(g, "margins", batch, 1)
		margin, err := t.marginLoss.apply(t.margin, t.margins)
		if err != nil {
			return err
		}
		gorgonia.Read(margin, &t.marginTerm)
		if err := t.addLoss(margin, t.config.MarginWeight); err != nil {
			return err
		}
	}
	if _, err := gorgonia.Grad(t.loss, t.params...); err != nil {
		return err
	}
	t.machine = gorgonia.NewTapeMachine(g, gorgonia.BindDualValues(t.params...))
	return nil
}

// addLoss adds a term with a weight to the loss.
func (t *Trainer) addLoss(term *gorgonia.Node, weight float32) error {
	weighted, err := gorgonia.Mul(term, gorgonia.NewConstant(weight))
	if err == nil {
		t.loss, err = gorgonia.Add(t.loss, weighted)
	}
	return err
}

// input is a matrix that a step fills.
func input(g *gorgonia.ExprGraph, name string, rows, columns int) *gorgonia.Node {
	zero := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, columns))
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(rows, columns), gorgonia.WithValue(zero))
}

// forward adds the network; see model.Network for its drawing.
func (t *Trainer) forward(g *gorgonia.ExprGraph, workers int) (err error) {
	n, batch := t.network, t.config.Batch
	h, w, cells := n.Planes.H, n.Planes.W, n.Planes.Cells()
	add := func(x *gorgonia.Node, l *layer, residual *gorgonia.Node) *gorgonia.Node {
		if err != nil {
			return nil
		}
		p := input(g, l.name+".params", l.shape()[0], l.shape()[1])
		t.layers, t.params = append(t.layers, l), append(t.params, p)
		var y *gorgonia.Node
		y, err = l.apply(x, p, residual, x == t.planes)
		return y
	}
	conv := func(x *gorgonia.Node, name string, k, in, out int, relu bool, residual *gorgonia.Node) *gorgonia.Node {
		return add(x, newLayer(name, batch, workers, h, w, in, out, k, relu), residual)
	}
	dense := func(x *gorgonia.Node, name string, in, out int, relu bool) *gorgonia.Node {
		return add(x, newLayer(name, batch, workers, 1, 1, in, out, 1, relu), nil)
	}
	c := n.Channels
	x := conv(t.planes, "stem", n.Stem(), n.Planes.C, c, true, nil)
	for i := range n.Blocks {
		y := conv(x, fmt.Sprintf("block%d.conv1", i), 3, c, c, true, nil)
		x = conv(y, fmt.Sprintf("block%d.conv2", i), 3, c, c, true, x)
	}
	if planes, ok := n.ConvPolicy(); ok {
		t.logits = conv(x, "policy", 1, c, planes, false, nil)
	} else {
		y := conv(x, "policy", 1, c, n.PolicyPlanes, true, nil)
		t.logits = dense(y, "policy.dense", cells*n.PolicyPlanes, n.Actions, false)
	}
	v := conv(x, "value", 1, c, n.ValuePlanes, true, nil)
	v = dense(v, "value.hidden", cells*n.ValuePlanes, n.ValueFeatures, true)
	t.value = dense(v, "value.out", n.ValueFeatures, 1, false)
	if n.Margin > 0 {
		t.margin = dense(v, "margin.out", n.ValueFeatures, 1, false)
	}
	return err
}

// Close frees the machine.
func (t *Trainer) Close() error { return t.machine.Close() }

// NewBatch returns a batch of the right size.
func (t *Trainer) NewBatch() *Batch {
	b := &Batch{
		Planes: make([]float32, t.config.Batch*t.network.Planes.Size()),
		Policy: make([]float32, t.config.Batch*t.network.Actions),
		Values: make([]float32, t.config.Batch),
	}
	if t.margin != nil {
		b.Margins = make([]float32, t.config.Batch)
	}
	return b
}

// StepCount is the number of steps behind the weights.
func (t *Trainer) StepCount() int { return t.solver.Steps }

// data is the memory of a node's value.
func data(n *gorgonia.Node) []float32 { return n.Value().Data().([]float32) }

// Step takes one step at a learning rate.
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
	for i, p := range t.params {
		average := t.average[i]
		for j, w := range data(p) {
			average[j] += float32((1 - t.config.Average) * (w - average[j]))
		}
	}
	return l, nil
}

// run computes the losses and the gradients of a batch.
func (t *Trainer) run(b *Batch) (Losses, error) {
	for _, in := range []struct {
		node *gorgonia.Node
		data []float32
	}{{t.planes, b.Planes}, {t.policy, b.Policy}, {t.values, b.Values}, {t.margins, b.Margins}} {
		if in.node == nil {
			continue
		}
		if copy(data(in.node), in.data) != len(data(in.node)) || len(in.data) != len(data(in.node)) {
			return Losses{}, fmt.Errorf("graph: the batch has %d %s, want %d", len(in.data), in.node.Name(), len(data(in.node)))
		}
	}
	defer t.machine.Reset()
	if err := t.machine.RunAll(); err != nil {
		return Losses{}, fmt.Errorf("graph: %w", err)
	}
	l := Losses{
		Policy: number(t.policyTerm), Value: number(t.valueTerm),
		Entropy: t.policyLoss.entropy, ValueError: t.valueLoss.err,
	}
	if t.margin != nil {
		l.Margin = number(t.marginTerm)
	}
	if sum := float64(l.Policy + l.Value + l.Margin); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return l, fmt.Errorf("graph: the loss is not finite (policy %v, value %v, margin %v)", l.Policy, l.Value, l.Margin)
	}
	return l, nil
}

// number is the float in a scalar value.
func number(v gorgonia.Value) float32 {
	switch x := v.Data().(type) {
	case []float32:
		return x[0]
	case float32:
		return x
	}
	panic(fmt.Sprintf("graph: %T is no scalar", v.Data()))
}

// tensors is one array a parameter of the network, from one a layer.
func (t *Trainer) tensors(layers [][]float32) map[string][]float32 {
	all := map[string][]float32{}
	for i, l := range t.layers {
		all[l.name+".weight"] = slices.Clone(layers[i][:l.weights()])
		all[l.name+".bias"] = slices.Clone(layers[i][l.weights():])
	}
	return all
}
