package model

import (
	"fmt"
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model/kernel"
)

// Activations holds the scales for converting a layer's results (its activations) to 8 bits. Each
// channel c has its own scale: a value x becomes the integer nearest to x·Inverse[c], limited to
// the range from 0 to kernel.MaxActivation. Units[c] is the real value that the integer 1 stands
// for, and Inverse[c] is 1/Units[c].
type Activations struct{ Units, Inverse []float32 }

// quietest is the smallest range that a channel can get, as a fraction of the largest range in its
// layer. This lower limit is needed because a channel whose values were all zero during calibration
// may become active later. A large fraction does no harm: on trained networks, the 8-bit results
// are equally close to the float results with a fraction of 1/127 and of 1/4.
const quietest = 1. / 4

// Activations returns the scales of all results that some layer reads in 8 bits. The keys are the
// names of the layers that compute these results. If the network reads planes, the key "" has the
// scales of the planes. If the checkpoint has no Ranges, Activations returns an error that names
// the checkpoint.
func (c *Checkpoint) Activations() (map[string]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, so it cannot compute in 8 bits; set the precision to %s or %s", c.Name, Float32, Best)
	}
	all, rest := map[string]Activations{}, c.Ranges
	for _, l := range c.Architecture().ranged() {
		ranges, least := rest[:l.Out.C], float32(0)
		rest = rest[l.Out.C:]
		// If all values measured in this layer were zero, set its ranges to 1.
		if top := slices.Max(ranges); l.Name != "" && top < 1e-6 {
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

// rangeCount returns the required length of Checkpoint.Ranges.
func (n Network) rangeCount() (count int) {
	for _, l := range n.Architecture().ranged() {
		count += l.Out.C
	}
	return count
}

// ranged lists the layers whose results other layers read in 8 bits. If the network reads planes,
// the list begins with a layer without a name, which stands for the planes. Then it has each layer
// that is used in play and whose results an Int8 layer reads.
func (a Architecture) ranged() []Layer {
	read := map[string]bool{"": !a.Lists}
	playing := a.Playing()
	for _, l := range playing {
		read[l.From] = read[l.From] || l.Int8 && l.Kind != FeatureSum
	}
	return slices.DeleteFunc(slices.Insert(playing, 0, Layer{Out: a.Planes}), func(l Layer) bool { return !read[l.Name] })
}

// Calibrate measures how large the network's activations become on the given positions, and stores
// the result in Ranges. The positions should come from games. A few hundred positions are enough.
// If a plane contains negative numbers, Calibrate leaves Ranges empty.
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

// byChannel calls rangeOf once per channel, with the channel's values in x, and returns the
// results. In x, the channel is the innermost index. rangeOf may modify its argument.
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

// planeRange returns the range of one channel of the planes. values has the channel's values;
// planeRange sorts this slice. largest is the largest value in all channels.
//
// A range of r divides the numbers from 0 to r into kernel.MaxActivation steps. Most channels hold
// flags (0 or 1), or counts divided by a constant. Flags are exact if 1 is a whole number of steps.
// Counts are exact if this number of steps is also a multiple of the constant. So planeRange tries
// only ranges in which 1 is a whole number of steps. The smallest range that it tries is the
// geometric mean of two numbers: the largest value of the channel, and the largest value of all
// channels. The largest range is twice as large. planeRange returns the range with the smallest
// rounding error. Among equally good ranges it returns the largest, because later positions may
// have larger values. If all values of the channel are zero, both numbers are the largest value of
// all channels.
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
	// If the values are too large, there is no range to try; if they are very small, there are too
	// many. In both cases, return the smallest range.
	if most < 1 || most > 1e4 {
		return float32(least)
	}
	values = slices.Compact(values)
	// tiny is a tolerance: a difference between two errors that is smaller is only float32
	// rounding.
	tiny := float64(1e-9 * least * least * float64(len(values)))
	best, bestLoss := most, math.Inf(1)
	for units := math.Ceil(most / 2); units <= most; units++ {
		if loss := roundingLoss(values, units); loss < bestLoss-tiny {
			best, bestLoss = units, loss
		}
	}
	return float32(kernel.MaxActivation / best)
}

// roundingLoss returns the sum of squared errors when values are rounded to multiples of 1/units.
func roundingLoss(values []float32, units float64) (loss float64) {
	for _, v := range values {
		off := float64(v) - math.RoundToEven(float64(v)*units)/units
		loss += float64(off * off)
	}
	return loss
}

// perChannel determines how much the range of a channel depends on the channel's own values. With
// 0, every channel gets the largest range in its layer; with 1, its own best range; in between, the
// range is interpolated on a logarithmic scale. If a channel with small values has its own range,
// its activations are rounded more finely, but the weights that multiply them more coarsely (Xiao
// et al. 2023, who use 0.5).
const perChannel = 0.75

// bestRanges returns the range of each channel of a layer's results x. It computes the best range
// of each channel and then moves it towards the largest range, by an amount that perChannel
// determines.
func bestRanges(x []float32, channels int) []float32 {
	ranges := byChannel(x, channels, bestRange)
	top := slices.Max(ranges)
	for c, r := range ranges {
		ranges[c] = float32(detmath.Pow(float64(r), perChannel) * detmath.Pow(float64(top), 1-perChannel))
	}
	return ranges
}

// bestRange returns the range for which rounding the values to 8 bits gives the smallest squared
// error. A smaller range would cut off the largest values; a larger range would round the other
// values more coarsely. The result is 0 if no value is positive, and infinite if a value is
// infinite.
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
	var filled []bin // the bins that are not empty; in most layers, a tenth of all bins
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
