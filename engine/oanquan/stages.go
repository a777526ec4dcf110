package oanquan

import "dojo/engine"

// A Stage is one thing that happens in a turn: a hand of stones is lifted from a field,
// one of them is dropped into the next, a field is won, or a stone of one's winnings is
// put back into a field (A7).
type Stage struct {
	Do     string `json:"do"` // lift, drop, win or refill
	Field  int    `json:"field"`
	Stones int    `json:"stones"` // points, where a big stone is won
	Seat   int    `json:"seat"`   // 0 or 1: who wins, or puts back
}

// Stages is what happens in a turn, a stone at a time; see engine.Stager.
func (s State) Stages(a engine.Action) any {
	var stages []Stage
	field, dir := s.split(a)
	seat, board, after := int(s.seat), s.board, s.Play(a)
	for {
		hand := int(board[field])
		board[field] = 0
		stages = append(stages, Stage{"lift", field, hand, seat})
		for ; hand > 0; hand-- {
			field = next(field, dir)
			board[field]++
			stages = append(stages, Stage{"drop", field, 1, seat})
		}
		if field = next(field, dir); board[field] == 0 || king(field) {
			break
		}
	}
	sown := s
	sown.board = board
	for !(s.opt.EmptyKingStops && king(field)) && board[field] == 0 {
		taken := next(field, dir)
		if board[taken] == 0 || sown.young(taken) {
			break
		}
		stages = append(stages, Stage{"win", taken, int(board[taken]), seat})
		board[taken], sown.board[taken] = 0, 0
		field = next(taken, dir)
	}
	for f := range board {
		if after.board[f] > board[f] {
			stages = append(stages, Stage{"refill", f, int(after.board[f] - board[f]), 1 - seat})
		}
	}
	return stages
}
