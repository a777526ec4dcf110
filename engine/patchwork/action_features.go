package patchwork

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
)

// The feature of an action says what it does to the mover's quilt: which patch it sews
// on, how much longer or shorter the seam between filled and empty cells becomes, and
// whether it encloses a single cell.
//
//	patch*perPatch + 2*seam + hole        patch: one of the table or the special patch
//	actionAdvances                        to advance
const (
	seamSteps      = 8
	perPatch       = 2 * seamSteps
	actionAdvances = (patches + 1) * perPatch
	actionFeatures = actionAdvances + 1

	longestChange = 2 * 4 * 8 // of the seam: no patch has more than eight cells
)

// seamChanges are ranges of the change of the seam's length.
var seamChanges = engine.Buckets{-99, -5, -3, -1, 1, 3, 5, 7}

var seamChange = seamChanges.Table(-longestChange, longestChange)

// wideSide is the width of a board with one more column, so that what lies beyond the left
// and the right edge is there.
const wideSide = side + 1

// A rim is a patch and the cells around it on a board of wideSide columns.
type rim struct {
	mask  uint64      // the patch; none is higher than five rows
	least [cells]int8 // by anchor, the change of the seam if the patch had no empty neighbour and its cells were none of each other's
	near  []rimCell   // around it
}

// A rimCell lies beside some cells of a patch, by bits from the patch's anchor.
type rimCell struct{ at, beside int }

// rims has the rim of each patch in each orientation.
var rims = func() (all [patches + 1][orientations]rim) {
	for p := range all {
		for o := range all[p] {
			all[p][o] = newRim(&pieces[p].shapes[o])
		}
	}
	return all
}()

func newRim(s *shape) (r rim) {
	beside := map[int]int{}
	within := 0 // neighbours of cells of the patch that are cells of it
	for _, c := range s.offsets {
		r.mask |= 1 << (c/side*wideSide + c%side)
		for _, d := range [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
			y, x := c/side+d[0], c%side+d[1]
			if x >= 0 && x < side && y >= 0 && slices.Contains(s.offsets, y*side+x) {
				within++
				continue
			}
			beside[y*wideSide+x]++
		}
	}
	for at, n := range beside {
		r.near = append(r.near, rimCell{at, n})
	}
	for anchors := s.anchors; anchors != (quilt{}); {
		anchor := anchors.pop()
		r.least[anchor] = int8(-within)
		for _, c := range s.offsets {
			r.least[anchor] -= int8(bit(anchor + c).neighbours().count())
		}
	}
	return r
}

// A window is the rows of boards of wideSide columns from some row on, as many as fit: the
// digits of the number of empty neighbours.
type window struct{ ones, twos, four uint64 }

// A sewer knows what sewing does to a quilt.
type sewer struct {
	windows [side]window            // by their first row
	lonely  [5]quilt                // the empty cells with n empty neighbours
	planes  [planeSpecial + 1]sewed // what is known of the planes so far
}

// A sewed is what sewing on a patch in an orientation does.
type sewed struct {
	*rim
	first uint16       // the first feature of the patch
	holes [side]uint16 // by row, the anchors where it encloses a cell
}

// begin sets the quilt.
func (s *sewer) begin(q quilt) {
	var free quilt
	empty := whole.without(q)
	for row := range side {
		free = free.or(quilt{empty.down(row*side).lo & (1<<side - 1), 0}.up(row * wideSide))
	}
	right, left, below, above := free.down(1), free.up(1), free.down(wideSide), free.up(wideSide)
	one, two := right.xor(left), right.and(left)
	other, both := below.xor(above), below.and(above)
	ones, twos, four := one.xor(other), two.xor(both).or(one.and(other)), two.and(both)
	for row := range s.windows {
		n := row * wideSide
		s.windows[row] = window{ones.down(n).lo, twos.down(n).lo, four.down(n).lo}
	}
	s.lonely = [5]quilt{
		1: free.and(ones).without(twos), 2: free.and(twos).without(ones), 3: free.and(ones).and(twos), 4: free.and(four),
	}
}

// plane returns what is known of a plane.
func (s *sewer) plane(of *State, plane int) *sewed {
	p := &s.planes[plane]
	if p.rim != nil {
		return p
	}
	patch, o := of.placed(plane)
	p.rim, p.first = &rims[patch][o], uint16(patch*perPatch)
	var holes quilt
	for _, c := range p.near { // a cell is enclosed if all its empty neighbours are cells of the patch
		if c.at >= 0 {
			holes = holes.or(s.lonely[c.beside].down(c.at))
		} else {
			holes = holes.or(s.lonely[c.beside].up(-c.at))
		}
	}
	for row := range p.holes {
		p.holes[row] = uint16(holes.down(row * wideSide).lo)
	}
	return p
}

// change returns how much longer the seam becomes with a patch on free cells, whose anchor is
// a cell in a column. Pairs of a cell of the patch and an empty neighbour outside join the
// seam; pairs with a filled neighbour leave it.
func (w *window) change(r *rim, cell, column int) int {
	patch := r.mask << (column & 15)
	empty := bits.OnesCount64(patch&w.ones) + 2*bits.OnesCount64(patch&w.twos) + 4*bits.OnesCount64(patch&w.four)
	return int(r.least[cell]) + 2*empty
}

// ActionFeatures lists what each action does; see engine.ActionFeatureLister.
func (s State) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	var sewer sewer
	sewer.begin(s.quilts[s.seat])
	for _, a := range legal {
		cell, plane := int(a)/perCell, int(a)%perCell
		if plane == planeAdvance {
			dst = append(dst, actionAdvances)
			continue
		}
		p, row := sewer.plane(&s, plane), cell/side
		column := cell - row*side
		change := sewer.windows[row].change(p.rim, cell, column)
		dst = append(dst, p.first+2*uint16(seamChange[change+longestChange])+p.holes[row]>>(column&15)&1)
	}
	return dst
}
