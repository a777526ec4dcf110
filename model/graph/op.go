package graph

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"slices"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// An op is one of this package's operations in Gorgonia's graph: a function from
// float32 matrices to a matrix, or to a scalar. Gorgonia differentiates it by calling diff.
type op struct {
	name    string       // unique in the graph: Gorgonia merges operations with the same name
	shape   tensor.Shape // of the result, as far as the graph knows it; empty for a scalar
	scalars []bool       // which inputs are scalars, as apply finds

	// do computes the result into out, which has the size of shape, or 1.
	do func(out []float32, in ...[]float32)

	// diff returns a node for the gradient of each input, given the gradient of
	// the result; nil for inputs where wrt ("with respect to") is false.
	diff func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error)
	wrt  []bool // nil if diff is

	// The result lies in memory of its own, the same at every run, or in that of an input, or where place says.
	out    *tensor.Dense
	into   int                  // 1 + the number of the input; 0 for none
	place  func() *tensor.Dense // is called before each run
	shared bool                 // several operations may read the result
	inputs [][]float32          // scratch of Do
}

var _ gorgonia.SDOp = (*op)(nil)

var (
	matrix = gorgonia.TensorType{Dims: 2, Of: tensor.Float32}
	scalar = tensor.Float32
)

// apply adds the operation to the graph of its inputs.
func (o *op) apply(in ...*gorgonia.Node) (*gorgonia.Node, error) {
	for _, n := range in {
		o.scalars = append(o.scalars, n.IsScalar())
	}
	return gorgonia.ApplyOp(o, in...)
}

func (o *op) Arity() int     { return len(o.scalars) }
func (o *op) String() string { return o.name }

// Type is the operation's type for Gorgonia: matrix -> ... -> matrix, with scalar
// where an input or the result is one.
func (o *op) Type() hm.Type {
	var types []hm.Type
	for _, isScalar := range slices.Concat(o.scalars, []bool{len(o.shape) == 0}) {
		if isScalar {
			types = append(types, scalar)
		} else {
			types = append(types, matrix)
		}
	}
	return hm.NewFnType(types...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape.Clone(), nil }
func (o *op) ReturnsPtr() bool                                      { return true }
func (o *op) CallsExtern() bool                                     { return false }
func (o *op) OverwritesInput() int                                  { return -1 }

func (o *op) WriteHash(h hash.Hash) {
	if _, err := io.WriteString(h, o.name); err != nil {
		panic(err) // a hash takes anything
	}
}

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
	if o.diff == nil {
		return nil, fmt.Errorf("graph: %s is not differentiated twice", o.name)
	}
	return o.diff(in, out, grad)
}

// Do computes the result into the same memory at every call: an operation is one node
// of one graph, and runs once for each batch.
func (o *op) Do(in ...gorgonia.Value) (gorgonia.Value, error) {
	if len(o.shape) == 0 {
		out := make([]float32, 1)
		if err := o.run(out, in); err != nil {
			return nil, err
		}
		v := gorgonia.F32(out[0])
		return &v, nil
	}
	switch {
	case o.into > 0:
		out := in[o.into-1]
		return out, o.run(out.Data().([]float32), in)
	case o.place != nil:
		o.out = o.place()
	case o.out == nil:
		o.out = tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(o.shape...))
	}
	return o.out, o.run(o.out.Data().([]float32), in)
}

// run calls do with the data of the inputs.
func (o *op) run(out []float32, in []gorgonia.Value) error {
	o.inputs = o.inputs[:0]
	for i, v := range in {
		switch data := v.Data().(type) {
		case []float32:
			o.inputs = append(o.inputs, data)
		case float32:
			o.inputs = append(o.inputs, []float32{data})
		default:
			return fmt.Errorf("graph: %s: input %d is a %T", o.name, i, v.Data())
		}
	}
	o.do(out, o.inputs...)
	return nil
}
