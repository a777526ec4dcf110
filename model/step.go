package model

import (
	"slices"
	"unsafe"

	"dojo.example/engine"
	"dojo.example/model/kernel"
)

// Kinds of steps that are not layers of the network.
const (
	rounding Kind = -1 - iota // converts the planes to 8 bits
	// Copies the logits of the legal actions from the logits of all actions.
	selection
)

// prepare sets the function that runs the step and packs the step's weights. If the input is in 8
// bits, units[c] is the real value of the integer 1 in channel c. The step that rounds the planes
// to 8 bits uses its field inverse instead.
func (s *step) prepare(c *Checkpoint, units []float32) {
	weight, bias := c.Tensors[s.Name+".weight"], c.Tensors[s.Name+".bias"]
	switch {
	case s.Kind == rounding:
		s.round()
	case s.Kind == selection:
		s.run = s.selectLegal
	case s.Kind == FeatureSum && s.dst8 != none:
		sum := kernel.NewFeatureSum(weight, bias, s.inverse, s.Active)
		s.run = func(m *scratch, boards int) {
			for i := range boards {
				sum.Run(row(m.bytes[s.dst8], i, s.Out.C), s.active(m, i))
			}
		}
	case s.Kind == FeatureSum:
		s.sumFeatures(kernel.Rows{Data: weight, Width: s.Out.C}, bias)
	case s.Kind == SelectedDense:
		s.selectedDense(weight, bias, units)
	case s.src8 != none:
		h, w, in, out, k := s.sizes()
		conv := kernel.NewConv8(h, w, padded(in), out, k)
		units = append(slices.Clone(units), make([]float32, padded(in)-in)...)
		conv.Pack(padChannels(weight, k*k, in, out), bias, units)
		s.run = func(m *scratch, boards int) {
			out := kernel.Output{Floats: m.floats[s.dst], Bytes: m.bytes[s.dst8], Inverse: s.inverse}
			conv.Run(&out, m.bytes[s.src8], m.floats[s.add], boards, s.ReLU)
		}
	default:
		conv := s.Convolution()
		conv.Pack(weight, bias)
		s.run = func(m *scratch, boards int) {
			conv.Run(m.floats[s.dst], m.floats[s.src], m.floats[s.add], boards, s.ReLU)
		}
	}
}

// row returns row i of a matrix with the given width.
func row[T any](m []T, i, width int) []T { return m[i*width : (i+1)*width] }

// padded rounds a number of channels up to a multiple of four.
func padded(channels int) int { return (channels + 3) / 4 * 4 }

// padChannels adds input channels with zero weights, up to a multiple of four.
func padChannels(weight []float32, taps, in, out int) []float32 {
	if in == padded(in) {
		return weight
	}
	wide := make([]float32, taps*padded(in)*out)
	for tap := range taps {
		copy(wide[tap*padded(in)*out:], row(weight, tap, in*out))
	}
	return wide
}

// round makes the step convert the planes to 8 bits. It converts a whole board at once or, if the
// channels must be padded, one cell at a time.
func (s *step) round() {
	inverse := s.inverse
	if s.In.C == padded(s.In.C) {
		inverse = slices.Repeat(inverse, s.In.Cells())
	}
	s.run = func(m *scratch, _ int) {
		dst, n := m.bytes[s.dst8], len(inverse)
		for planes := m.floats[s.src]; len(planes) > 0; planes = planes[n:] {
			kernel.Round(dst, planes[:n], inverse)
			dst = dst[padded(n):]
		}
	}
}

// selectLegal executes a step that copies the logits of the legal actions from the logits of all
// actions.
func (s *step) selectLegal(m *scratch, boards int) {
	logits := m.floats[s.dst]
	for i := range boards {
		all := row(m.floats[s.src], i, s.In.Size())
		legal := m.batch.Input.LegalOf(m.first + i)
		for k, a := range legal {
			logits[k] = all[a]
		}
		logits = logits[len(legal):]
	}
}

// sumFeatures makes the step compute a FeatureSum layer in floats.
func (s *step) sumFeatures(columns kernel.Rows, bias []float32) {
	s.run = func(m *scratch, boards int) {
		for i := range boards {
			y := row(m.floats[s.dst], i, s.Out.C)
			copy(y, bias)
			columns.Sum(y, s.active(m, i))
			for j, v := range y {
				if v <= 0 { // this is many times faster than Go's built-in max
					y[j] = 0
				}
			}
		}
	}
}

// active returns the active features of a board.
func (s *step) active(m *scratch, board int) []uint16 {
	active := m.batch.Input.FeaturesOf(m.first + board)
	if len(active) > s.Active { // with more features than this, the sum of columns could overflow
		panic("model: a position has more active features than the network allows")
	}
	return active
}

// selectedDense makes the step compute a SelectedDense layer. weight has one row per action,
// followed by one row per action feature.
func (s *step) selectedDense(weight, bias, units []float32) {
	in, out := s.In.Size(), s.Out.C
	actions := s.dense(weight[:out*in], bias[:out], units)
	features := s.dense(weight[out*in:], bias[out:], units)
	s.run = func(m *scratch, boards int) {
		logits := m.floats[s.dst]
		for i := range boards {
			legal := numbers(m.batch.Input.LegalOf(m.first + i))
			y := logits[:len(legal)]
			logits = logits[len(legal):]
			actions(y, legal, m, i)
			for n := range s.PerAction {
				m.parts = grow(m.parts, len(legal))
				features(m.parts, m.batch.Input.ActionFeaturesOf(m.first+i, n), m, i)
				for j, part := range m.parts {
					y[j] += part
				}
			}
		}
	}
}

// dense returns a function that computes the listed outputs of a dense layer for one board, and
// writes them to y.
func (s *step) dense(weight, bias, units []float32) func(y []float32, outputs []uint16, m *scratch, board int) {
	width := s.In.Size()
	if s.src8 != none {
		dense := kernel.NewSelectedDense(weight, bias, units)
		return func(y []float32, outputs []uint16, m *scratch, board int) {
			dense.Run(y, outputs, row(m.bytes[s.src8], board, width))
		}
	}
	rows := kernel.Rows{Data: weight, Width: width}
	return func(y []float32, outputs []uint16, m *scratch, board int) {
		rows.Dots(y, outputs, row(m.floats[s.src], board, width))
		for j, o := range outputs {
			y[j] += bias[o]
		}
	}
}

// numbers returns actions as a list of row numbers for the kernels, without copying.
func numbers(actions []engine.Action) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(actions))), len(actions))
}
