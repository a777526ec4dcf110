package model

import (
	"fmt"
	"math"
	"slices"

	"dojo.example/engine"
	"dojo.example/internal/detmath"
	"dojo.example/model/kernel"
)

// Activations converts a layer's results to 8 bits, channel by channel. A value x of channel c
// becomes the whole number nearest to x·Inverse[c], from 0 to kernel.MaxActivation. Units[c] is the
// real value of one such step, and Inverse[c] is 1/Units[c].
type Activations struct{ Units, Inverse []float32 }

// quietest is the smallest range of a channel, as a fraction of the largest range in its layer. A
// channel that was silent while ranges were measured may become active later. A large fraction does
// no harm: on trained networks the divergence from floats is the same with 1/127 and with 1/4.
const quietest = 1. / 4

// Activations returns the 8-bit form of every result that a layer reads in 8 bits, by the name of
// the layer that computes the result. If the network reads planes, the key "" holds the form of the
// planes. If the checkpoint has no Ranges, Activations returns an error that names the checkpoint.
func (c *Checkpoint) Activations() (map[string]Activations, error) {
	if len(c.Ranges) != c.rangeCount() {
		return nil, fmt.Errorf("model %s has no ranges of its activations, so it cannot compute in 8 bits; set the precision to %s or %s", c.Name, Float32, Best)
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

// rangeCount returns the required length of Checkpoint.Ranges.
func (n Network) rangeCount() (count int) {
	for _, l := range n.Architecture().ranged() {
		count += l.Out.C
	}
	return count
}

// ranged lists the layers whose results are read in 8 bits. It begins with a layer without a name
// for the planes, if the network reads planes, and continues with the playing layers that an Int8
// layer reads.
func (a Architecture) ranged() []Layer {
	read := map[string]bool{"": !a.Lists}
	playing := a.Playing()
	for _, l := range playing {
		read[l.From] = read[l.From] || l.Int8 && l.Kind != FeatureSum
	}
	return slices.DeleteFunc(slices.Insert(playing, 0, Layer{Out: a.Planes}), func(l Layer) bool { return !read[l.Name] })
}

// Calibrate measures how large the checkpoint's activations become on positions from games, and
// stores the result in Ranges. Some hundred positions are enough. If a plane has negative numbers,
// Calibrate leaves Ranges empty.
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

// byChannel applies rangeOf to the values of each channel of x, whose innermost index is the
// channel. rangeOf may change its argument.
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

// planeRange returns the range of one channel of the planes. values are the channel's values, which
// planeRange sorts; largest is the largest value of all channels.
//
// Most channels hold flags, or counts divided by a constant. Flags are exact if 1 is a whole number
// of units. Counts are exact if that number is also a multiple of the constant. planeRange
// considers only ranges in which 1 is a whole number of units. The smallest candidate is the
// geometric mean of the channel's largest value and the largest value of all channels; the largest
// candidate is twice that. planeRange returns the range with the least rounding error. Among equal
// ranges it returns the widest, because later positions may have larger values. A silent channel is
// treated as if its largest value were the largest of all channels.
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
	if most < 1 || most > 1e4 { // the values are large, or the channel is too quiet to try all units
		return float32(least)
	}
	values = slices.Compact(values)
	tiny := float64(1e-9 * least * least * float64(len(values))) // rounding error that float32 cannot avoid
	best, bestLoss := most, math.Inf(1)
	for units := math.Ceil(most / 2); units <= most; units++ {
		if loss := roundingLoss(values, units); loss < bestLoss-tiny {
			best, bestLoss = units, loss
		}
	}
	return float32(kernel.MaxActivation / best)
}

// roundingLoss returns the squared error when values are rounded to whole multiples of 1/units.
func roundingLoss(values []float32, units float64) (loss float64) {
	for _, v := range values {
		off := float64(v) - math.RoundToEven(float64(v)*units)/units
		loss += float64(off * off)
	}
	return loss
}

// perChannel interpolates a channel's range on a logarithmic scale between the largest range in the
// layer (0) and the channel's own range (1). At 1 the activations of channels that stay small are
// rounded most finely, but the weights that read them are rounded most coarsely (Xiao et al. 2023,
// who take 0.5).
const perChannel = 0.75

// bestRanges returns the range of each channel of a layer's results x, moved towards the largest
// range as perChannel says.
func bestRanges(x []float32, channels int) []float32 {
	ranges := byChannel(x, channels, bestRange)
	top := slices.Max(ranges)
	for c, r := range ranges {
		ranges[c] = float32(detmath.Pow(float64(r), perChannel) * detmath.Pow(float64(top), 1-perChannel))
	}
	return ranges
}

// bestRange returns the range whose rounding has the least squared error on the values. A smaller
// range cuts off the largest values; a larger range rounds the other values more coarsely. The
// result is 0 for a silent channel, and infinite if a value is infinite.
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
	var filled []bin // in most layers, a tenth of the bins is filled
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
