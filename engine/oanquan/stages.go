package oanquan

import "dojo/engine"

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
	sown, seat, after := s, int(s.seat), s.Play(a)
	sown.sowByHand(field, dir, func(do string, field int, stones uint8) {
		stages = append(stages, Stage{do, field, int(stones), seat})
	})
	for f, n := range sown.board {
		if put := int(after.board[f]) - int(n); put > 0 {
			stages = append(stages, Stage{"refill", f, put, 1 - seat})
		}
	}
	return stages
}
