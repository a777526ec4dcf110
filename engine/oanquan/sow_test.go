package oanquan

import (
	"math/rand/v2"
	"testing"
)

// TestSow compares sowing by rings with sowing stone by stone, under every option, on
// boards with hands of up to three laps: boards that fit a ring, that outgrow it, and that
// never fit.
func TestSow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	laps, large, outgrown, bySides := 0, 0, 0, 0
	for range 200_000 {
		s := randomBoard(rng)
		from, dir := 1+rng.IntN(5), 2*rng.IntN(2)-1
		if s.board[from] == 0 || s.board[0]+s.board[6] == 0 {
			continue
		}
		if s.board[from] >= fields {
			laps++
		}
		plain, was := s, s
		won := plain.sowByHand(from, dir, nil)
		if got := s.sow(from, dir); got != won || s != plain {
			t.Fatalf("%v from %d, %+d: %v and %d won, want %v and %d", was, from, dir, s, got, plain, won)
		}
		if _, fits := ringOf(&was.board); !fits {
			large++
		} else if most := max(plain.board[0], plain.board[6]); most > capacity {
			outgrown++
		}
		if was.big != plain.big {
			bySides++
		}
	}
	if laps < 1000 || large < 1000 || outgrown < 1000 || bySides < 1000 {
		t.Errorf("only %d hands went round, %d boards were too large, %d grew too large, %d kings were won", laps, large, outgrown, bySides)
	}
}

// randomBoard has up to 39 stones in a field, and random options.
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

// The wins of all fields and of the best answers are the same by rings and stone by stone.
func TestProspects(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some, byHand := 0, 0
	for range 20_000 {
		s := randomBoard(rng)
		if s.board[0]+s.board[6] == 0 || s.empty(s.seat) {
			continue
		}
		if _, fits := ringOf(&s.board); !fits {
			byHand++
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
	if some < 10_000 || byHand < 1000 {
		t.Errorf("only %d answers would win stones, %d boards were too large", some, byHand)
	}
}
