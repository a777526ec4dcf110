// Package patterns describes positions by the contents of small groups of neighbouring cells, such
// as every straight line of four cells, and actions by what they change. With one call, a game on a
// board gets features that need no knowledge about good play:
//
//	rules = patterns.Describe(rules, patterns.Board[State]{Kinds: 2, Men: men}, patterns.Line(4), patterns.Block(2, 2))
//
// A sparse network has one column of weights for each feature. The columns of a pattern therefore
// form a table with one entry for each content. Such tables are known as n-tuple networks (Lucas
// 2008 for Othello; Thill, Koch and Konen 2012 for Connect Four) and as the pattern tables of
// Othello programs (Buro 1997).
package patterns

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"dojo.example/engine"
)

// A set is a list of patterns. A pattern is a group of cells on the board. Its content is a number:
// digit i, in base kinds + 1, is 0 if cell i is empty and k + 1 if a man of kind k is on it. Each
// content except 0 is a feature.
type set struct {
	grid     grid
	patterns []pattern // narrow patterns, then wide patterns

	// A word holds the contents of eight narrow patterns in 8 bits each, or of four wide patterns in
	// 16 bits each. Row kind*64 + bit of rows has words elements. They are the numbers that a man of
	// this kind on this cell adds to the words. So one addition updates several patterns.
	rows          []uint64
	words, narrow int      // number of words, and of words with narrow patterns
	before        []uint16 // for each place in the words: the number before the pattern's first feature
}

// A pattern is narrow if its contents are less than 256, and wide otherwise.
type pattern struct {
	cells []cell
	first int // number of the feature for content 1
}

// maxWords is the largest number of words of a set. It is enough for 512 narrow patterns.
const maxWords = 64

// newSet returns the patterns that the shapes form everywhere on the board. It panics if there are so
// many that 16 bits cannot number their features, or that they need more than 64 words.
func newSet(g grid, shapes ...[]Shape) *set {
	s := &set{grid: g}
	s.place(shapes, func(contents int) bool { return contents <= 1<<8 })
	narrow := len(s.patterns)
	s.place(shapes, func(contents int) bool { return contents > 1<<8 })
	s.narrow = (narrow + 7) / 8
	s.words = s.narrow + (len(s.patterns)-narrow+3)/4
	if s.count() > 1<<16 || s.words > maxWords {
		panic(fmt.Sprintf("patterns: %d patterns with %d features are too many", len(s.patterns), s.count()))
	}
	s.rows = make([]uint64, 64*g.kinds*s.words)
	s.before = make([]uint16, 8*s.narrow+4*(s.words-s.narrow))
	for i, p := range s.patterns {
		if i < narrow {
			s.store(p, i, i/8, i%8*8)
		} else {
			i -= narrow
			s.store(p, 8*s.narrow+i, s.narrow+i/4, i%4*16)
		}
	}
	return s
}

// place appends the placements of those shapes for which wanted returns true.
func (s *set) place(shapes [][]Shape, wanted func(contents int) bool) {
	for _, shape := range slices.Concat(shapes...) {
		if !wanted(s.grid.contents(len(shape))) {
			continue
		}
		for _, cells := range s.grid.placements(shape) {
			s.patterns = append(s.patterns, pattern{cells, s.count()})
		}
	}
}

// store puts the content of p into a word, at bit shift.
func (s *set) store(p pattern, place, word, shift int) {
	s.before[place] = uint16(p.first - 1)
	weight := uint64(1)
	for _, c := range p.cells {
		for kind := range s.grid.kinds {
			row := kind*64 + s.grid.bit(c)
			s.rows[row*s.words+word] += uint64(kind+1) * weight << shift
		}
		weight *= uint64(s.grid.kinds + 1)
	}
}

// count returns the number of features.
func (s *set) count() int {
	if len(s.patterns) == 0 {
		return 0
	}
	last := s.patterns[len(s.patterns)-1]
	return last.first + s.grid.contents(len(last.cells)) - 1
}

// active returns an upper bound on the number of active features in a position.
func (s *set) active() int { return len(s.before) }

// append appends the features of a position in increasing order. It does not allocate memory if dst
// has room for active features.
func (s *set) append(dst []uint16, men *Men) []uint16 {
	var all [maxWords]uint64
	sums := all[:s.words]
	for kind, set := range men[:s.grid.kinds] {
		for ; set != 0; set &= set - 1 {
			row := s.rows[(kind*64+bits.TrailingZeros64(set))*s.words:]
			row = row[:len(sums)]
			for i := range sums {
				sums[i] += row[i]
			}
		}
	}
	// Most contents are not 0, and which ones is hard to predict. So the loops write a feature for
	// each content without a branch, and overwrite it if the content is 0.
	n := len(dst)
	dst = slices.Grow(dst, len(s.before))
	dst = dst[:n+len(s.before)]
	before := s.before
	for _, word := range sums[:s.narrow] {
		for i, first := range before[:8] {
			content := uint16(word>>(8*i)) & 0xff
			dst[n] = first + content
			n += int(content+0xff) >> 8
		}
		before = before[8:]
	}
	for _, word := range sums[s.narrow:] {
		for i, first := range before[:4] {
			content := int(word >> (16 * i) & 0xffff)
			dst[n] = first + uint16(content)
			n += (content + 0xffff) >> 16
		}
		before = before[4:]
	}
	return dst[:n]
}

// groups returns the names of the features. Each pattern is a group, and its features are named by
// their contents: "a1 b1 c1" has "1..", ".1.", "12." and so on, where 1 is a man of the first kind.
func (s *set) groups() (all engine.FeatureGroups) {
	names := map[int][]string{} // by number of cells
	for _, p := range s.patterns {
		n := len(p.cells)
		for content := 1; content < s.grid.contents(n) && len(names[n]) < content; content++ {
			names[n] = append(names[n], s.contentName(content, n))
		}
		var cells []string
		for _, c := range p.cells {
			cells = append(cells, c.String())
		}
		all.Add(strings.Join(cells, " "), names[n]...)
	}
	return all
}

// contentName returns the name of a content of n cells.
func (s *set) contentName(content, n int) string {
	var name []byte
	for range n {
		name = append(name, ".123456789"[content%(s.grid.kinds+1)])
		content /= s.grid.kinds + 1
	}
	return string(name)
}

// image returns the function Relabelling.Feature of a symmetry that moves the man on cell c to the
// cell to(c) and changes no man. image panics if the symmetry moves a pattern to cells that
// are not a pattern.
func (s *set) image(to func(c cell) cell) func(group, i int) (otherGroup, j int) {
	type target struct {
		group   int
		weights []int // weight of cell i of the pattern in the content of its image
	}
	groups := map[string]int{} // the pattern that covers these cells
	for i, p := range s.patterns {
		groups[key(p.cells)] = i
	}
	targets := make([]target, len(s.patterns))
	for i, p := range s.patterns {
		var moved []cell
		for _, c := range p.cells {
			moved = append(moved, to(c))
		}
		group, found := groups[key(moved)]
		if !found {
			panic(fmt.Sprintf("patterns: a symmetry moves %v to %v, which is no pattern", p.cells, moved))
		}
		targets[i].group = group
		for _, c := range moved {
			targets[i].weights = append(targets[i].weights, s.grid.contents(slices.Index(s.patterns[group].cells, c)))
		}
	}
	return func(group, i int) (int, int) {
		content, image := i+1, 0
		for _, w := range targets[group].weights {
			image += w * (content % (s.grid.kinds + 1))
			content /= s.grid.kinds + 1
		}
		return targets[group].group, image - 1
	}
}

// key returns a text that is the same for the same cells in any order.
func key(cells []cell) string {
	sorted := slices.SortedFunc(slices.Values(cells), func(a, b cell) int { return cmp.Or(a.y-b.y, a.x-b.x) })
	return fmt.Sprint(sorted)
}
