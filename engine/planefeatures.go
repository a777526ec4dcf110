package engine

import (
	"fmt"
	"math"
	"slices"
)

// A game that lists no features has those of its planes. An element above 0 is one active
// feature: element e in range k of thresholds is feature e*len(thresholds) + k. A cell that
// is 0 or 1 thus has one feature, and a count one for each range.

// thresholds are the lower bounds of the ranges; the first range is open at 0.
var thresholds = [...]float32{0, 1. / 8, 1. / 4, 3. / 8, 1. / 2, 3. / 4, 1, 2}

// appendPlaneFeatures appends the active features of planes, in increasing order.
func appendPlaneFeatures(dst []uint16, planes []float32) []uint16 {
	for e, v := range planes {
		if v <= 0 {
			continue
		}
		k := len(thresholds) - 1
		for v < thresholds[k] {
			k--
		}
		dst = append(dst, uint16(e*len(thresholds)+k))
	}
	return dst
}

// usePlaneFeatures describes the features of the planes in a game that lists none. It
// leaves a game without features if 16 bits cannot number them.
func (g *Rules[S]) usePlaneFeatures() {
	size := g.Planes.Size()
	if g.Features > 0 || size*len(thresholds) > math.MaxUint16+1 {
		return
	}
	g.Features, g.ActiveFeatures = size*len(thresholds), size
	var each []string // of a cell
	for c := range g.Planes.C {
		each = append(each, fmt.Sprintf("plane %d above 0", c))
		for _, from := range thresholds[1:] {
			each = append(each, fmt.Sprintf("plane %d from %v", c, from))
		}
	}
	for cell := range g.Planes.Cells() {
		name := fmt.Sprintf("row %d, column %d:", cell/g.Planes.W, cell%g.Planes.W)
		g.FeatureGroups = append(g.FeatureGroups, FeatureGroup{Name: name, Each: each})
	}
	g.Symmetries = slices.Clone(g.Symmetries)
	for i := range g.Symmetries {
		sym := &g.Symmetries[i]
		sym.Features = nil
		for _, e := range sym.Planes {
			for k := range thresholds {
				sym.Features = append(sym.Features, uint16(int(e)*len(thresholds)+k))
			}
		}
	}
}
