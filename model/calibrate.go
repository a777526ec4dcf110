package model

import (
	"fmt"
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model/kernel"
)

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

// Activations returns the 8-bit form of every result that a layer reads in 8 bits,
// by the name of the layer that computes it; "" is the planes, if the network reads
// them. Without Ranges it returns an error that names the checkpoint.
func (c *Checkpoint) Activations() (map[string]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, which 8 bits need; its precision can be %s or %s", c.Name, Float32, Best)
	}
	all, rest := map[string]Activations{}, c.Ranges
	for _, l := range c.Architecture().ranged() {
		ranges, least := rest[:l.Out.C], float32(0)
		rest = rest[l.Out.C:]
		if top := slices.Max(ranges); l.Name != "" && top < 1e-6 { // all channels were silent
			least = 1
		} else if l.Name != "" {
			least = quietest * top
		}
		var a Activations
		for _, r := range ranges {
			unit := max(r, least, 1e-6) / kernel.MaxActivation
			a.Units, a.Inverse = append(a.Units, unit), append(a.Inverse, 1/unit)
		}
		all[l.Name] = a
	}
	return all, nil
}

// rangeCount is the length of Checkpoint.Ranges.
func (n Network) rangeCount() (count int) {
	for _, l := range n.Architecture().ranged() {
		count += l.Out.C
	}
	return count
}

// ranged lists what is read in 8 bits: a layer without a name for the planes, if the network
// reads planes, and then the playing layers whose results an Int8 layer reads.
func (a Architecture) ranged() []Layer {
	read := map[string]bool{"": !a.Lists}
	playing := a.Playing()
	for _, l := range playing {
		read[l.From] = read[l.From] || l.Int8 && l.Kind != FeatureSum
	}
	return slices.DeleteFunc(slices.Insert(playing, 0, Layer{Out: a.Planes}), func(l Layer) bool { return !read[l.Name] })
}

// Calibrate measures how large the checkpoint's activations become on positions as they
// are played, and keeps it in Ranges. Some hundred positions are enough. Where planes are
// negative there are no ranges.
func (c *Checkpoint) Calibrate(in engine.Input) {
	c.Ranges = nil
	n, rows := NewNet(c), in.Rows()
	if rows == 0 || in.HasPlanes() && slices.Min(in.Planes) < 0 {
		return
	}
	b := &Batch{Input: in}
	b.Fit()
	s := n.scratch(rows)
	s.bind(b, 0, rows)
	results := map[string][]float32{"": in.Planes}
	for i := range n.steps {
		n.steps[i].run(s, rows)
		results[n.steps[i].Name] = s.floats[n.steps[i].dst]
	}
	for _, l := range c.Architecture().ranged() {
		if l.Name == "" {
			largest := slices.Max(in.Planes)
			c.Ranges = byChannel(in.Planes, c.Planes.C, func(values []float32) float32 { return planeRange(values, largest) })
			continue
		}
		c.Ranges = append(c.Ranges, bestRanges(results[l.Name][:rows*l.Out.Size()], l.Out.C)...)
	}
}

// byChannel applies rangeOf to the values of each channel of x, channels
// innermost. rangeOf may change its argument.
func byChannel(x []float32, channels int, rangeOf func(values []float32) float32) []float32 {
	ranges, values := make([]float32, channels), make([]float32, len(x)/channels)
	for c := range ranges {
		for i := range values {
			values[i] = x[i*channels+c]
		}
		ranges[c] = rangeOf(values)
	}
	return ranges
}

// planeRange returns the range of a channel of the planes, given its values, which it
// sorts, and the largest value of all channels.
//
// Most channels hold flags, or counts divided by a constant. Flags are exact if 1 is
// a whole number of units, and counts if that number is a multiple of the constant.
// planeRange considers the ranges in which 1 is a whole number of units. They start at the
// geometric mean of the channel's largest value and the largest value of all channels, and end at
// twice that. It returns the one with the least rounding error and, among equals, the
// widest, because later positions may have larger values. A silent channel counts as
// the largest.
func planeRange(values []float32, largest float32) float32 {
	if largest == 0 {
		return 1
	}
	slices.Sort(values)
	own := values[len(values)-1]
	if own == 0 {
		own = largest
	}
	least := math.Sqrt(float64(own) * float64(largest))
	most := math.Floor(kernel.MaxActivation / least)
	if most < 1 || most > 1e4 { // large numbers, or a channel too quiet to try all units
		return float32(least)
	}
	values = slices.Compact(values)
	tiny := float64(1e-9 * least * least * float64(len(values))) // what float32 cannot avoid
	best, bestLoss := most, math.Inf(1)
	for units := math.Ceil(most / 2); units <= most; units++ {
		if loss := roundingLoss(values, units); loss < bestLoss-tiny {
			best, bestLoss = units, loss
		}
	}
	return float32(kernel.MaxActivation / best)
}

// roundingLoss is the squared error of values that are rounded to whole multiples of
// 1/units.
func roundingLoss(values []float32, units float64) (loss float64) {
	for _, v := range values {
		off := float64(v) - math.RoundToEven(float64(v)*units)/units
		loss += float64(off * off)
	}
	return loss
}

// perChannel interpolates a channel's range, on a logarithmic scale, between the
// layer's largest (0) and its own (1). At 1 the activations of channels that stay
// small are rounded most finely, but the weights that read them most coarsely
// (Xiao et al. 2023, who take 0.5).
const perChannel = 0.75

// bestRanges returns the range of each channel of a layer's results x, drawn
// towards the largest as perChannel says.
func bestRanges(x []float32, channels int) []float32 {
	ranges := byChannel(x, channels, bestRange)
	top := slices.Max(ranges)
	for c, r := range ranges {
		ranges[c] = float32(detmath.Pow(float64(r), perChannel) * detmath.Pow(float64(top), 1-perChannel))
	}
	return ranges
}

// bestRange returns the range whose rounding has the least squared error on the
// values. A smaller range cuts off the largest values; a larger one rounds the others
// more coarsely. It is 0 for a silent channel, and infinite if a value is infinite.
func bestRange(values []float32) float32 {
	const bins, least = 4096, 0.3
	top := max(0, slices.Max(values))
	if top == 0 || math.IsInf(float64(top), 1) {
		return top
	}
	var histogram [bins]float64
	for _, v := range values {
		histogram[min(bins-1, int(v/top*bins))]++
	}
	type bin struct{ middle, count float64 }
	var filled []bin // a tenth of them, in most layers
	for i, count := range histogram {
		if count > 0 {
			filled = append(filled, bin{float64((float64(i) + 0.5) / bins * float64(top)), count})
		}
	}
	best, bestLoss := top, math.Inf(1)
	for share := 1.0; share >= least; share -= 0.02 {
		unit, loss := share*float64(top)/kernel.MaxActivation, 0.0
		for _, b := range filled {
			units := min(math.Round(b.middle/unit), kernel.MaxActivation)
			off := b.middle - float64(unit*units)
			loss += float64(b.count * off * off)
		}
		if loss < bestLoss {
			best, bestLoss = float32(share)*top, loss
		}
	}
	return best
}
