package oanquan

import "dojo.example/engine"

// next returns the field after f in direction dir, which is 1 or -1.
func next(f, dir int) int {
	switch f += dir; f {
	case -1:
		return fields - 1
	case fields:
		return 0
	}
	return f
}

// stops returns a ring with one stone in each king field if an empty king field ends a turn (option
// A2). Otherwise it returns an empty ring.
func (s *State) stops() ring {
	if s.opt.EmptyKingStops {
		return kingStones
	}
	return 0
}

// bigStones returns a ring with one stone in each king field that still has its big stone.
func (s *State) bigStones() (r ring) {
	if s.big[0] {
		r = 1
	}
	if s.big[1] {
		r |= 1 << (6 * width)
	}
	return r
}

// youngKings returns a ring with one stone in each king field that cannot be captured yet. Such a
// field has its big stone and too few small stones (option of question A4).
func (s *State) youngKings(r, big ring) ring {
	if s.opt.YoungKing == 0 {
		return 0
	}
	least := ring(s.opt.BigValue + s.opt.YoungKing)
	if r&capacity >= least {
		big &^= 1
	}
	if r>>(6*width)&capacity >= least {
		big &^= 1 << (6 * width)
	}
	return big
}

// sow plays a turn that starts at the given field, stone by stone, as section 2 of the rules
// describes. It returns the number of stones won. If l is not nil, sow appends the stages of the
// turn to it. The method wins is faster, because it computes the gains of all fields together.
func (s *State) sow(field, dir int, l *[]Stage) (won int) {
	add := func(do string, field int, stones uint8) {
		if l != nil {
			*l = append(*l, Stage{do, field, int(stones), int(s.seat)})
		}
	}
	for {
		hand := s.board[field]
		add("lift", field, hand)
		s.board[field] = 0
		for ; hand > 0; hand-- {
			field = next(field, dir)
			add("drop", field, 1)
			s.board[field]++
		}
		if field = next(field, dir); s.board[field] == 0 || king(field) {
			break
		}
	}
	for s.board[field] == 0 && !(s.opt.EmptyKingStops && king(field)) { // question A2
		t := next(field, dir)
		if s.board[t] == 0 || s.young(t) {
			return won
		}
		add("win", t, s.board[t])
		won += int(s.board[t])
		s.board[t] = 0
		if king(t) {
			s.big[t/6] = false
		}
		field = next(t, dir)
	}
	return won
}

// young reports whether f is a king field that cannot be captured yet (option of question A4).
func (s *State) young(f int) bool {
	return king(f) && s.big[f/6] && s.board[f] < s.opt.BigValue+s.opt.YoungKing && s.opt.YoungKing > 0
}

// Stage is one step of a turn, for an animation: stones are lifted from a field, one stone is
// dropped into a field, the stones of a field are won, or a stone that was won is put back into a
// field (question A7).
type Stage struct {
	Do     string `json:"do"` // lift, drop, win or refill
	Field  int    `json:"field"`
	Stones int    `json:"stones"` // number of stones; points if a big stone is won
	Seat   int    `json:"seat"`   // seat of the player who wins or puts back the stones: 0 or 1
}

// Stages returns the stages of a turn as a []Stage; see engine.Stager.
func (s State) Stages(a engine.Action) any {
	var stages []Stage
	field, dir := s.split(a)
	sown, after := s, s.Play(a)
	sown.sow(field, dir, &stages)
	for f, n := range sown.board {
		if put := int(after.board[f]) - int(n); put > 0 {
			stages = append(stages, Stage{"refill", f, put, 1 - int(s.seat)})
		}
	}
	return stages
}
