package fourinrow

import "math/bits"

// A bitboard is a set of cells. Bit 7*x + y is the cell in column x and row y; both count from 0,
// and row 0 is at the bottom. Row 6 is above the board, so a column takes seven bits and a line
// never continues in the next column.
type bitboard = uint64

const (
	width, height = 7, 6
	cells         = width * height
	mostScore     = cells/2 + 1 // one more than the score of a win with the first stone would be
	column        = height + 1  // number of bits of a column

	ground bitboard = (1<<(width*column) - 1) / (1<<column - 1) // the lowest cell of each column
	board           = ground * (1<<height - 1)                  // all cells

	// lowers are the first, third and fifth cell of each column, uppers are the others.
	lowers = ground * 0b010101
	uppers = ground * 0b101010
)

// centreFirst lists the columns by the number of lines through them.
var centreFirst = [width]bitboard{columnOf(3), columnOf(2), columnOf(4), columnOf(1), columnOf(5), columnOf(0), columnOf(6)}

// columnOf returns the cells of column x.
func columnOf(x int) bitboard { return (1<<height - 1) << (x * column) }

func count(set bitboard) int { return bits.OnesCount64(set) }

// four reports whether four of the stones are in a row.
func four(stones bitboard) bool {
	return run(stones, 1)|run(stones, column-1)|run(stones, column)|run(stones, column+1) != 0
}

// run returns the first cell of each four in a row in one direction. The parameter step is the
// distance of neighbours.
func run(stones bitboard, step uint) bitboard {
	pairs := stones & (stones >> step)
	return pairs & (pairs >> (2 * step))
}

// completions returns the empty cells where one more stone makes four in a row. They may be far
// above the stones of their column. The set mask has the stones of both players.
func completions(stones, mask bitboard) bitboard {
	vertical := stones << 1 & (stones << 2) & (stones << 3)
	return (vertical | fills(stones, column-1) | fills(stones, column) | fills(stones, column+1)) & (board &^ mask)
}

// fills returns the cells that complete four in a row in one direction. It includes cells outside
// the board and cells with stones.
func fills(stones bitboard, step uint) bitboard {
	below, above := stones<<step, stones>>step                 // cells with a neighbour on one side
	below2, above2 := below&(below<<step), above&(above>>step) // cells with two neighbours
	return below2&(stones<<(3*step)|above) | above2&(stones>>(3*step)|below)
}

// mirrored returns the set with left and right exchanged.
func mirrored(set bitboard) bitboard {
	const outer bitboard = 1<<column - 1 // column 0 and the bit above it
	const second, third, middle = outer << column, outer << (2 * column), outer << (3 * column)
	return set>>(6*column)&outer | set&outer<<(6*column) |
		set>>(4*column)&second | set&second<<(4*column) |
		set>>(2*column)&third | set&third<<(2*column) |
		set&middle
}
