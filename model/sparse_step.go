package model

import (
	"slices"
	"unsafe"

	"dojo/engine"
	"dojo/model/kernel"
)

// pack8Sparse gives a step of kind Columns or Chosen its kernel in 8 bits. units are
// those of the input of Chosen.
func (s *step) pack8Sparse(c *Checkpoint, units []float32) {
	weight, bias := c.Tensors[s.Name+".weight"], c.Tensors[s.Name+".bias"]
	if s.Kind == Columns {
		s.columns = kernel.NewColumns(weight, bias, s.inverse, s.Active)
		return
	}
	own := s.Out.C * len(units)
	s.logits = kernel.NewLogits(weight[:own], bias[:s.Out.C], units)
	s.featureLogits = kernel.NewLogits(weight[own:], bias[s.Out.C:], units)
}

// sumColumns runs a step of kind Columns on some boards.
func (s *step) sumColumns(m *scratch, boards int) {
	out := s.Out.C
	for i := range boards {
		active := m.input.FeaturesOf(m.first + i)
		if len(active) > s.Active { // the sums of columns could overflow
			panic("model: more active features than there can be")
		}
		if s.columns != nil {
			s.columns.Run(m.bytes[s.dst8][i*out:(i+1)*out], active)
			continue
		}
		y := m.floats[s.dst][i*out : (i+1)*out]
		copy(y, s.bias)
		s.rows.Sum(y, 0, active, nil)
		for j, v := range y {
			if v <= 0 { // many times as fast as max
				y[j] = 0
			}
		}
	}
}

// choose runs a step of kind Chosen. It writes one output for each legal action: those
// of the first board, then those of the second, and so on.
func (s *step) choose(m *scratch, boards int) {
	in, y := s.In.Size(), m.floats[s.dst]
	for i := range boards {
		legal := numbers(m.input.LegalOf(m.first + i))
		own := y[:len(legal)]
		y = y[len(legal):]
		if s.logits != nil {
			s.logits.Run(own, legal, m.bytes[s.src8][i*in:(i+1)*in])
		} else {
			s.rows.Dots(own, legal, m.floats[s.src][i*in:(i+1)*in])
			for j, a := range legal {
				own[j] += s.bias[a]
			}
		}
		s.addFeatures(m, i, own)
	}
}

// addFeatures adds to the logits of the legal actions of board i what the features of the
// actions give.
func (s *step) addFeatures(m *scratch, i int, logits []float32) {
	in := s.In.Size()
	for n := range s.PerAction {
		features := m.input.ActionFeaturesOf(m.first+i, n)
		m.parts = slices.Grow(m.parts[:0], len(features))[:len(features)]
		if s.featureLogits != nil {
			s.featureLogits.Run(m.parts, features, m.bytes[s.src8][i*in:(i+1)*in])
			for j, part := range m.parts {
				logits[j] += part
			}
			continue
		}
		s.featureRows.Dots(m.parts, features, m.floats[s.src][i*in:(i+1)*in])
		for j, f := range features {
			logits[j] += m.parts[j] + s.featureBias[f]
		}
	}
}

// numbers returns actions in the type that kernels take, in the same memory.
func numbers(actions []engine.Action) []uint16 {
	return unsafe.Slice((*uint16)(unsafe.Pointer(unsafe.SliceData(actions))), len(actions))
}
