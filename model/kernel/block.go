package kernel

import "slices"

// A block is a range of output channels that one kernel call computes.
type block struct {
	from    int     // its first channel
	vectors int     // its width in vectors
	mask    uintptr // of its last vector
	weight  int     // where its packed weights start
	steps   []rowStep
}

// blocks cuts output channels into the widest blocks that there are kernels
// for.
func (l level) blocks(out int, k kind, n int) (all []block) {
	lanes := l.lanes()
	for from := 0; from < out; {
		left := (out - from + lanes - 1) / lanes
		b := block{from: from, vectors: 1}
		for _, v := range []int{4, 2} {
			if v <= left && exists(l.key(k, n, v)) {
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

// most is the largest n of a kind of kernel with blocks of that width.
func (l level) most(k kind, vectors int) int {
	for n := 9; n > 1; n-- {
		if exists(l.key(k, n, vectors)) {
			return n
		}
	}
	return 1
}

// share is the first of the fewest and most equal parts of n that have at
// most so much.
func share(n, most int) int {
	parts := (n + most - 1) / most
	return (n + parts - 1) / parts
}

func magnitude(v int16) int { return max(int(v), -int(v)) }

// largestOf sorts v and returns its n largest elements.
func largestOf(v []int, n int) []int {
	slices.Sort(v)
	return v[max(0, len(v)-n):]
}
