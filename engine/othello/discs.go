package othello

import "math/bits"

// A set of cells is a uint64. Bit 8*y+x is the cell in column x and row y, both from 0: bit 0 is a1
// at the top left, and bit 63 is h8.
const (
	side  = 8
	cells = side * side

	columnA uint64 = 0x0101010101010101
	columnH        = columnA << 7
	row1    uint64 = 0xff
	row8           = row1 << 56
	corners uint64 = 1 | 1<<7 | 1<<56 | 1<<63

	// inner are the columns b to g. A line of discs that are enclosed along a row or a diagonal has
	// no disc in the columns a and h.
	inner = ^(columnA | columnH)
)

// grow returns the discs of a run: the cells of set that follow the cells of from without a gap.
// The next cell of a line is step bits higher. It doubles the known length of the runs in each
// round (Kogge-Stone), and a run has at most six discs.
func grow(from, set uint64, step int) uint64 {
	run := set & (from << step)
	run |= set & (run << step)
	pairs := set & (set << step)
	run |= pairs & (run << (2 * step))
	return run | pairs&(run<<(2*step))
}

// shrink is like grow, but the next cell of a line is step bits lower.
func shrink(from, set uint64, step int) uint64 {
	run := set & (from >> step)
	run |= set & (run >> step)
	pairs := set & (set >> step)
	run |= pairs & (run >> (2 * step))
	return run | pairs&(run>>(2*step))
}

// movesOf returns the cells where the owner of the discs mine can play.
func movesOf(mine, theirs uint64) (to uint64) {
	within := theirs & inner
	to = grow(mine, within, 1)<<1 | shrink(mine, within, 1)>>1
	to |= grow(mine, theirs, 8)<<8 | shrink(mine, theirs, 8)>>8
	to |= grow(mine, within, 7)<<7 | shrink(mine, within, 7)>>7
	to |= grow(mine, within, 9)<<9 | shrink(mine, within, 9)>>9
	return to &^ (mine | theirs)
}

// flipsOf returns the discs of theirs that turn when the owner of the discs mine plays on a cell.
func flipsOf(mine, theirs uint64, cell int) (flips uint64) {
	at, within := uint64(1)<<(cell&63), theirs&inner
	flips = up(at, mine, within, 1) | down(at, mine, within, 1)
	flips |= up(at, mine, theirs, 8) | down(at, mine, theirs, 8)
	flips |= up(at, mine, within, 7) | down(at, mine, within, 7)
	return flips | up(at, mine, within, 9) | down(at, mine, within, 9)
}

// up returns the run of discs that follows the cell at if a disc of mine is behind the run. The
// next cell of a line is step bits higher.
func up(at, mine, set uint64, step int) uint64 {
	run := grow(at, set, step)
	if run<<step&mine == 0 {
		return 0
	}
	return run
}

// down is like up, but the next cell of a line is step bits lower.
func down(at, mine, set uint64, step int) uint64 {
	run := shrink(at, set, step)
	if run>>step&mine == 0 {
		return 0
	}
	return run
}

// around returns the cells next to the cells of set, and may return cells of set too.
func around(set uint64) uint64 {
	set |= set&^columnH<<1 | set&^columnA>>1
	return set | set<<8 | set>>8
}

// lines are four sets of cells, one for each direction of a line: rows, columns, diagonals on which
// bits are 9 apart, and diagonals on which bits are 7 apart.
type lines [4]uint64

// borders has the cells at the ends of lines in each direction.
var borders = lines{columnA | columnH, row1 | row8, columnA | columnH | row1 | row8, columnA | columnH | row1 | row8}

// full returns, for each direction, the cells whose line in that direction has no empty cell. It
// spreads the empty cells along the lines.
func full(empty uint64) (list lines) {
	const (
		all    = ^uint64(0)
		right1 = all &^ columnA
		right2 = right1 &^ (columnA << 1)
		right4 = right2 &^ (columnA<<2 | columnA<<3)
		left1  = all &^ columnH
		left2  = left1 &^ (columnH >> 1)
		left4  = left2 &^ (columnH>>2 | columnH>>3)
	)
	for i, step := range [...]int{1, 8, 9, 7} {
		up, down := [3]uint64{right1, right2, right4}, [3]uint64{left1, left2, left4}
		switch step { // the columns that a step to a higher or a lower bit cannot reach
		case 8:
			up, down = [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}, [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
		case 7:
			up, down = down, up
		}
		high, low := empty, empty
		for k := range 3 {
			high |= high << (step << k) & up[k]
			low |= low >> (step << k) & down[k]
		}
		list[i] = ^(high | low)
	}
	return list
}

// stable returns discs of mine that can never be turned. In each of the four directions, such a
// disc is at the border, or its line is full, or the next disc on one side is stable and of the
// same colour. There are stable discs that this test does not find.
func stable(mine uint64, full *lines) (set uint64) {
	for {
		next := mine &
			(full[0] | borders[0] | set<<1 | set>>1) &
			(full[1] | borders[1] | set<<8 | set>>8) &
			(full[2] | borders[2] | set<<9 | set>>9) &
			(full[3] | borders[3] | set<<7 | set>>7)
		if next == set {
			return set
		}
		set = next
	}
}

// count returns the number of cells in a set.
func count(set uint64) int { return bits.OnesCount64(set) }
