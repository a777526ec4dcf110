package oanquan

import "dojo.example/engine"

// next is the field one step on.
func next(f, dir int) int {
	switch f += dir; f {
	case -1:
		return fields - 1
	case fields:
		return 0
	}
	return f
}

// stops returns one stone in each king's field if a turn ends before an empty one (A2).
func (s *State) stops() ring {
	if s.opt.EmptyKingStops {
		return kingStones
	}
	return 0
}

// bigStones returns one stone in each king's field that holds its big stone.
func (s *State) bigStones() (r ring) {
	if s.big[0] {
		r = 1
	}
	if s.big[1] {
		r |= 1 << (6 * width)
	}
	return r
}

// youngKings returns one stone in each king's field that cannot be taken yet (A4),
// because it has its big stone and too few others.
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

// sow plays the turn of section 2 from a field, stone by stone, and returns the stones won. It
// adds the stages of the turn to l, unless that is nil. wins does the same for all fields at a
// time.
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
	for s.board[field] == 0 && !(s.opt.EmptyKingStops && king(field)) { // A2
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

// young reports whether f is a king field that cannot be taken yet (A4).
func (s *State) young(f int) bool {
	return king(f) && s.big[f/6] && s.board[f] < s.opt.BigValue+s.opt.YoungKing && s.opt.YoungKing > 0
}

// A Stage is a part of a turn: stones are lifted from a field, one of them is dropped into
// the next, a field is won, or a stone that was won is put back into a field (A7).
type Stage struct {
	Do     string `json:"do"` // lift, drop, win or refill
	Field  int    `json:"field"`
	Stones int    `json:"stones"` // points, where a big stone is won
	Seat   int    `json:"seat"`   // 0 or 1: who wins, or puts back
}

// Stages returns the stages of a turn; see engine.Stager.
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
