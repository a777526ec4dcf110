package oanquan

import (
	"math/rand/v2"
	"testing"
)

// TestSow compares sowing by rings with sowing stone by stone, as section 2 tells it,
// under every option, on boards with hands of up to three laps: those that a ring has
// room for, those that outgrow it on the way, and those that never fit.
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
		won := plain.sowByHand(from, dir)
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
	s.opt.EmptyKingStops = rng.IntN(4) == 0
	s.opt.YoungKing = uint8(rng.IntN(2) * rng.IntN(21))
	most := 1 + rng.IntN(40)
	for f := range s.board {
		s.board[f] = uint8(rng.IntN(most) * rng.IntN(2))
	}
	return s
}

// What every field would win is what it wins when it is sown stone by stone, for the
// mover's fields and, as if he had the turn, for the other's.
func TestWinsOfFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	some := 0
	for range 50_000 {
		s := randomBoard(rng)
		if s.board[0]+s.board[6] == 0 {
			continue
		}
		won := s.wins(2)
		for i, n := range won {
			want := 0
			f := low(s.seat) + i/2
			if i >= 2*side {
				f = low(1-s.seat) + i/2 - side
			}
			if s.board[f] > 0 {
				after := s
				want = after.sowByHand(f, 2*(i%2)-1)
			}
			if int(n) != want {
				t.Fatalf("%v: field %d, %+d wins %d, want %d", s, f, 2*(i%2)-1, n, want)
			}
			if n > 0 {
				some++
			}
		}
		if mine := s.wins(1); [2 * side]uint8(mine[:]) != [2 * side]uint8(won[:]) {
			t.Fatalf("%v: the mover's fields alone win %v, with the other's %v", s, mine, won)
		}
	}
	if some < 10_000 {
		t.Errorf("only %d fields would win stones", some)
	}
}
