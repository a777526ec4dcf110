package patchwork

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
)

// An action has one feature, for its effect on the mover's quilt: which patch the action sews on,
// the range of the change in the length of the seam (the border between filled and empty cells),
// and whether the action encloses a single empty cell. The numbers of the features are:
//
//	patch*perPatch + 2*seam + hole        patch: an index in the table or the special patch
//	actionAdvances                        for advancing
const (
	seamSteps      = 8
	perPatch       = 2 * seamSteps
	actionAdvances = (patches + 1) * perPatch
	actionFeatures = actionAdvances + 1

	longestChange = 2 * 4 * 8 // largest change of the seam; patches have up to eight cells
)

// seamChanges divides the change in the seam's length into ranges.
var seamChanges = engine.Buckets{-99, -5, -3, -1, 1, 3, 5, 7}

var seamChange = seamChanges.Table(-longestChange, longestChange)

// wideSide is the width of a board with an extra column. The column separates the right end of a
// row from the left end of the next row, so a cell beyond an edge has a bit of its own.
const wideSide = side + 1

// rim holds a patch and the cells around it, on a board with wideSide columns.
type rim struct {
	mask uint64 // cells of the patch, which is at most five rows high

	// least is the part of the change in the seam's length that does not depend on the quilt, for
	// each anchor of the patch; see window.change.
	least [cells]int8

	near []rimCell // cells around the patch
}

// rimCell is a cell next to a patch. at is the cell's bit number minus the anchor's bit number, and
// beside is the number of cells of the patch that touch the cell.
type rimCell struct{ at, beside int }

// rims holds the rim of each patch in each orientation.
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
	within := 0 // number of ordered pairs of neighbouring cells in the patch
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

// window holds as many rows of a wide board as fit into 64 bits, beginning with any row. For each
// cell, the bits in ones, twos and four are the three binary digits of the number of its empty
// neighbours.
type window struct{ ones, twos, four uint64 }

// sewer computes the effect of sewing different patches onto one quilt.
type sewer struct {
	windows [side]window            // windows[i] begins with row i
	lonely  [5]quilt                // lonely[n] contains the empty cells with n empty neighbours
	planes  [planeSpecial + 1]sewed // for each plane, the effect of sewing its patch onto the quilt, if known
}

// sewed is the effect of sewing a patch onto a quilt in one orientation.
type sewed struct {
	*rim
	first uint16       // first action feature of the patch
	holes [side]uint16 // for each row, a bit mask of the anchors at which the patch encloses a cell
}

// begin prepares the sewer for a quilt: it fills windows and lonely.
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

// plane returns the effect of sewing the patch of a plane onto the quilt, in the plane's
// orientation. The first call for a plane computes the effect, and later calls return the stored
// result.
func (s *sewer) plane(of *State, plane int) *sewed {
	p := &s.planes[plane]
	if p.rim != nil {
		return p
	}
	patch, o := of.placed(plane)
	p.rim, p.first = &rims[patch][o], uint16(patch*perPatch)
	var holes quilt
	for _, c := range p.near { // a cell is enclosed if the patch covers all its empty neighbours
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

// change returns the change in the seam's length when a patch is sewn onto free cells. The patch's
// anchor is the given cell, in the given column. For each cell of the patch, each empty neighbour
// outside the patch adds 1 to the length, and each filled neighbour subtracts 1. Let n be the
// number of empty neighbours, summed over the cells of the patch; before the patch is sewn on, its
// cells are empty neighbours too. The change is then 2*n, minus the number of all neighbours, minus
// the number of neighbours within the patch. The table r.least contains the part without n.
func (w *window) change(r *rim, cell, column int) int {
	patch := r.mask << (column & 15)
	empty := bits.OnesCount64(patch&w.ones) + 2*bits.OnesCount64(patch&w.twos) + 4*bits.OnesCount64(patch&w.four)
	return int(r.least[cell]) + 2*empty
}

// ActionFeatures appends the feature of each action; see engine.ActionFeatureLister.
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
