package patterns

import (
	"fmt"
	"math/bits"
)

// goals finds the cells that complete a shape. It has one element for each shape.
type goals []goal

// A goal is a shape that wins.
type goal struct {
	starts uint64 // the first cell of each placement
	steps  []int  // for each cell: the distance of each cell's bit from the bit of the first cell
}

// maxGoal is the largest number of cells of a goal.
const maxGoal = 8

// newGoals returns the goals with the given shapes. It panics if a shape has more than maxGoal cells,
// or if its cells do not have the same distances everywhere on the board.
func newGoals(g *grid, shapes []Shape) (all goals) {
	for _, shape := range shapes {
		if len(shape) > maxGoal {
			panic(fmt.Sprintf("patterns: a goal has %d cells, more than %d", len(shape), maxGoal))
		}
		var to goal
		for _, cells := range g.placements(shape) {
			first := g.at(cells[0])
			to.starts |= 1 << first
			for i, c := range cells {
				switch step := g.at(c) - first; {
				case i == len(to.steps):
					to.steps = append(to.steps, step)
				case to.steps[i] != step:
					panic(fmt.Sprintf("patterns: the bits of %v are not as far apart as those of the same shape elsewhere", cells))
				}
			}
		}
		all = append(all, to)
	}
	return all
}

// completing returns the cells where one more man would complete a shape. Some of these cells may be
// occupied.
func (all goals) completing(men uint64) (cells uint64) {
	for i := range all {
		to := &all[i]
		// Bit b of before[k] is set if a placement begins at b and its cells before cell k have men.
		// The set after has the same for the cells after cell k.
		var on, before [maxGoal]uint64
		sum := to.starts
		for k, step := range to.steps {
			on[k], before[k] = bits.RotateLeft64(men, -step), sum
			sum &= on[k]
		}
		after := ^uint64(0)
		for k := len(to.steps) - 1; k >= 0; k-- {
			cells |= bits.RotateLeft64(before[k]&after, to.steps[k])
			after &= on[k]
		}
	}
	return cells
}
