package model

import (
	"slices"
	"unsafe"

	"dojo.example/model/kernel"
)

// rows is the weights of a FeatureSum layer in floats, or one part of a SelectedDense layer.
type rows struct {
	kernel.Rows
	bias []float32
}

// The parts of a SelectedDense layer: the rows of actions, and those of their features.
type (
	selected  [2]rows
	selected8 [2]*kernel.SelectedDense
)

const (
	ofActions = iota
	ofFeatures
)

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
		in, out := s.In.Size(), s.Out.C
		s.kernel = &selected{
			{kernel.Rows{Data: weight[:out*in], Width: in}, bias[:out]},
			{kernel.Rows{Data: weight[out*in:], Width: in}, bias[out:]},
		}
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
		in, out := len(units), s.Out.C
		s.kernel = &selected8{
			kernel.NewSelectedDense(weight[:out*in], bias[:out], units),
			kernel.NewSelectedDense(weight[out*in:], bias[out:], units),
		}
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
	case *selected8:
		s.forEachLegal(m, boards, func(i int, y []float32, part int, chosen []uint16) {
			k[part].Run(y, chosen, m.bytes[s.src8][i*s.In.Size():(i+1)*s.In.Size()])
		})
	case *selected:
		s.forEachLegal(m, boards, func(i int, y []float32, part int, chosen []uint16) {
			r := &k[part]
			r.Dots(y, chosen, m.floats[s.src][i*s.In.Size():(i+1)*s.In.Size()])
			for j, row := range chosen {
				y[j] += r.bias[row]
			}
		})
	case *rows:
		s.sumFeatures(k, m, boards)
	}
}

// sumFeatures computes a FeatureSum layer in floats.
func (s *step) sumFeatures(k *rows, m *scratch, boards int) {
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

// forEachLegal computes the logits of the legal actions of each board; those of a board follow
// those of the board before. It calls f for a part of the logits of a board, which f writes to
// y: part says which rows are chosen.
func (s *step) forEachLegal(m *scratch, boards int, f func(board int, y []float32, part int, chosen []uint16)) {
	y := m.floats[s.dst]
	for i := range boards {
		actions := m.input.LegalOf(m.first + i)
		legal := unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(actions))), len(actions)) // as kernels take them
		logits := y[:len(legal)]
		y = y[len(legal):]
		f(i, logits, ofActions, legal)
		for n := range s.PerAction {
			features := m.input.ActionFeaturesOf(m.first+i, n)
			m.parts = slices.Grow(m.parts[:0], len(features))[:len(features)]
			f(i, m.parts, ofFeatures, features)
			for j, part := range m.parts {
				logits[j] += part
			}
		}
	}
}
