package model

import (
	"fmt"
	"slices"

	"dojo/model/kernel"
)

// Quant is a checkpoint made ready to play in 8 bits: see kernel.Quant. The
// layers that [Layer.Int8] marks read 8-bit activations. What others read, or
// add, stays in floats beside the 8-bit copy: the stream that the blocks add to,
// and the heads behind their first layer. It does not change, is safe for
// concurrent use, and gives the same bits on every processor.
type Quant struct{ program }

var _ Evaluator = (*Quant)(nil)

// Activations are the 8-bit form of a layer's results, by channel: a value x of
// channel c is written as the whole number nearest to x·Inverse[c], from 0 to
// kernel.Most. Units[c] is the real value of one such step, and Inverse[c] is
// 1/Units[c].
type Activations struct{ Units, Inverse []float32 }

// newActivations are those whose channels go up to ranges.
func newActivations(ranges []float32) Activations {
	a := Activations{make([]float32, len(ranges)), make([]float32, len(ranges))}
	for i, r := range ranges {
		a.Units[i] = max(r, 1e-6) / kernel.Most
		a.Inverse[i] = 1 / a.Units[i]
	}
	return a
}

// Activations are those of the results that layers read in 8 bits, by the name
// of the layer that they come from; "" are the planes. Without Ranges it is an
// error that names the checkpoint.
func (c *Checkpoint) Activations() (map[string]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, which 8 bits need; its precision can be %s or %s", c.Name, Float32, Best)
	}
	all := map[string]Activations{"": newActivations(slices.Repeat(c.Ranges[:1], c.Planes.C))}
	rest := c.Ranges[1:]
	for _, l := range c.Architecture().read8() {
		all[l.Name] = newActivations(rest[:l.Out.C])
		rest = rest[l.Out.C:]
	}
	return all, nil
}

// NewQuant rounds a checkpoint's weights. Without Ranges it is an error that
// names the checkpoint.
func NewQuant(c *Checkpoint) (*Quant, error) {
	activations, err := c.Activations()
	if err != nil {
		return nil, err
	}
	q := &Quant{newProgram(c.Architecture(), true)}
	q.name, q.inverse = c.Name, activations[""].Inverse[0]
	for i := range q.steps {
		s := &q.steps[i]
		if !s.Int8 {
			s.pack(c)
			continue
		}
		s.inverse = activations[s.Name].Inverse
		if units := activations[s.From].Units; s.Kind == Columns || s.Kind == Chosen {
			s.pack8Sparse(c, units)
		} else {
			s.pack8(c, units)
		}
	}
	return q, nil
}

// pack8 gives the step its kernel in 8 bits; units are those of its input.
func (s *step) pack8(c *Checkpoint, units []float32) {
	h, w, in, out, k := s.sizes()
	s.quant = kernel.NewQuant(h, w, padded(in), out, k)
	units = append(slices.Clone(units), make([]float32, padded(in)-in)...)
	s.quant.Pack(padChannels(c.Tensors[s.Name+".weight"], k*k, in, out), c.Tensors[s.Name+".bias"], units)
}

// padded is a number of channels in whole fours.
func padded(channels int) int { return (channels + 3) / 4 * 4 }

// padChannels adds input channels of weight zero.
func padChannels(weight []float32, taps, in, out int) []float32 {
	if in == padded(in) {
		return weight
	}
	wide := make([]float32, taps*padded(in)*out)
	for tap := range taps {
		copy(wide[tap*padded(in)*out:], weight[tap*in*out:(tap+1)*in*out])
	}
	return wide
}

// roundPlanes writes the planes in 8 bits, with room for padded channels, if a
// layer reads them so.
func (p *program) roundPlanes(s *scratch) {
	if p.planes8 == none {
		return
	}
	dst, planes, c := s.bytes[p.planes8], s.floats[planesBuffer], p.planes.C
	if c == padded(c) {
		kernel.Round(dst, planes, p.inverse)
		return
	}
	for cell := range len(planes) / c {
		kernel.Round(dst[cell*padded(c):], planes[cell*c:][:c], p.inverse)
	}
}
