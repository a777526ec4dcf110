package model

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
)

// Net is a checkpoint that is ready to play, in floats or in 8 bits. It consists of a list of
// steps, one for each layer used in play, and a plan of the buffers for the results of the steps. A
// Net is immutable, so it is safe for concurrent use. The memory for the buffers is not part of it;
// see [scratch].
//
// In 8 bits, the layers with [Layer.Int8] read 8-bit activations. A result is also stored in floats
// if a layer reads it in floats or if it is added to another result. This applies to the results of
// the residual blocks and of the layers in the heads. The outputs have the same bits on every
// processor.
type Net struct {
	name    string // name of the checkpoint, for error messages
	network Network
	int8    bool
	// For a net from Leads, the number of points per unit of output; otherwise 0.
	unit  float32
	steps []step

	// The sizes of the buffers, in elements per board. The buffer with index none is always nil.
	floats []int // the first batchBuffers ones are slices of the batch; their size here is 0
	bytes  []int // sizes of the buffers for 8-bit activations
}

var _ Evaluator = (*Net)(nil)

// A step computes one layer, or a conversion before the first layer or after the last one.
type step struct {
	Layer
	run     func(m *scratch, boards int)
	inverse []float32 // factors for rounding the results to 8 bits; see Activations

	// Indices of buffers, or none. A step reads floats from src or bytes from src8, and may add the
	// floats in add to its result. It writes the result as floats to dst, as bytes to dst8, or
	// both.
	src, src8, add, dst, dst8 int
}

// Indices of the float buffers that are parts of the batch.
const (
	none         = iota // no buffer
	planesBuffer        // the planes, or the features if the network reads features
	logitsBuffer
	valuesBuffer
	batchBuffers // number of these indices
)

// NewNet returns a net that plays in floats with the checkpoint's weights.
func NewNet(c *Checkpoint) *Net { return newNet(c, c.Architecture(), nil) }

// Leads returns an evaluator that returns leads as its Values. A lead is the number of points by
// which the network expects the player to move to be ahead at the end of the game. If the network
// does not predict leads, Leads returns nil; see Network.Margin.
func (c *Checkpoint) Leads() Evaluator {
	if c.Margin == 0 {
		return nil
	}
	a := c.Architecture()
	for i, h := range a.Heads {
		if h.Kind == Win {
			a.Heads[i].From = "margin.out"
		}
	}
	n := newNet(c, a, nil)
	n.unit = float32(c.Margin)
	return n
}

// NewNet8 returns a net that plays in 8 bits with the checkpoint's weights, rounded. If the
// checkpoint has no Ranges, NewNet8 returns an error that names the checkpoint.
func NewNet8(c *Checkpoint) (*Net, error) {
	activations, err := c.Activations()
	if err != nil {
		return nil, err
	}
	return newNet(c, c.Architecture(), activations), nil
}

// newNet returns a net with the architecture a and the parameters of c. If activations is not nil,
// the net plays in 8 bits.
func newNet(c *Checkpoint, a Architecture, activations map[string]Activations) *Net {
	n := &Net{name: c.Name, network: c.Network, int8: activations != nil}
	n.plan(a)
	for i := range n.steps {
		s := &n.steps[i]
		s.inverse = activations[s.Name].Inverse
		s.prepare(c, activations[s.From].Units)
	}
	return n
}

// Int8 reports whether the net plays in 8 bits.
func (n *Net) Int8() bool { return n.int8 }

// plan creates the steps for the layers used in play, and assigns buffers to their results.
func (n *Net) plan(a Architecture) {
	// A FeatureSum reads features from the batch. For features and planes, the same buffer index is
	// used, because no network reads both.
	inBytes := func(l Layer) bool { return n.int8 && l.Int8 && l.Kind != FeatureSum }
	layers := a.Playing()
	// the buffer of each layer's result
	floats, bytes := map[string]int{"": planesBuffer}, map[string]int{}
	n.floats, n.bytes = make([]int, batchBuffers), make([]int, 1)
	// the layers whose results are read by some step, in floats and in bytes
	read, read8 := map[string]bool{}, map[string]bool{}
	for _, l := range layers {
		read[l.Add] = true
		if inBytes(l) {
			read8[l.From] = true
		} else {
			read[l.From] = true
		}
	}
	var last []step
	for _, h := range a.Heads {
		switch {
		case h.Kind == Logits && a.layer(h.From).Kind == SelectedDense:
			read[h.From], floats[h.From] = true, logitsBuffer
		case h.Kind == Logits:
			read[h.From] = true
			last = append(last, step{Layer: Layer{Name: h.From, Kind: selection, From: h.From, In: a.layer(h.From).Out}, dst: logitsBuffer})
		case h.Kind == Win:
			read[h.From], floats[h.From] = true, valuesBuffer
		}
	}
	// place returns the index of the buffer for the result of a layer, or none if no step reads the
	// result. If the layer has no buffer yet, place adds a buffer with the given number of elements
	// per board (size).
	place := func(buffers *[]int, at map[string]int, read map[string]bool, layer string, size int) int {
		if !read[layer] {
			return none
		}
		if _, ok := at[layer]; !ok {
			at[layer] = len(*buffers)
			*buffers = append(*buffers, size)
		}
		return at[layer]
	}
	if rounded := place(&n.bytes, bytes, read8, "", a.Planes.Cells()*padded(a.Planes.C)); rounded != none {
		n.steps = append(n.steps, step{Layer: Layer{Kind: rounding, In: a.Planes}, src: planesBuffer, dst8: rounded})
	}
	for _, l := range layers {
		s := step{Layer: l, dst: place(&n.floats, floats, read, l.Name, l.Out.Size()), dst8: place(&n.bytes, bytes, read8, l.Name, l.Out.Size())}
		if inBytes(l) {
			s.src8 = bytes[l.From]
		} else {
			s.src = floats[l.From]
		}
		if l.Add != "" {
			s.add = floats[l.Add]
		}
		n.steps = append(n.steps, s)
	}
	for _, s := range last {
		s.src = floats[s.From]
		n.steps = append(n.steps, s)
	}
}

// tile is the number of boards that are computed together, through all layers. It is small, so that
// their activations stay in the nearest caches.
const tile = 8

// scratch is the memory for a net's buffers, for a fixed number of boards.
type scratch struct {
	net    *Net
	floats [][]float32
	bytes  [][]uint8
	// Scratch memory for the products of action features before they are added to the logits.
	parts []float32

	batch *Batch
	first int // the row of the batch that the first board comes from
}

// scratch allocates the net's buffers, except those that are parts of the batch.
func (n *Net) scratch(boards int) *scratch {
	return &scratch{net: n, floats: memory[float32](n.floats, boards), bytes: memory[uint8](n.bytes, boards)}
}

func memory[T any](sizes []int, boards int) [][]T {
	all := make([][]T, len(sizes))
	for i, size := range sizes {
		if size > 0 {
			all[i] = make([]T, boards*size)
		}
	}
	return all
}

// NewInput returns an input without rows, of the kind that the network reads.
func (n *Net) NewInput() engine.Input { return n.network.NewInput() }

// Evaluate runs the network on the positions of the batch; see Evaluator. The first call for a
// batch allocates memory. Later calls for the same batch do not, except in 8 bits with portable
// kernels.
func (n *Net) Evaluate(_ context.Context, b *Batch) (err error) {
	if _, sparse := n.network.Body.(Sparse); sparse && !b.Input.HasFeatures() || !sparse && !b.Input.HasPlanes() {
		return fmt.Errorf("model %s reads %s, but the batch has none", n.name, map[bool]string{true: "features", false: "planes"}[sparse])
	}
	defer func() {
		if r := recover(); r != nil {
			if err = n.checkInput(&b.Input); err == nil {
				panic(r)
			}
		}
	}()
	s, ok := b.Scratch.(*scratch)
	if !ok || s.net != n {
		s = n.scratch(tile)
		b.Scratch = s
	}
	for from := 0; from < b.Input.Rows(); from += tile {
		to := min(b.Input.Rows(), from+tile)
		s.bind(b, from, to)
		for i := range n.steps {
			n.steps[i].run(s, to-from)
		}
		for i, v := range b.Values[from:to] {
			if b.Values[from+i] = v * n.unit; n.unit == 0 {
				b.Values[from+i] = float32(detmath.Tanh(float64(v)))
			}
		}
	}
	if !finite(b.Logits) || !finite(b.Values) { // a search cannot use infinite numbers or NaN
		return fmt.Errorf("model %s returns numbers that are not finite: its weights are damaged or too large", n.name)
	}
	return nil
}

// checkInput returns an error if the input contains a feature or an action that the network does
// not have. To save time, Evaluate calls it only after a kernel has panicked because of a row
// number that is out of range.
func (n *Net) checkInput(in *engine.Input) error {
	spec := engine.Spec{Name: "the game", Actions: n.network.Actions}
	if s, ok := n.network.Body.(Sparse); ok {
		spec.Features, spec.ActiveFeatures, spec.ActionFeatures = s.Features, s.Active, s.ActionFeatures
	}
	if err := in.Check(spec, 0); err != nil {
		return fmt.Errorf("model %s: %w", n.name, err)
	}
	return nil
}

// bind sets the rows from ≤ row < to of a batch as the net's input and output.
func (s *scratch) bind(b *Batch, from, to int) {
	s.batch, s.first = b, from
	if b.Input.HasPlanes() {
		size := s.net.network.Planes.Size()
		s.floats[planesBuffer] = b.Input.Planes[from*size : to*size]
	}
	first, end := b.Input.LegalRange(from, to)
	s.floats[logitsBuffer], s.floats[valuesBuffer] = b.Logits[first:end], b.Values[from:to]
}

// finite reports whether all numbers are finite. If a number is infinite or NaN, all bits of its
// exponent are set. Adding 1 to such an exponent carries into the next higher bit, which is the
// sign bit. finite tests two numbers at a time, as one 64-bit integer.
func finite(x []float32) bool {
	const exponent, one, sign = 0x7f800000_7f800000, 0x00800000_00800000, 0x80000000_80000000
	var carry uint64
	if len(x) > 1 { // a single float32 is too small for a uint64
		for _, p := range unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2) {
			carry |= p&exponent + one
		}
	}
	if len(x)%2 == 1 {
		carry |= uint64(math.Float32bits(x[len(x)-1]))&exponent + one
	}
	return carry&sign == 0
}

// grow returns a slice of n elements, using the memory of s if it is large enough.
func grow(s []float32, n int) []float32 { return slices.Grow(s[:0], n)[:n] }
