package graph

import (
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An op is an operation in Gorgonia's graph that this package implements. It computes a float32
// matrix or scalar from at most three others. To differentiate the op, Gorgonia calls SymDiff,
// which calls diff.
type op struct {
	name  string       // unique in the graph, because Gorgonia merges operations with the same name
	shape tensor.Shape // shape of the result, as Gorgonia sees it; empty for a scalar
	arity int          // number of inputs; set by apply

	// do computes the result from the inputs a, b and c and writes it to out, the memory from
	// place. If there are fewer than three inputs, the others are nil.
	do func(out, a, b, c []float32)

	// diff returns a graph node for the gradient of each input. out is the node of the result, and
	// grad is the node of its gradient. For an input whose entry in wrt ("with respect to") is
	// false, diff returns nil.
	diff func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error)
	wrt  []bool // whether each input needs a gradient; nil if diff is nil

	// place returns the memory for the result. It is called before each run. If place is nil, apply
	// sets it to a function that always returns the same memory. This is safe because every op is
	// used for only one node of one graph.
	place func(in []gorgonia.Value) *tensor.Dense
}

var _ gorgonia.SDOp = (*op)(nil)

// apply adds a node for the operation to the graph of its inputs, and returns it. The value of the
// node is the result.
func (o *op) apply(in ...*gorgonia.Node) (*gorgonia.Node, error) {
	if o.arity = len(in); o.place == nil && len(o.shape) > 0 {
		own := newMatrix(o.shape...)
		o.place = func([]gorgonia.Value) *tensor.Dense { return own }
	}
	return gorgonia.ApplyOp(o, in...)
}

// newMatrix returns a matrix of zeros.
func newMatrix(shape ...int) *tensor.Dense {
	return tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(shape...))
}

func (o *op) Arity() int     { return o.arity }
func (o *op) String() string { return o.name }

// Type tells Gorgonia the operation's type: a function that takes o.arity inputs of any type and
// returns a matrix or a scalar.
func (o *op) Type() hm.Type {
	var types []hm.Type
	for i := range o.arity {
		types = append(types, hm.TypeVariable('p'+rune(i)))
	}
	if len(o.shape) == 0 {
		return hm.NewFnType(append(types, tensor.Float32)...)
	}
	return hm.NewFnType(append(types, gorgonia.TensorType{Dims: 2, Of: tensor.Float32})...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape.Clone(), nil }
func (o *op) ReturnsPtr() bool                                      { return true }
func (o *op) CallsExtern() bool                                     { return false }
func (o *op) OverwritesInput() int                                  { return -1 }

func (o *op) WriteHash(h hash.Hash) { h.Write([]byte(o.name)) }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

func (o *op) DiffWRT(int) []bool {
	if o.wrt == nil {
		return make([]bool, o.Arity())
	}
	return o.wrt
}

func (o *op) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	return o.diff(in, out, grad)
}

// Do computes the result of the operation from its inputs.
func (o *op) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	var inputs [3][]float32
	for i, v := range in {
		switch v := v.(type) {
		case *tensor.Dense:
			inputs[i] = v.Float32s()
		case *gorgonia.F32:
			inputs[i] = []float32{float32(*v)}
		default:
			return nil, fmt.Errorf("input %d has type %T, want a tensor or a float32", i, v)
		}
	}
	if len(o.shape) == 0 {
		out := make([]float32, 1)
		o.do(out, inputs[0], inputs[1], inputs[2])
		v := gorgonia.F32(out[0])
		return &v, nil
	}
	out := o.place(in)
	o.do(out.Float32s(), inputs[0], inputs[1], inputs[2])
	return out, nil
}
