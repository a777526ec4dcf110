package connectfour

import "math/bits"

// lines holds the 69 lines of four cells. They are numbered by direction, then by their first cell.
var lines = func() (l struct {
	starts [len(steps)]uint64                // first cells of the lines in each direction
	number [len(steps)][width * column]uint8 // number of the line that begins on a cell
	cells  [][4]int                          // cells of each line, beginning with the first
}) {
	for d, step := range steps {
		for from := range width * column {
			line := [4]int{from, from + step, from + 2*step, from + 3*step}
			if !onBoard(line[:]) {
				continue
			}
			l.starts[d] |= 1 << from
			l.number[d][from] = uint8(len(l.cells))
			l.cells = append(l.cells, line)
		}
	}
	return l
}()

// onBoard reports whether the cells are on the board. The top bit of each column is not, so a line
// of cells on the board never leaves it at an edge.
func onBoard(cells []int) bool {
	for _, c := range cells {
		if c < 0 || board>>c&1 == 0 {
			return false
		}
	}
	return true
}

// some returns the cells from which a line in the direction of step has at least one of the discs.
func some(discs uint64, step int) uint64 {
	discs |= discs >> step
	return discs | discs>>(2*step)
}

// contents returns which cells of a line have discs, as four bits. The line begins at bit 0.
func contents(discs uint64, step int) int {
	return int(discs&1 | discs>>step&1<<1 | discs>>(2*step)&1<<2 | discs>>(3*step)&1<<3)
}

// count returns how many discs the lines in the direction of step have. The bits of ones and twos
// are the binary digits of the number for the line that begins on a cell. Four discs count as none.
func count(discs uint64, step int) (ones, twos uint64) {
	a, b, c, d := discs, discs>>step, discs>>(2*step), discs>>(3*step)
	return a ^ b ^ c ^ d, (a&b | (a^b)&c) ^ ((a ^ b ^ c) & d)
}

// value adds up the values of the lines on which only the given discs are. A line with one disc
// counts 1, with two discs 4, and with three discs 16.
func value(discs, others uint64) (sum int) {
	for d, step := range steps {
		open := lines.starts[d] &^ some(others, step)
		ones, twos := count(discs, step)
		sum += bits.OnesCount64(open&ones&^twos) + 4*bits.OnesCount64(open&twos&^ones) + 16*bits.OnesCount64(open&ones&twos)
	}
	return sum
}

// pairs returns the cells of the lines that have exactly two of the discs and no others.
func pairs(discs, others uint64) (cells uint64) {
	for d, step := range steps {
		ones, twos := count(discs, step)
		two := lines.starts[d] & twos &^ (ones | some(others, step))
		two |= two << step
		cells |= two | two<<(2*step)
	}
	return cells
}
