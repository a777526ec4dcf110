package model

import (
	"math"
	"slices"

	"dojo/internal/detmath"
	"dojo/model/kernel"
)

// rangeCount is the number of ranges of a network: one of the planes, and one
// a channel behind the stem, between the layers of each block, and behind it.
func (n Network) rangeCount() int { return 1 + (1+2*n.Blocks)*n.Channels }

// Calibrate measures how large the checkpoint's activations become on boards,
// row-major planes of positions as they are played, and keeps it in Ranges.
// Some hundred boards are enough. Where planes are negative there are no
// ranges.
func (c *Checkpoint) Calibrate(planes []float32) {
	c.Ranges = nil
	if len(planes) == 0 || slices.Min(planes) < 0 {
		return
	}
	n := NewNet(c)
	boards := len(planes) / c.Planes.Size()
	size := boards * c.Planes.Cells() * c.Channels
	x, y := make([]float32, size), make([]float32, size)
	c.Ranges = append(c.Ranges, slices.Max(planes))
	n.stem.Run(x, planes, nil, boards, true)
	c.Ranges = append(c.Ranges, bestRanges(x, c.Channels)...)
	for _, b := range n.blocks {
		b[0].Run(y, x, nil, boards, true)
		c.Ranges = append(c.Ranges, bestRanges(y, c.Channels)...)
		b[1].Run(x, y, x, boards, true)
		c.Ranges = append(c.Ranges, bestRanges(x, c.Channels)...)
	}
}

// own is how far a channel's range is its own, and not the largest of all. The
// more it is, the more precise are quiet channels' activations, and the less so
// the weights behind them (Xiao et al. 2023, who take 0.5).
const own = 0.75

// bestRanges are those of each channel, drawn towards the largest.
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
		ranges[c] = float32(detmath.Pow(float64(r), own) * detmath.Pow(float64(top), 1-own))
	}
	return ranges
}

// bestRange is the range that loses least: a smaller one cuts off the largest
// values, a larger one rounds all others more coarsely.
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
