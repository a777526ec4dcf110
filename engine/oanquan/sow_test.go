package oanquan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// randomBoard returns a random position with random options. A field has up to 39 stones.
func randomBoard(rng *rand.Rand) State {
	s := State{opt: Default, big: [2]bool{rng.IntN(2) == 0, rng.IntN(2) == 0}, seat: uint8(rng.IntN(2))}
	s.scores = [2]int16{int16(rng.IntN(20)), int16(rng.IntN(20))}
	s.opt.EmptyKingStops = rng.IntN(4) == 0
	s.opt.YoungKing = uint8(rng.IntN(2) * rng.IntN(21))
	most := 1 + rng.IntN(40)
	for f := range s.board {
		s.board[f] = uint8(rng.IntN(most) * rng.IntN(2))
	}
	for i := range s.big {
		s.big[i] = s.big[i] && s.board[6*i] > 0
	}
	return s
}

// Sowing in rings must give the same gains and best answers as sowing stone by stone, for all
// options. Some stones go around the board up to three times. Some boards fit into a ring, some
// overflow a field of the ring during sowing, and some do not fit.
func TestProspects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some, laps, large, outgrown, bySides := 0, 0, 0, 0, 0
	for range 40_000 {
		s := randomBoard(rng)
		if s.board[0]+s.board[6] == 0 || s.empty(s.seat) {
			continue
		}
		_, fits := ringOf(&s.board)
		if !fits {
			large++
		}
		for _, a := range s.Legal(nil) {
			after, was := s, s
			field, dir := s.split(a)
			after.sow(field, dir, nil)
			if was.board[field] >= fields {
				laps++
			}
			if fits && slices.Max(after.board[:]) > capacity {
				outgrown++
			}
			if was.big != after.big {
				bySides++
			}
		}
		won, best := s.prospects()
		if want, wantBest := s.winsByHand(2), s.answersByHand(); won != want || best != wantBest {
			t.Fatalf("%v: sowing wins %v and the best answers %v, want %v and %v", s, won, best, want, wantBest)
		}
		for i, sides := range []int{1, 2} {
			if got, want := s.wins(sides), s.winsByHand(sides); got != want {
				t.Fatalf("%v: the fields of %d sides win %v, want %v", s, i+1, got, want)
			}
		}
		for _, n := range best {
			if n > 0 {
				some++
			}
		}
	}
	if some < 10_000 || laps < 1000 || large < 1000 || outgrown < 1000 || bySides < 1000 {
		t.Errorf("only %d answers would win stones, %d hands went round, %d boards were too large, %d grew too large, %d kings were won",
			some, laps, large, outgrown, bySides)
	}
}
