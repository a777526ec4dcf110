package model

import (
	"math"
	"slices"

	"dojo/engine"
	"dojo/internal/detmath"
	"dojo/model/kernel"
)

// rangeCount is the number of ranges of a network: one of the planes, and one a
// channel of every layer that others read in 8 bits.
func (n Network) rangeCount() int {
	count := 1
	for _, l := range n.Architecture().read8() {
		count += l.Out.C
	}
	return count
}

// Calibrate measures how large the checkpoint's activations become on boards,
// row-major planes of positions as they are played, and keeps it in Ranges.
// Some hundred boards are enough. Where planes are negative there are no
// ranges.
func (c *Checkpoint) Calibrate(planes []float32) {
	c.Ranges = nil
	if len(planes) == 0 || slices.Min(planes) < 0 {
		return
	}
	boards := len(planes) / c.Planes.Size()
	b := &Batch{N: boards, Planes: planes, Logits: make([]float32, boards*c.Actions)}
	c.measure(b, slices.Max(planes))
}

// CalibrateLists is Calibrate for a network of the Sparse kind.
func (c *Checkpoint) CalibrateLists(lists engine.Lists) {
	c.Ranges = nil
	if lists.Rows() > 0 {
		c.measure(&Batch{N: lists.Rows(), Lists: lists, Logits: make([]float32, len(lists.Legal))}, 1)
	}
}

// measure fills Ranges: top, the largest number of the input, and the ranges
// of the layers' results on a batch.
func (c *Checkpoint) measure(b *Batch, top float32) {
	n := NewNet(c)
	s := n.scratch(b.N)
	n.bind(s, b, 0, b.N)
	s.floats[valuesBuffer] = make([]float32, b.N)
	read := map[string]bool{}
	for _, l := range c.Architecture().read8() {
		read[l.Name] = true
	}
	c.Ranges = append(c.Ranges, top)
	for i := range n.steps {
		t := &n.steps[i]
		t.run(s, b.N)
		if read[t.Name] {
			c.Ranges = append(c.Ranges, bestRanges(s.floats[t.dst][:b.N*t.Out.Size()], t.Out.C)...)
		}
	}
}

// perChannel interpolates a channel's range, on a logarithmic scale, between
// the largest of the layer (0) and the channel's own (1). The more it is, the
// more precise are quiet channels' activations, and the less so the weights
// behind them (Xiao et al. 2023, who take 0.5).
const perChannel = 0.75

// bestRanges returns the range of each channel of a layer's results x, drawn
// towards the largest as perChannel says.
func bestRanges(x []float32, channels int) []float32 {
	ranges := make([]float32, channels)
	values := make([]float32, len(x)/channels)
	for c := range ranges {
		for i := range values {
			values[i] = x[i*channels+c]
		}
		ranges[c] = bestRange(values)
	}
	top := slices.Max(ranges)
	for c, r := range ranges {
		ranges[c] = float32(detmath.Pow(float64(r), perChannel) * detmath.Pow(float64(top), 1-perChannel))
	}
	return ranges
}

// bestRange is the range whose rounding has the least squared error on the
// values: a smaller one cuts off the largest of them, a larger one rounds all
// others more coarsely.
func bestRange(values []float32) float32 {
	const bins, least = 4096, 0.3
	top := slices.Max(values)
	if top == 0 {
		return 0
	}
	var histogram [bins]float64
	for _, v := range values {
		histogram[min(bins-1, int(v/top*bins))]++
	}
	best, bestLoss := top, math.Inf(1)
	for share := 1.0; share >= least; share -= 0.02 {
		unit, loss := share*float64(top)/kernel.Most, 0.0
		for i, count := range histogram {
			v := float64((float64(i) + 0.5) / bins * float64(top))
			off := v - float64(unit*min(kernel.Most, math.Round(v/unit)))
			loss += float64(count * off * off)
		}
		if loss < bestLoss {
			best, bestLoss = float32(share)*top, loss
		}
	}
	return best
}
