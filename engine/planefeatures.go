package engine

import (
	"fmt"
	"math"
	"slices"
)

// This file derives features from planes for games that list no features. A plane element has one
// feature for each range of its values; thresholds lists the ranges. If the value of element e is
// in range k, feature e*len(thresholds) + k is active. If the value is 0, no feature of the element
// is active. An element that is always 0 or 1 therefore uses only one feature. An element that
// holds a count uses one feature for each range.

// thresholds holds the lower bounds of the ranges. A value of 0 is in no range.
var thresholds = [...]float32{0, 1. / 8, 1. / 4, 3. / 8, 1. / 2, 3. / 4, 1, 2}

// appendPlaneFeatures appends the active features of the planes, in increasing order.
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

// usePlaneFeatures derives features from the planes of a game that has none, and sets their names
// and symmetries. If there are more than 65,536 such features, 16 bits cannot number them, and the
// game gets no features.
func (g *Rules[S]) usePlaneFeatures() {
	size := g.Planes.Size()
	if g.Features > 0 || size*len(thresholds) > math.MaxUint16+1 {
		return
	}
	g.Features, g.ActiveFeatures = size*len(thresholds), size
	var each []string // feature names for one cell
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
