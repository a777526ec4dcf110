package graph

import (
	"dojo/model"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A part is the graph of some boards of a batch: layers, losses and gradients. Its
// parameters lie in the trainer's memory, the rest in its own.
type part struct {
	trainer  *Trainer
	from, to int // its boards
	workers  int // of each operation; or alone

	planes *gorgonia.Node // the input, or nil if the network reads lists
	lists  lists          // the input of such a network
	heads  []*head        // in the order of the architecture
	loss   *gorgonia.Node // the weighted sum of the heads' losses
	params gorgonia.Nodes // the parameters of each layer of Trainer.layers
	grads  gorgonia.Nodes // their gradients

	// skips holds, by the name of a layer that reads x, the layer behind it that adds
	// x to its own result; and skipGrads the gradient that x has from there.
	skips     map[string]string
	skipGrads map[string]*gorgonia.Node

	machine gorgonia.VM
}

// alone is a number of workers: the operations of a part run on the goroutine that runs
// the part, and are not divided any further.
const alone = 0

// A head is an output of the network with its loss.
type head struct {
	model.Head
	output, target *gorgonia.Node
	policy         *policyLoss // the loss, if the head is Logits
	row            *rowLoss    // the loss, if it is not
}

// newPart builds the graph of the boards from ≤ i < to of a batch.
func newPart(t *Trainer, from, to, workers int) (*part, error) {
	p := &part{trainer: t, from: from, to: to, workers: workers, skips: map[string]string{}, skipGrads: map[string]*gorgonia.Node{}}
	g := gorgonia.NewGraph()
	outputs, err := p.forward(g)
	if err != nil {
		return nil, err
	}
	for _, h := range t.network.Architecture().Heads {
		if err := p.addHead(g, h, outputs[h.From]); err != nil {
			return nil, err
		}
	}
	if p.grads, err = gorgonia.Grad(p.loss, p.params...); err != nil {
		return nil, err
	}
	p.machine = gorgonia.NewTapeMachine(g)
	return p, nil
}

// boards is the number of the part's boards.
func (p *part) boards() int { return p.to - p.from }

// forward adds the layers to the graph and returns their results by name.
func (p *part) forward(g *gorgonia.ExprGraph) (map[string]*gorgonia.Node, error) {
	n := p.trainer.network
	a := n.Architecture()
	if !a.Lists {
		p.planes = input(g, "planes", p.boards()*n.Planes.Cells(), n.Planes.C)
	}
	for _, spec := range a.Layers {
		for _, between := range a.Layers {
			if spec.Add != "" && spec.Add == between.From && spec.From == between.Name && p.trainer.convs[between.Name] != nil {
				p.skips[between.Name] = spec.Name
			}
		}
	}
	results := map[string]*gorgonia.Node{"": p.planes}
	for _, spec := range a.Layers {
		x := results[spec.From]
		var y *gorgonia.Node
		var err error
		switch spec.Kind {
		case model.Pooling:
			y, err = pool(spec, p.boards(), p.workers, x)
		case model.Columns, model.Chosen:
			l := &sparseLayer{params: paramsOf(spec), spec: spec, lists: &p.lists, boards: p.boards(), workers: p.workers}
			y, err = l.apply(x, p.addParams(g))
		default:
			var residual *gorgonia.Node
			if spec.Add != "" {
				residual = results[spec.Add]
			}
			l := &partLayer{layer: p.trainer.convs[spec.Name], part: p}
			y, err = l.apply(x, p.addParams(g), residual, spec.From == "")
		}
		if err != nil {
			return nil, err
		}
		results[spec.Name] = y
	}
	return results, nil
}

// addParams adds the parameters of the next layer.
func (p *part) addParams(g *gorgonia.ExprGraph) *gorgonia.Node {
	i := len(p.params)
	l := p.trainer.layers[i]
	value := tensor.New(tensor.WithShape(l.shape()...), tensor.WithBacking(p.trainer.weights[i]))
	node := gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(l.name+".params"), gorgonia.WithShape(l.shape()...), gorgonia.WithValue(value))
	p.params = append(p.params, node)
	return node
}

// addHead adds a head's target and its weighted loss.
func (p *part) addHead(g *gorgonia.ExprGraph, spec model.Head, output *gorgonia.Node) error {
	n, config := p.trainer.network, p.trainer.config
	h := &head{Head: spec, output: output, target: input(g, spec.Name+".target", p.boards(), width(n, spec))}
	p.heads = append(p.heads, h)
	var loss interface {
		apply(output, target *gorgonia.Node) (*gorgonia.Node, error)
	}
	switch h.Kind {
	case model.Logits:
		h.policy = newPolicyLoss(p.boards(), config.Batch, n.Actions, p.workers)
		if p.planes == nil {
			h.policy.lists = &p.lists
		}
		loss = h.policy
	case model.Win:
		h.row = &rowLoss{rows: p.boards(), batch: config.Batch, loss: winLoss}
		loss = h.row
	case model.Amount:
		h.row = &rowLoss{rows: p.boards(), batch: config.Batch, loss: huber}
		loss = h.row
	}
	term, err := loss.apply(h.output, h.target)
	if err != nil {
		return err
	}
	weighted, err := gorgonia.Mul(term, gorgonia.NewConstant(config.weight(spec)))
	if err != nil {
		return err
	}
	if p.loss == nil {
		p.loss = weighted
		return nil
	}
	p.loss, err = gorgonia.Add(p.loss, weighted)
	return err
}

// input returns a node for a matrix that each step fills.
func input(g *gorgonia.ExprGraph, name string, rows, columns int) *gorgonia.Node {
	zero := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, columns))
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(rows, columns), gorgonia.WithValue(zero))
}

// data returns the memory of a node's value.
func data(n *gorgonia.Node) []float32 { return n.Value().Data().([]float32) }

// run computes the losses and the gradients of the part's boards of a batch.
func (p *part) run(b *Batch) error {
	p.set(b)
	defer p.machine.Reset()
	return p.machine.RunAll()
}

// set makes the part's boards of a batch the input of the graph.
func (p *part) set(b *Batch) {
	share := func(in *gorgonia.Node, rows []float32) {
		width := len(rows) / b.Boards
		copy(data(in), rows[p.from*width:p.to*width])
	}
	if p.planes == nil {
		p.lists.set(b.Lists)
	} else {
		share(p.planes, b.Planes)
	}
	for i, h := range p.heads {
		if h.Kind == model.Logits && p.planes == nil {
			copy(data(h.target), b.Targets[i].Rows) // one for each legal action
			continue
		}
		share(h.target, b.Targets[i].Rows)
	}
}
