package connectfour

import "math/bits"

// completing returns the cells on which one more disc would make four in a row. Some of these cells
// may be occupied. In each direction, the missing cell is at one end of the other three or between
// them.
func completing(discs uint64) (cells uint64) {
	for _, step := range steps {
		twos := discs & (discs >> step)
		threes := twos & (discs >> (2 * step))
		cells |= threes<<(3*step) | threes>>step
		cells |= (twos & (discs >> (3 * step))) << (2 * step)
		cells |= (discs & (twos >> (2 * step))) << step
	}
	return cells & board
}

// above returns the lowest free cell of each column that is not full.
func above(full uint64) uint64 { return (full + bottomRow) & board }

// fillUp returns how the game would end if the threats stayed the same: 0 means that nobody wins, 1
// that the player to move wins, and 2 that the other player wins. It also returns the number of
// discs until then. A threat is a free cell on which a player would complete four; threats[0] has
// the threats of the player to move.
//
// A player completes four if he can, or else stops the other player from doing so. Otherwise the
// players fill up all cells that are not below a threat. If there are none left, a player plays
// below a threat of his own, which the other player must then stop. A player who has only cells
// below threats of the other player has lost.
func fillUp(full uint64, threats [2]uint64) (winner, discs int) {
	for mover := 0; ; {
		next, played := above(full), uint64(0)
		mine, theirs := threats[mover], threats[1-mover]
		switch safe := next &^ ((mine | theirs) >> 1); {
		case next == 0:
			return 0, discs
		case next&mine != 0:
			return 1 + mover, discs
		case next&theirs != 0:
			played = next & theirs & -(next & theirs)
		case safe != 0:
			played = safe // the order of these discs does not matter
		case next&^(theirs>>1) == 0:
			return 2 - mover, discs
		default:
			played = firstOf(next&^(theirs>>1), mine, theirs)
		}
		n := bits.OnesCount64(played)
		full, discs, mover = full|played, discs+n, mover^n&1
	}
}

// firstOf chooses one of the cells by the cells and the threats above it. It must not prefer left to
// right, because the features have a symmetry. If two cells are equal in this respect, the rest of
// the game is the same after both.
func firstOf(cells, mine, theirs uint64) (first uint64) {
	least := ^uint64(0)
	for ; cells != 0; cells &= cells - 1 {
		bit := bits.TrailingZeros64(cells)
		rest := uint64(height - bit%column) // number of cells from this one to the top
		above := uint64(1)<<rest - 1
		if key := rest<<(2*column) | mine>>bit&above<<column | theirs>>bit&above; key < least {
			first, least = cells&-cells, key
		}
	}
	return first
}
