package patchwork

import (
	"bytes"
	"math/bits"
)

const (
	side  = 9
	cells = side * side
)

// quilt is a set of cells of the 9×9 board (rule P2 in rules.md). Bit row*9+column stands for the
// cell in that row and column.
type quilt struct{ lo, hi uint64 }

// whole is the quilt with all cells.
var whole = quilt{^uint64(0), 1<<(cells-64) - 1}

func bit(cell int) quilt { return quilt{1, 0}.up(cell) }

func (q quilt) and(o quilt) quilt     { return quilt{q.lo & o.lo, q.hi & o.hi} }
func (q quilt) or(o quilt) quilt      { return quilt{q.lo | o.lo, q.hi | o.hi} }
func (q quilt) xor(o quilt) quilt     { return quilt{q.lo ^ o.lo, q.hi ^ o.hi} }
func (q quilt) without(o quilt) quilt { return quilt{q.lo &^ o.lo, q.hi &^ o.hi} }
func (q quilt) count() int            { return bits.OnesCount64(q.lo) + bits.OnesCount64(q.hi) }
func (q quilt) has(cell int) bool     { return q.down(cell).lo&1 != 0 }

// row returns row y as text, with the character filled or empty for each cell.
func (q quilt) row(y int, filled, empty byte) string {
	line := bytes.Repeat([]byte{empty}, side)
	for x := range line {
		if q.has(y*side + x) {
			line[x] = filled
		}
	}
	return string(line)
}

// up moves each cell n bits up, towards the last cell. down moves each cell n bits down, towards
// cell 0.
func (q quilt) up(n int) quilt {
	if n >= 64 {
		return quilt{0, q.lo << (n - 64)}
	}
	return quilt{q.lo << n, q.hi<<n | q.lo>>(64-n)}
}

func (q quilt) down(n int) quilt {
	if n >= 64 {
		return quilt{q.hi >> (n - 64), 0}
	}
	return quilt{q.lo>>n | q.hi<<(64-n), q.hi >> n}
}

// pop removes the lowest cell from q and returns it.
func (q *quilt) pop() int {
	if q.lo != 0 {
		cell := bits.TrailingZeros64(q.lo)
		q.lo &= q.lo - 1
		return cell
	}
	cell := 64 + bits.TrailingZeros64(q.hi)
	q.hi &= q.hi - 1
	return cell
}

// block reports whether a 7×7 square is filled (rule P15 in rules.md).
func (q quilt) block() bool {
	run := q
	for i := 1; i < 7; i++ { // after step i, run has the cells at which i+1 consecutive filled cells begin
		run = run.and(q.down(i))
	}
	run = run.and(left3)
	all := run
	for range 6 {
		run = run.down(side)
		all = all.and(run)
	}
	return all != quilt{}
}

// left3 contains the first three columns. A run of seven cells in a row can begin only there.
var left3 = column0.or(column0.up(1)).or(column0.up(2))

// column0 is the first column, column8 the last column, and row8 the last row.
var column0, column8, row8 = func() (first, last, bottom quilt) {
	for i := range side {
		first, last, bottom = first.or(bit(i*side)), last.or(bit(i*side+side-1)), bottom.or(bit(cells-1-i))
	}
	return first, last, bottom
}()

// neighbours returns the cells that are next to at least one cell of q.
func (q quilt) neighbours() quilt {
	return q.up(side).or(q.down(side)).or(q.up(1).without(column0)).or(q.down(1).without(column8)).and(whole)
}

// holes returns the number of single empty cells: empty cells without an empty neighbour.
func (q quilt) holes() int {
	free := whole.without(q)
	return free.without(free.neighbours()).count()
}

// seam returns the length of the seam: the number of pairs of neighbouring cells of which one is
// filled and the other is empty.
func (q quilt) seam() int {
	right, below := q.down(1), q.down(side)
	return q.xor(right).without(column8).count() + q.xor(below).without(row8).count()
}
