package oanquan

// next is the field one step on.
func next(f, dir int) int { return (f + dir + fields) % fields }

// sow plays the turn of section 2 from a field, on the board, and returns the
// stones won. It always ends: kings are never picked up, and every lap leaves
// a stone in each.
func (s *State) sow(field, dir int) (won int) {
	for {
		hand := s.board[field]
		s.board[field] = 0
		for ; hand > 0; hand-- {
			field = next(field, dir)
			s.board[field]++
		}
		if field = next(field, dir); s.board[field] == 0 {
			return s.capture(field, dir)
		}
		if king(field) { // A3
			return 0
		}
	}
}

// capture takes what lies behind the empty field n, and on, over one empty
// field at a time, kings too (A5). After a capture there is no relay (A6).
func (s *State) capture(n, dir int) (won int) {
	for s.board[n] == 0 && !(s.opt.EmptyKingStops && king(n)) { // A2
		t := next(n, dir)
		if s.board[t] == 0 || s.young(t) {
			return won
		}
		won += int(s.board[t])
		s.board[t] = 0
		if king(t) {
			s.big[t/6] = false
		}
		n = next(t, dir)
	}
	return won
}

// young reports whether f is a king field that cannot be taken yet (A4).
func (s *State) young(f int) bool {
	return king(f) && s.big[f/6] && s.board[f] < s.opt.BigValue+s.opt.YoungKing && s.opt.YoungKing > 0
}
