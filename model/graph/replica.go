package graph

import (
	"dojo.example/model"
	"dojo.example/model/loss"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A replica is a copy of the graph that computes one part of a batch at a time: layers, losses and
// gradients. It uses the parameters in the trainer's memory. Data that are needed later to sum over
// the whole batch are stored in the part's memory. Every other operation has its own memory for its
// result in the replica, with two exceptions: the gradient of a ReLU's input overwrites the
// gradient of its result, and a joined gradient overwrites the gradient to which it is added.
// Because a replica reuses its memory for every part, this memory stays in the processor's caches.
type replica struct {
	trainer *Trainer
	boards  int

	part   *part     // the part of the batch that the replica is computing
	planes []float32 // the planes of the part, or nil if the network reads lists
	layers map[string]*replicaLayer
	heads  []*head        // in the order of the architecture
	loss   *gorgonia.Node // weighted sum of the heads' losses

	// If two layers read the same x, they can share one gradient of x: the earlier layer adds its
	// own gradient to the later layer's gradient. joins maps the name of the earlier layer to the
	// name of the next later layer that reads or adds x. carried maps the name of the later layer
	// to the graph node of its gradient of x.
	joins   map[string]string
	carried map[string]*gorgonia.Node

	tape *tape
}

// A head is an output of the network together with its loss.
type head struct {
	model.Head
	index  int // index in Architecture.Heads
	output *gorgonia.Node
	policy loss.Policy
	slopes []float32 // derivatives of the loss with respect to the outputs
}

// newReplica builds a graph for parts with the given number of boards. The graph computes the
// forward pass, the losses and the backward pass.
func newReplica(t *Trainer, boards int) (*replica, error) {
	a := t.network.Architecture()
	r := &replica{trainer: t, boards: boards, layers: map[string]*replicaLayer{}, joins: joins(a), carried: map[string]*gorgonia.Node{}}
	for _, later := range r.joins {
		r.carried[later] = nil // mark the layer; diff sets the node during differentiation
	}
	g := gorgonia.NewGraph()
	// Forward pass.
	results, params, err := r.addLayers(g, a)
	if err != nil {
		return nil, err
	}
	// Losses.
	for i, h := range a.Heads {
		if err := r.addHead(&head{Head: h, index: i, output: results[h.From]}, a.Lists); err != nil {
			return nil, err
		}
	}
	// Backward pass.
	if _, err := gorgonia.Grad(r.loss, params...); err != nil {
		return nil, err
	}
	r.tape, err = newTape(g)
	return r, err
}

// joins returns the map for the field replica.joins. In a residual block, it joins the first layer
// with the later layer that adds the block's input. In a network that reads lists, it joins all
// layers that read the same input. All other gradients of the same input are added by Gorgonia,
// with different rounding.
func joins(a model.Architecture) map[string]string {
	all := map[string]string{}
	for i, l := range a.Layers {
		for _, later := range a.Layers[i+1:] {
			if later.Add != "" && later.Add == l.From && later.From == l.Name || a.Lists && l.From != "" && later.From == l.From {
				all[l.Name] = later.Name
				break
			}
		}
	}
	return all
}

// addLayers adds the layers to the graph. It returns the nodes of the layers' results, by the name
// of the layer, and the nodes of the parameters.
func (r *replica) addLayers(g *gorgonia.ExprGraph, a model.Architecture) (results map[string]*gorgonia.Node, params gorgonia.Nodes, err error) {
	results = map[string]*gorgonia.Node{}
	if n := r.trainer.network; !a.Lists {
		r.planes = make([]float32, r.boards*n.Planes.Size())
		results[""] = matrixNode(g, "planes", tensor.New(tensor.WithShape(r.boards*n.Planes.Cells(), n.Planes.C), tensor.WithBacking(r.planes)))
	}
	for _, l := range r.trainer.layers {
		p := matrixNode(g, l.Name+".params", l.Value().(*tensor.Dense))
		params = append(params, p)
		var residual *gorgonia.Node
		if l.Add != "" {
			residual = results[l.Add]
		}
		r.layers[l.Name] = &replicaLayer{l, r}
		if results[l.Name], err = r.layers[l.Name].apply(p, results[l.From], residual); err != nil {
			return nil, nil, err
		}
	}
	return results, params, nil
}

// matrixNode returns a graph node that holds the matrix v.
func matrixNode(g *gorgonia.ExprGraph, name string, v *tensor.Dense) *gorgonia.Node {
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(v.Shape()...), gorgonia.WithValue(v))
}

// addHead adds a head and its loss to the graph.
func (r *replica) addHead(h *head, lists bool) (err error) {
	r.heads = append(r.heads, h)
	if h.Kind == model.Logits && !lists {
		if h.output, err = r.addLegal(h.output); err != nil {
			return err
		}
	}
	term, err := r.addLoss(h)
	if r.loss == nil || err != nil {
		r.loss = term
		return err
	}
	r.loss, err = gorgonia.Add(r.loss, term)
	return err
}

// run computes the losses and gradients for part p of the batch b.
func (r *replica) run(p *part, b *Batch) error {
	r.part, p.batch = p, b
	if r.planes != nil {
		size := r.trainer.network.Planes.Size()
		copy(r.planes, p.batch.Input.Planes[p.from*size:p.to*size])
	}
	return r.tape.run()
}
