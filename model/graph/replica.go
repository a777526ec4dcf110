package graph

import (
	"dojo.example/model"
	"dojo.example/model/loss"

	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// A replica is the graph of a part of a batch: layers, losses and gradients. The parameters are in
// the trainer's memory. What the sums over the batch need is in the memory of the part. Other results
// have memory of their own, with two exceptions: the gradient of a ReLU overwrites its input, and a
// joined gradient overwrites the one that it is added to. What a replica works on thus stays in the
// caches of its worker.
type replica struct {
	trainer *Trainer
	boards  int

	part   *part     // that is computed
	planes []float32 // the input, or nil if the network reads lists
	layers map[string]*replicaLayer
	heads  []*head        // in the order of the architecture
	loss   *gorgonia.Node // the weighted sum of the heads' losses

	// joins holds, by the name of a layer that reads x, the next later layer that reads or adds
	// x too and whose gradient of x the first one adds to its own; and carried, by the name of
	// the later one, that gradient.
	joins   map[string]string
	carried map[string]*gorgonia.Node

	tape *tape
}

// A head is an output of the network with its loss.
type head struct {
	model.Head
	index  int // in the architecture
	output *gorgonia.Node
	policy loss.Policy
	slopes []float32 // of the loss by the output
}

// newReplica builds the graph of a number of boards: forward, losses, and backward.
func newReplica(t *Trainer, boards int) (*replica, error) {
	a := t.network.Architecture()
	r := &replica{trainer: t, boards: boards, layers: map[string]*replicaLayer{}, joins: joins(a), carried: map[string]*gorgonia.Node{}}
	for _, later := range r.joins {
		r.carried[later] = nil // comes with the gradients
	}
	g := gorgonia.NewGraph()
	// Forward.
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
	// Backward.
	if _, err := gorgonia.Grad(r.loss, params...); err != nil {
		return nil, err
	}
	r.tape, err = newTape(g)
	return r, err
}

// joins returns replica.joins. In a block these are the first layer and the one that adds what
// that reads; in a network that reads lists, all layers that read the same. Elsewhere
// Gorgonia adds the gradients up, which rounds in another way.
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

// addLayers adds the layers to the graph, and returns their results by name, and their parameters.
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

// matrixNode returns a node with a value.
func matrixNode(g *gorgonia.ExprGraph, name string, v *tensor.Dense) *gorgonia.Node {
	return gorgonia.NewMatrix(g, tensor.Float32, gorgonia.WithName(name), gorgonia.WithShape(v.Shape()...), gorgonia.WithValue(v))
}

// addHead adds a head and its loss.
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

// run computes the losses and the gradients of a part of a batch.
func (r *replica) run(p *part, b *Batch) error {
	r.part, p.batch = p, b
	if r.planes != nil {
		size := r.trainer.network.Planes.Size()
		copy(r.planes, p.batch.Input.Planes[p.from*size:p.to*size])
	}
	return r.tape.run()
}
