package model

import (
	"fmt"
	"slices"

	"dojo.example/model/kernel"
)

// Net8 is a checkpoint made ready to play in 8 bits; [kernel.Net8] is the
// arithmetic. Layers with [Layer.Int8] read 8-bit activations. Results that other
// layers read, or that are added to others, are also kept in floats: the trunk's
// sums of blocks, and the heads after their first layer. A Net8 does not change,
// is safe for concurrent use, and gives the same bits on every processor.
type Net8 struct{ program }

var _ Evaluator = (*Net8)(nil)

// Activations are the 8-bit form of a layer's results, by channel: a value x of
// channel c is written as the whole number nearest to x·Inverse[c], from 0 to
// kernel.MaxActivation. Units[c] is the real value of one such step, and Inverse[c] is
// 1/Units[c].
type Activations struct{ Units, Inverse []float32 }

// quietest is the smallest range of a channel, as a fraction of the largest of its
// layer. A channel that was silent while ranges were measured may become active later.
// A larger range costs quiet channels nothing: on trained networks the divergence from
// floats is the same with 1/127 and with 1/4.
const quietest = 1. / 4

// newActivations returns the 8-bit form in which channel c reaches up to ranges[c].
func newActivations(ranges []float32) Activations {
	a := Activations{make([]float32, len(ranges)), make([]float32, len(ranges))}
	for i, r := range ranges {
		a.Units[i] = max(r, 1e-6) / kernel.MaxActivation
		a.Inverse[i] = 1 / a.Units[i]
	}
	return a
}

// heard returns the ranges of a layer with those of quiet channels raised. If all
// channels were silent, each range is 1.
func heard(ranges []float32) []float32 {
	top := slices.Max(ranges)
	if top < 1e-6 {
		top = 1 / quietest
	}
	ranges = slices.Clone(ranges)
	for i, r := range ranges {
		ranges[i] = max(r, quietest*top)
	}
	return ranges
}

// Activations returns the 8-bit form of every result that a layer reads in 8 bits,
// by the name of the layer that computes it; "" is the planes, if the network reads
// them. Without Ranges it
// returns an error that names the checkpoint.
func (c *Checkpoint) Activations() (map[string]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, which 8 bits need; its precision can be %s or %s", c.Name, Float32, Best)
	}
	a := c.Architecture()
	planes, rest := c.Ranges[:a.planeChannels()], c.Ranges[a.planeChannels():]
	all := map[string]Activations{"": newActivations(planes)}
	for _, l := range a.read8() {
		all[l.Name] = newActivations(heard(rest[:l.Out.C]))
		rest = rest[l.Out.C:]
	}
	return all, nil
}

// NewNet8 rounds a checkpoint's weights and packs them. Without Ranges it returns
// an error that names the checkpoint.
func NewNet8(c *Checkpoint) (*Net8, error) {
	activations, err := c.Activations()
	if err != nil {
		return nil, err
	}
	q := &Net8{newProgram(c.Architecture(), true)}
	q.name, q.inverse = c.Name, activations[""].Inverse
	if c.Planes.C == padded(c.Planes.C) {
		q.inverse = slices.Repeat(q.inverse, c.Planes.Cells())
	}
	for i := range q.steps {
		s := &q.steps[i]
		if !s.Int8 {
			s.pack(c)
			continue
		}
		s.inverse = activations[s.Name].Inverse
		s.pack8(c, activations[s.From].Units)
	}
	return q, nil
}

// padded is a number of channels rounded up to a multiple of four.
func padded(channels int) int { return (channels + 3) / 4 * 4 }

// padChannels adds input channels of weight zero, up to a multiple of four.
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

// roundPlanes writes the planes in 8 bits, if a layer reads them in 8 bits: board by
// board, or cell by cell if channels are padded.
func (p *program) roundPlanes(s *scratch) {
	if p.planes8 == none {
		return
	}
	dst, planes, n := s.bytes[p.planes8], s.floats[planesBuffer], len(p.inverse)
	for len(planes) > 0 {
		kernel.Round(dst, planes[:n], p.inverse)
		dst, planes = dst[padded(n):], planes[n:]
	}
}
