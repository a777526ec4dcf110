package model

import (
	"slices"
	"unsafe"

	"dojo/model/kernel"
)

// rows is the weights of a FeatureSum or SelectedDense layer in floats.
type rows struct {
	kernel.Rows
	bias []float32
}

// pack gives the step its kernel in floats.
func (s *step) pack(c *Checkpoint) {
	weight, bias := c.Tensors[s.Name+".weight"], c.Tensors[s.Name+".bias"]
	switch s.Kind {
	case Convolution, Dense:
		conv := s.Convolution()
		conv.Pack(weight, bias)
		s.kernel = conv
	case FeatureSum:
		s.kernel = &rows{kernel.Rows{Data: weight, Width: s.Out.C}, bias}
	case SelectedDense:
		s.kernel = &rows{kernel.Rows{Data: weight, Width: s.In.Size()}, bias}
	}
}

// pack8 gives the step its kernel in 8 bits. units[c] is the real value of 1 in
// input channel c; FeatureSum has none.
func (s *step) pack8(c *Checkpoint, units []float32) {
	weight, bias := c.Tensors[s.Name+".weight"], c.Tensors[s.Name+".bias"]
	switch s.Kind {
	case FeatureSum:
		s.kernel = kernel.NewFeatureSum(weight, bias, s.inverse, s.Active)
	case SelectedDense:
		s.kernel = kernel.NewSelectedDense(weight, bias, units)
	default:
		h, w, in, out, k := s.sizes()
		quant := kernel.NewConv8(h, w, padded(in), out, k)
		units = append(slices.Clone(units), make([]float32, padded(in)-in)...)
		quant.Pack(padChannels(weight, k*k, in, out), bias, units)
		s.kernel = quant
	}
}

// run computes the step's layer on some boards.
func (s *step) run(m *scratch, boards int) {
	var add []float32
	if s.add != none {
		add = m.floats[s.add]
	}
	switch k := s.kernel.(type) {
	case *kernel.Conv8:
		var out kernel.Output
		out.Inverse = s.inverse
		if s.dst != none {
			out.Floats = m.floats[s.dst]
		}
		if s.dst8 != none {
			out.Bytes = m.bytes[s.dst8]
		}
		k.Run(&out, m.bytes[s.src8], add, boards, s.ReLU)
	case *kernel.Conv:
		k.Run(m.floats[s.dst], m.floats[s.src], add, boards, s.ReLU)
	case *kernel.FeatureSum:
		for i := range boards {
			k.Run(m.bytes[s.dst8][i*s.Out.C:(i+1)*s.Out.C], s.active(m, i))
		}
	case *kernel.SelectedDense:
		s.forEachLegal(m, boards, func(i int, y []float32, legal []uint16) {
			k.Run(y, legal, m.bytes[s.src8][i*s.In.Size():(i+1)*s.In.Size()])
		})
	case *rows:
		s.runRows(k, m, boards)
	}
}

// runRows computes a FeatureSum or SelectedDense layer in floats.
func (s *step) runRows(k *rows, m *scratch, boards int) {
	if s.Kind == SelectedDense {
		s.forEachLegal(m, boards, func(i int, y []float32, legal []uint16) {
			k.Dots(y, legal, m.floats[s.src][i*s.In.Size():(i+1)*s.In.Size()])
			for j, a := range legal {
				y[j] += k.bias[a]
			}
		})
		return
	}
	for i := range boards {
		y := m.floats[s.dst][i*s.Out.C : (i+1)*s.Out.C]
		copy(y, k.bias)
		k.Sum(y, 0, s.active(m, i), nil)
		for j, v := range y {
			if v <= 0 { // many times as fast as max
				y[j] = 0
			}
		}
	}
}

// active returns the features of a board.
func (s *step) active(m *scratch, board int) []uint16 {
	active := m.input.FeaturesOf(m.first + board)
	if len(active) > s.Active { // the sums of columns could overflow
		panic("model: more active features than there can be")
	}
	return active
}

// forEachLegal calls f for each board with its legal actions and the logits to be
// computed for them. The logits of a board follow those of the board before.
func (s *step) forEachLegal(m *scratch, boards int, f func(board int, logits []float32, legal []uint16)) {
	y := m.floats[s.dst]
	for i := range boards {
		actions := m.input.LegalOf(m.first + i)
		legal := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(actions))), len(actions)) // as kernels take them
		f(i, y[:len(legal)], legal)
		y = y[len(legal):]
	}
}
