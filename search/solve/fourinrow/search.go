package fourinrow

// Scores are counted as in Pascal Pons's test positions, from the side of the player to move. A win
// has the score 22 minus the number of stones of the winner at the end, so a quicker win has a
// larger score. A loss has the negative score of the opponent's win, and a draw has 0.

// A node is a position in the search. The player to move cannot complete four in a row in it: the
// search looks for such moves one ply earlier.
type node struct {
	mine, theirs bitboard // stones of the player to move, and of the opponent
	losses       bitboard // the empty cells that complete four in a row of the opponent
	stones       int      // number of all stones
}

func (n *node) mask() bitboard { return n.mine | n.theirs }

const (
	// From this number of stones on, the search does not use the table, because looking up a
	// position takes longer than searching it.
	tableStones = 31
	// Positions with more stones are not mirrored: their mirror images are rarely searched too.
	mostMirrored = 20

	stopEvery = 1 << 12 // nodes, or buckets of a growing table, between two calls of Stop
)

// atLeast reports whether the score of the player to move is at least beta. Once s.stopped is set,
// the result means nothing.
func (s *Solver) atLeast(n node, beta int) bool {
	if s.nodes++; s.nodes%stopEvery == 0 && s.Stop != nil && s.Stop() {
		s.stopped = true
	}
	if s.stopped {
		return false
	}
	moves := n.moves()
	lost := -(cells - n.stones) / 2 // the score if the opponent wins with its next stone
	switch {
	case moves == 0:
		return lost >= beta
	case n.stones >= cells-2: // each side has one more stone at most, and neither wins with it
		return beta <= 0
	case lost+1 >= beta:
		return true
	case (cells-1-n.stones)/2 < beta: // the score if the player to move wins with its second stone
		return false
	case beta > 0 && !four(board&^n.theirs), beta <= 0 && !four(board&^n.mine): // one side cannot win any more
		return beta <= 0
	}
	if n.stones >= tableStones {
		return s.some(&n, moves, beta)
	}
	hash, bounds := s.table.find(&n)
	switch {
	case lowerBound(bounds) >= beta:
		return true
	case upperBound(bounds) < beta:
		return false
	}
	before := s.nodes
	yes := s.some(&n, moves, beta)
	if s.stopped {
		return false
	}
	if yes {
		bounds = bounds&(1<<boundBits-1) | uint64(beta+offset)<<boundBits
	} else {
		bounds = bounds&^(1<<boundBits-1) | uint64(beta-1+offset)
	}
	s.table.store(hash, bounds, s.nodes-before)
	if s.table.crowded() {
		s.table.resize(2*len(s.table.buckets), s.Stop)
	}
	return yes
}

// moves returns the cells that the player to move can take without losing to the next stone.
func (n *node) moves() bitboard {
	playable := (n.mask() + ground) & board
	moves := playable &^ (n.losses >> 1) // not below a cell where the opponent wins
	if forced := playable & n.losses; forced != 0 {
		if forced&(forced-1) != 0 {
			return 0
		}
		moves &= forced
	}
	return moves
}

// A candidate is a move that the search has not excluded.
type candidate struct {
	stone  bitboard
	losses bitboard // the losses of the opponent's node after the move
	rank   int      // the search begins with the largest
}

// some reports whether one of the moves has a score of at least beta. It first looks for a move
// whose score is clear without search, and then searches the moves in the order of the completions
// that they make.
func (s *Solver) some(n *node, moves bitboard, beta int) bool {
	var list [width]candidate
	length := 0
	mask := n.mask()
	playable := (mask + ground) & board
	for _, column := range centreFirst {
		stone := moves & column
		if stone == 0 {
			continue
		}
		c := candidate{stone: stone, losses: completions(n.mine|stone, mask|stone)}
		if c.isClear(n, playable, beta) {
			return true
		}
		c.rank = c.promise(playable)
		i := length
		for ; i > 0 && list[i-1].rank < c.rank; i-- {
			list[i] = list[i-1]
		}
		list[i] = c
		length++
	}
	if n.stones+1 < tableStones { // looking up all moves before the first search saves a fifth of the nodes
		for i := range list[:length] {
			next := list[i].play(n)
			if _, bounds := s.table.find(&next); upperBound(bounds) < 1-beta {
				return true
			}
		}
	}
	for i := range list[:length] {
		if !s.atLeast(list[i].play(n), 1-beta) {
			return true
		}
	}
	return false
}

// play returns the opponent's node after the move.
func (c *candidate) play(n *node) node {
	return node{n.theirs, n.mine | c.stone, c.losses, n.stones + 1}
}

// promise rates the move by the completions of its player. Those above a playable cell count one
// and a half times, because the opponent can no longer play below them.
func (c *candidate) promise(playable bitboard) int {
	next := playable&^c.stone | c.stone<<1
	return 2*count(c.losses) + count(c.losses&(next<<1))
}

// isClear reports whether the move wins or draws without search, with a score of at least beta.
func (c *candidate) isClear(n *node, playable bitboard, beta int) bool {
	// The opponent cannot stop two completions in different columns, or one above the other.
	now := c.losses & (playable&^c.stone | c.stone<<1)
	if (now&(now-1) != 0 || c.losses>>1&now != 0) && (cells-1-n.stones)/2 >= beta {
		return true
	}
	return beta <= 1 && n.stones%2 == 1 && -follow(n.theirs, n.mine|c.stone, c.losses) >= beta
}
