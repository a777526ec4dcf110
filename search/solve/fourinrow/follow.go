package fourinrow

// follow returns an upper bound of the score of the player to move. It returns 0 or -1 if a simple
// strategy of the other player, the follower, guarantees a draw or a win. Otherwise it returns
// cells. It must be First's turn, so the number of empty cells is even.
//
// Where all columns have an even number of empty cells, the follower answers each stone with a
// stone in the same column. Then the mover gets all lower cells and the follower gets all upper
// cells, in whatever order the mover plays. This is "claimeven" (Allis, 1988: A Knowledge-based
// Approach of Connect-Four). If two or four columns have an odd number of empty cells, the follower
// also joins their next cells in pairs. When the mover takes one cell of a pair, the follower takes
// the other.
//
// The follower cannot lose if the mover would have no four in a row at the end. The follower wins
// if it completes four in a row at the end, or if it has a completion on an upper cell: sooner or
// later the mover has to play below it. The mover then never gets the cells above this completion.
func follow(mine, theirs, completions bitboard) int {
	mask := mine | theirs
	next := (mask + ground) & uppers // the next cells of the columns with an odd number of empty cells
	empty := board &^ mask &^ next
	mineAtEnd, theirsAtEnd := mine|empty&lowers, theirs|empty&uppers
	waiting := completions & empty & uppers
	if waiting != 0 {
		second, fourth := waiting&(ground<<1), waiting&(ground<<3)
		mineAtEnd &^= second<<1 | second<<3 | fourth<<1
	}
	if four(mineAtEnd) {
		return cells
	}
	a, next := lowest(next)
	b, next := lowest(next)
	switch {
	case next != 0:
		if !canPair(mineAtEnd, a, b, next) {
			return cells
		}
	case four(mineAtEnd|a) || four(mineAtEnd|b):
		return cells
	case four(theirsAtEnd|a) && four(theirsAtEnd|b): // both sets are empty if all columns are even
		return -1
	}
	if waiting != 0 {
		return -1
	}
	return 0
}

// canPair reports whether the cells a and b and the two cells of rest can be joined in pairs so
// that the mover has no four in a row, whichever cell of each pair it takes. It returns false if
// rest has more than two cells.
func canPair(mine, a, b, rest bitboard) bool {
	c, rest := lowest(rest)
	d, rest := lowest(rest)
	if rest != 0 {
		return false
	}
	ac, ad, bc, bd := !four(mine|a|c), !four(mine|a|d), !four(mine|b|c), !four(mine|b|d)
	if ac && ad && bc && bd { // the pairs ab and cd
		return true
	}
	return (ad && bc || ac && bd) && !four(mine|a|b) && !four(mine|c|d) // the pairs ac and bd, or ad and bc
}

// lowest returns the lowest cell of a set, and the other cells.
func lowest(set bitboard) (cell, others bitboard) { return set & -set, set & (set - 1) }
