package oanquan

import (
	"math/rand/v2"
	"testing"
)

// TestSow drops the stones one by one, as section 2 tells it, on boards with
// hands of up to three laps.
func TestSow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	laps := 0
	for range 100_000 {
		most := 1 + rng.IntN(40)
		s := State{opt: Default, big: [2]bool{true, true}}
		for f := range s.board {
			s.board[f] = uint8(rng.IntN(most) * rng.IntN(2))
		}
		from, dir := 1+rng.IntN(5), 2*rng.IntN(2)-1
		if s.board[from] == 0 || s.board[0]+s.board[6] == 0 {
			continue
		}
		if s.board[from] >= fields {
			laps++
		}
		plain, field := s, from
		for { // the rule
			hand := plain.board[field]
			plain.board[field] = 0
			for ; hand > 0; hand-- {
				field = next(field, dir)
				plain.board[field]++
			}
			if field = next(field, dir); plain.board[field] == 0 || king(field) {
				break
			}
		}
		won := 0
		if plain.board[field] == 0 {
			won = plain.capture(field, dir)
		}
		was := s
		if got := s.sow(from, dir); got != won || s != plain {
			t.Fatalf("%v from %d, %+d: %v and %d won, want %v and %d", was.board, from, dir, s.board, got, plain.board, won)
		}
	}
	if laps < 1000 {
		t.Errorf("only %d hands went round the board", laps)
	}
}
