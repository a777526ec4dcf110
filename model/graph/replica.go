package graph

import (
	"dojo/engine"
	"dojo/model"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A replica is the graph of a part of a batch: layers, losses and gradients. The
// parameters lie in the trainer's memory and their gradients in the part's, the rest in
// its own. Gradients of activations overwrite each other as soon as they have been
// read, so that what a replica works on stays in a worker's caches.
type replica struct {
	trainer *Trainer
	boards  int
	workers int // of each operation; or alone

	planes *gorgonia.Node // the input, or nil if the network reads lists
	lists  lists          // the input of such a network
	heads  []*head        // in the order of the architecture
	loss   *gorgonia.Node // the weighted sum of the heads' losses
	params gorgonia.Nodes // the parameters of each layer of Trainer.layers
	grads  []*op          // what computes their gradients

	// skips holds, by the name of a layer that reads x, the layer behind it that adds
	// x to its own result; and skipGrads the gradient that x has from there.
	skips     map[string]string
	skipGrads map[string]*gorgonia.Node
	between   map[[2]int]*tensor.Dense // by shape, memory for the gradients between such two layers

	tape *tape
}

// alone, as a number of workers, means that the operations of a replica run undivided on
// the goroutine that runs the replica.
const alone = 0

// A head is an output of the network with its loss.
type head struct {
	model.Head
	output, target *gorgonia.Node
	policy         *policyLoss // the loss, if the head is Logits
	row            *rowLoss    // the loss, if it is not
}

// newReplica builds the graph of a number of boards.
func newReplica(t *Trainer, boards, workers int) (*replica, error) {
	r := &replica{
		trainer: t, boards: boards, workers: workers,
		skips: map[string]string{}, skipGrads: map[string]*gorgonia.Node{}, between: map[[2]int]*tensor.Dense{},
	}
	g := gorgonia.NewGraph()
	outputs, err := r.forward(g)
	if err != nil {
		return nil, err
	}
	for _, h := range t.network.Architecture().Heads {
		if err := r.addHead(g, h, outputs[h.From]); err != nil {
			return nil, err
		}
	}
	grads, err := gorgonia.Grad(r.loss, r.params...)
	if err != nil {
		return nil, err
	}
	for _, g := range grads {
		r.grads = append(r.grads, g.Op().(*op))
	}
	r.tape, err = newTape(g)
	return r, err
}

// forward adds the layers to the graph and returns their results by name.
func (r *replica) forward(g *gorgonia.ExprGraph) (map[string]*gorgonia.Node, error) {
	n := r.trainer.network
	a := n.Architecture()
	if !a.Lists {
		r.planes = input(g, "planes", r.boards*n.Planes.Cells(), n.Planes.C)
	}
	for _, spec := range a.Layers {
		for _, between := range a.Layers {
			if spec.Add != "" && spec.Add == between.From && spec.From == between.Name && r.trainer.convs[between.Name] != nil {
				r.skips[between.Name] = spec.Name
			}
		}
	}
	results := map[string]*gorgonia.Node{"": r.planes}
	for _, spec := range a.Layers {
		x := results[spec.From]
		var y *gorgonia.Node
		var err error
		switch spec.Kind {
		case model.FeatureSum, model.SelectedDense:
			l := &sparseLayer{params: paramsOf(spec), spec: spec, lists: &r.lists, boards: r.boards, workers: r.workers}
			y, err = l.apply(x, r.addParams(g))
		default:
			var residual *gorgonia.Node
			if spec.Add != "" {
				residual = results[spec.Add]
			}
			l := &replicaLayer{layer: r.trainer.convs[spec.Name], r: r}
			y, err = l.apply(x, r.addParams(g), residual, spec.From == "")
		}
		if err != nil {
			return nil, err
		}
		results[spec.Name] = y
	}
	return results, nil
}

// addParams adds the parameters of the next layer.
func (r *replica) addParams(g *gorgonia.ExprGraph) *gorgonia.Node {
	i := len(r.params)
	l := r.trainer.layers[i]
	value := tensor.New(tensor.WithShape(l.shape()...), tensor.WithBacking(r.trainer.weights[i]))
	node := gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(l.name+".params"), gorgonia.WithShape(l.shape()...), gorgonia.WithValue(value))
	r.params = append(r.params, node)
	return node
}

// addHead adds a head's target and its weighted loss.
func (r *replica) addHead(g *gorgonia.ExprGraph, spec model.Head, output *gorgonia.Node) error {
	n, config := r.trainer.network, r.trainer.config
	h := &head{Head: spec, output: output, target: input(g, spec.Name+".target", r.boards, width(n, spec))}
	r.heads = append(r.heads, h)
	var loss interface {
		apply(output, target *gorgonia.Node) (*gorgonia.Node, error)
	}
	switch h.Kind {
	case model.Logits:
		h.policy = newPolicyLoss(r.boards, config.Batch, n.Actions, r.workers)
		if r.planes == nil {
			h.policy.lists = &r.lists
		}
		loss = h.policy
	case model.Win:
		h.row = &rowLoss{rows: r.boards, batch: config.Batch, loss: winLoss}
		loss = h.row
	case model.Amount:
		h.row = &rowLoss{rows: r.boards, batch: config.Batch, loss: huber}
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
	if r.loss == nil {
		r.loss = weighted
		return nil
	}
	r.loss, err = gorgonia.Add(r.loss, weighted)
	return err
}

// input returns a node for a matrix that each step fills.
func input(g *gorgonia.ExprGraph, name string, rows, columns int) *gorgonia.Node {
	zero := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(rows, columns))
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(rows, columns), gorgonia.WithValue(zero))
}

// data returns the memory of a node's value.
func data(n *gorgonia.Node) []float32 { return n.Value().Data().([]float32) }

// run computes the losses and the gradients of a part of a batch.
func (r *replica) run(b *Batch, p *part) error {
	r.set(b, p)
	for i, o := range r.grads {
		o.out = p.grads[i]
	}
	if err := r.tape.run(); err != nil {
		return err
	}
	for i, h := range r.heads {
		if h.policy != nil {
			p.seen[i] = seen{loss: h.policy.loss, entropy: h.policy.entropy}
		} else {
			p.seen[i] = seen{loss: h.row.sum, off: h.row.off}
		}
	}
	return nil
}

// set makes a part of a batch the input of the graph.
func (r *replica) set(b *Batch, p *part) {
	if r.planes == nil {
		r.lists.set(b.Input)
	} else {
		size := r.trainer.network.Planes.Size()
		copy(data(r.planes), b.Input.Planes[p.from*size:p.to*size])
	}
	for i, h := range r.heads {
		target, rows := data(h.target), b.Targets[i].Rows
		switch {
		case h.Kind != model.Logits:
			copy(target, rows[p.from:p.to])
		case r.planes == nil:
			copy(target, rows) // one for each legal action
		default:
			r.spread(target, &b.Input, rows, p.from)
		}
	}
}

// illegal is the policy target of an illegal action, which the loss leaves out.
const illegal = -1

// spread writes the policy's targets of legal actions to a row of all actions for each
// board, from row first of the batch on.
func (r *replica) spread(dst []float32, in *engine.Input, targets []float32, first int) {
	for i := range dst {
		dst[i] = illegal
	}
	actions := r.trainer.network.Actions
	for i := range r.boards {
		from, to := in.LegalRange(first+i, first+i+1)
		for k, a := range in.Legal[from:to] {
			dst[i*actions+int(a)] = targets[from+k]
		}
	}
}

// memoryBetween returns memory of a shape for the gradients between the two layers of a
// block. All blocks share it: the gradients of one block are read before those of the
// next one are computed.
func (r *replica) memoryBetween(shape tensor.Shape) *tensor.Dense {
	key := [2]int{shape[0], shape[1]}
	if r.between[key] == nil {
		r.between[key] = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
	}
	return r.between[key]
}
