package othello

import (
	"math/bits"

	"dojo.example/engine"
)

// feat numbers the features of a position for sparse networks. These are the reasons for the choice
// of features:
//
//   - Discs alone say little: what matters is where a player can play. Whether a cell can be played
//     depends on whole lines, and a sum over discs cannot express it.
//   - A stable disc can never be turned. This also depends on whole lines.
//   - The value of a disc next to a corner depends on the other cells there. The features number all
//     contents of the four cells in each corner, and of the four cells on both edges from a corner.
//     They are small patterns: a pattern of eight cells has 6,561 contents, and the model would be
//     many times larger.
//   - Discs next to empty cells (the frontier) give the opponent moves.
//   - The player who plays last in a part of the board often gains there. So the parity of the empty
//     cells matters, on the whole board and in each quarter.
var feat = func() (f struct {
	groups engine.FeatureGroups

	// These are the numbers of the first feature of each group or of the first of several groups.
	discs, moves, stable, patterns, odd int

	myFrontier, theirFrontier, left, lead engine.Scale
}) {
	var names, contents, quarters []string
	for cell := range cells {
		names = append(names, cellName(cell))
	}
	for i := range patternContents {
		text := []byte("....")
		for k := range text {
			text[k] = ".xo"[i/power3[k]%3]
		}
		contents = append(contents, string(text))
	}
	f.discs = f.groups.Add("my disc on", names...)
	f.groups.Add("their disc on", names...)
	f.moves = f.groups.Add("I can play", names...)
	f.groups.Add("they could play", names...)
	f.stable = f.groups.Add("my stable disc on", names...)
	f.groups.Add("their stable disc on", names...)
	f.patterns = f.groups.Count()
	for v := range 4 {
		name := cornerName(v)
		f.groups.Add("corner "+name, contents...)
		f.groups.Add("row from "+name, contents...)
		f.groups.Add("column from "+name, contents...)
		quarters = append(quarters, "quarter "+name)
	}
	f.odd = f.groups.Add("odd number of empty cells:", append(quarters, "board")...)
	frontier := engine.Buckets{0, 2, 4, 6, 8, 10, 12, 15, 18, 22}
	f.myFrontier = f.groups.AddScale("my frontier", frontier)
	f.theirFrontier = f.groups.AddScale("their frontier", frontier)
	f.left = f.groups.AddScale("empty cells", engine.Buckets{1, 2, 3, 4, 6, 8, 11, 15, 20, 26, 32, 38, 44, 50, 55})
	f.lead = f.groups.AddScale("lead in discs", engine.Buckets{-99, -24, -16, -11, -7, -4, -2, 0, 1, 3, 5, 8, 12, 17, 25})
	return f
}()

// activeFeatures is the maximum number of active features: each disc and each stable disc has one,
// and each empty cell at most two.
const activeFeatures = 2*cells + 3*4 + 5 + 4

const (
	patternContents = 3 * 3 * 3 * 3 // contents of four cells
	kinds           = 3             // patterns at each corner: the corner, the row and the column
	groupPatterns   = 6             // index of the first group of a pattern
	groupOdd        = groupPatterns + 4*kinds
)

var power3 = [4]int{1, 3, 9, 27}

// ternary[n] is the number that has the binary digits of n as its digits to base 3.
var ternary = func() (table [16]uint16) {
	for n := range table {
		for k, power := range power3 {
			table[n] += uint16(n >> k & 1 * power)
		}
	}
	return table
}()

// cornerName returns the name of corner v: a1, h1, a8 or h8.
func cornerName(v int) string { return cellName(v&1*(side-1) + v>>1*(cells-side)) }

// views returns the board seen from each corner: in view v, corner v is at a1.
func views(set uint64) [4]uint64 {
	upside := bits.ReverseBytes64(set)
	return [4]uint64{set, bits.Reverse64(upside), upside, bits.Reverse64(set)}
}

// These functions return the cells of a pattern at corner a1 as the bits 0 to 3.
func cornerAt(set uint64) uint64 { return set&3 | set>>6&12 }                        // a1, b1, a2, b2
func rowAt(set uint64) uint64    { return set & 15 }                                 // a1 to d1
func columnAt(set uint64) uint64 { return set & 0x01010101 * 0x01020408 >> 24 & 15 } // a1 to a4

// Features appends the active features; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	empty := ^(s.mine | s.theirs)
	lines := full(empty)
	dst = engine.AppendFeatures(dst, feat.discs, s.mine)
	dst = engine.AppendFeatures(dst, feat.discs+cells, s.theirs)
	dst = engine.AppendFeatures(dst, feat.moves, s.moves)
	dst = engine.AppendFeatures(dst, feat.moves+cells, movesOf(s.theirs, s.mine))
	dst = engine.AppendFeatures(dst, feat.stable, stable(s.mine, &lines))
	dst = engine.AppendFeatures(dst, feat.stable+cells, stable(s.theirs, &lines))
	mine, theirs, odd := views(s.mine), views(s.theirs), uint64(0)
	at := uint16(feat.patterns)
	for v := range 4 {
		m, t := mine[v], theirs[v]
		dst = append(dst,
			at+ternary[cornerAt(m)]+2*ternary[cornerAt(t)],
			at+patternContents+ternary[rowAt(m)]+2*ternary[rowAt(t)],
			at+2*patternContents+ternary[columnAt(m)]+2*ternary[columnAt(t)])
		at += kinds * patternContents
		odd |= uint64(count(empty&quarters[v])&1) << v
	}
	dst = engine.AppendFeatures(dst, feat.odd, odd|uint64(count(empty)&1)<<4)
	near := around(empty)
	dst = feat.myFrontier.Append(dst, count(s.mine&near))
	dst = feat.theirFrontier.Append(dst, count(s.theirs&near))
	dst = feat.left.Append(dst, count(empty))
	return feat.lead.Append(dst, s.lead())
}

// quarters has the sixteen cells around each corner.
var quarters = views(0x0f0f0f0f)

// symmetry is one of the eight ways to turn the board or turn it over: it first exchanges rows and
// columns or not, then left and right or not, and then top and bottom or not.
type symmetry struct{ transpose, mirror, flip bool }

// symmetries returns all symmetries except the identity.
func symmetries() (list []engine.Relabelling) {
	for i := 1; i < 8; i++ {
		list = append(list, symmetry{i&1 != 0, i&2 != 0, i&4 != 0}.relabelling())
	}
	return list
}

// apply returns the image of a column and a row that are numbered from 0 to last.
func (m symmetry) apply(x, y, last int) (int, int) {
	if m.transpose {
		x, y = y, x
	}
	if m.mirror {
		x = last - x
	}
	if m.flip {
		y = last - y
	}
	return x, y
}

func (m symmetry) cell(cell int) int {
	x, y := m.apply(cell%side, cell/side, side-1)
	return y*side + x
}

func (m symmetry) corner(v int) int {
	x, y := m.apply(v&1, v>>1, 1)
	return y<<1 | x
}

// pattern returns the image of a pattern: corner v, kind of the pattern, and content.
func (m symmetry) pattern(v, kind, content int) (otherV, otherKind, otherContent int) {
	v = m.corner(v)
	switch {
	case m.transpose && kind == 0: // exchanges the cells b1 and a2, the digits 1 and 2
		b1, a2 := content/3%3, content/9%3
		content += 3*(a2-b1) + 9*(b1-a2)
	case m.transpose:
		kind = 3 - kind
	}
	return v, kind, content
}

func (m symmetry) relabelling() engine.Relabelling {
	name := "rows and columns stay"
	if m.transpose {
		name = "rows and columns exchanged"
	}
	if m.mirror {
		name += ", left and right exchanged"
	}
	if m.flip {
		name += ", top and bottom exchanged"
	}
	return engine.Relabelling{
		Name:    name,
		Element: func(cell, channel int) (int, int) { return m.cell(cell), channel },
		Action: func(a int) int {
			if a == Pass {
				return a
			}
			return m.cell(a)
		},
		Feature: func(group, i int) (int, int) {
			switch {
			case group < groupPatterns:
				return group, m.cell(i)
			case group < groupOdd:
				v, kind, content := m.pattern((group-groupPatterns)/kinds, (group-groupPatterns)%kinds, i)
				return groupPatterns + v*kinds + kind, content
			case group == groupOdd && i < 4:
				return group, m.corner(i)
			}
			return group, i
		},
	}
}
