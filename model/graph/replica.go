package graph

import (
	"dojo.example/model"

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

	batch  *Batch         // the current one
	part   *part          // and the boards of it that are computed
	planes []float32      // the input, or nil if the network reads lists
	tile   *tile          // all layers of such a network
	heads  []*head        // of the others, in the order of the architecture
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

// A head is an output of the network with its loss.
type head struct {
	model.Head
	index  int // in the architecture
	output *gorgonia.Node
	seen   seen
	policy policyLoss
	logits []float32 // scratch: those of legal actions
}

// newReplica builds the graph of a number of boards.
func newReplica(t *Trainer, boards int) (*replica, error) {
	r := &replica{
		trainer: t, boards: boards,
		skips: map[string]string{}, skipGrads: map[string]*gorgonia.Node{}, between: map[[2]int]*tensor.Dense{},
	}
	g := gorgonia.NewGraph()
	add := r.addLayers
	if t.network.Architecture().Lists {
		add = r.addTile
	}
	if err := add(g); err != nil {
		return nil, err
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

// addLayers adds layers and losses to the graph.
func (r *replica) addLayers(g *gorgonia.ExprGraph) error {
	n := r.trainer.network
	a := n.Architecture()
	r.planes = make([]float32, r.boards*n.Planes.Size())
	planes := matrixNode(g, "planes", tensor.New(tensor.WithShape(r.boards*n.Planes.Cells(), n.Planes.C), tensor.WithBacking(r.planes)))
	for _, spec := range a.Layers {
		for _, between := range a.Layers {
			if spec.Add != "" && spec.Add == between.From && spec.From == between.Name {
				r.skips[between.Name] = spec.Name
			}
		}
	}
	results := map[string]*gorgonia.Node{"": planes}
	for _, l := range r.trainer.layers {
		var residual *gorgonia.Node
		if l.Add != "" {
			residual = results[l.Add]
		}
		y, err := (&replicaLayer{l, r}).apply(results[l.From], r.addParams(g, l), residual, l.From == "")
		if err != nil {
			return err
		}
		results[l.Name] = y
	}
	for i, h := range a.Heads {
		if err := r.addHead(&head{Head: h, index: i, output: results[h.From]}); err != nil {
			return err
		}
	}
	return nil
}

// addParams adds the parameters of a layer.
func (r *replica) addParams(g *gorgonia.ExprGraph, l *layer) *gorgonia.Node {
	node := matrixNode(g, l.Name+".params", l.value)
	r.params = append(r.params, node)
	return node
}

// matrixNode returns a node with a value.
func matrixNode(g *gorgonia.ExprGraph, name string, v *tensor.Dense) *gorgonia.Node {
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(v.Shape()...), gorgonia.WithValue(v))
}

// addHead adds a head's weighted loss.
func (r *replica) addHead(h *head) error {
	r.heads = append(r.heads, h)
	term, err := r.addLoss(h)
	if err != nil {
		return err
	}
	weighted, err := gorgonia.Mul(term, gorgonia.NewConstant(r.trainer.config.weight(h.Head)))
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

// run computes the losses and the gradients of a part of a batch.
func (r *replica) run(b *Batch, p *part) error {
	r.batch, r.part = b, p
	if r.planes != nil {
		size := r.trainer.network.Planes.Size()
		copy(r.planes, b.Input.Planes[p.from*size:p.to*size])
	}
	for i, o := range r.grads {
		o.out = p.grads[i]
	}
	if err := r.tape.run(); err != nil {
		return err
	}
	for i, h := range r.heads {
		p.seen[i] = h.seen
	}
	return nil
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
