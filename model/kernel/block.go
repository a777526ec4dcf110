package kernel

import "slices"

// A block is a range of output channels that one kernel call computes.
type block struct {
	from    int       // its first channel
	vectors int       // its width, in vectors of channels
	mask    uintptr   // which lanes of its last vector are channels; see level.mask
	weight  int       // index of its first packed weight, in words
	steps   []rowStep // one a row of the board; only of a 3×3 convolution
	cells   int       // how many cells a kernel computes at once, at most; not of kernels of whole boards
}

// blocks splits out output channels into the widest blocks, of at most widest vectors,
// that kernels of kind k exist for. n is the number of cells that such a kernel
// computes at once.
func (l level) blocks(out int, k kind, n, widest int) (all []block) {
	lanes := l.lanes()
	for from := 0; from < out; {
		left := (out - from + lanes - 1) / lanes
		b := block{from: from, vectors: 1}
		for _, v := range []int{4, 2} {
			if v <= min(left, widest) && exists(l.key(k, n, v)) {
				b.vectors = v
				break
			}
		}
		b.mask = l.mask(min(lanes, out-from-(b.vectors-1)*lanes))
		all = append(all, b)
		from += b.vectors * lanes
	}
	return all
}

// largest returns the largest n for which a kernel of kind k exists that
// computes n cells (of a gradient: n input channels) for blocks of that many vectors.
func (l level) largest(k kind, vectors int) int {
	const most = 15 // what a key has room for
	for n := most; n > 1; n-- {
		if exists(l.key(k, n, vectors)) {
			return n
		}
	}
	return 1
}

// firstPart splits n into the fewest parts of at most limit, as equal as
// possible, and returns the size of the first: firstPart(10, 4) is 4 (4+3+3).
func firstPart(n, limit int) int {
	if n <= limit {
		return n // without a division
	}
	parts := (n + limit - 1) / limit
	return (n + parts - 1) / parts
}

func magnitude(v int16) int { return max(int(v), -int(v)) }

// largestOf sorts v and returns its n largest elements.
func largestOf(v []int, n int) []int {
	slices.Sort(v)
	return v[max(0, len(v)-n):]
}
