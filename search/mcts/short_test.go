package mcts

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/engine/wallonitama"
)

// Tactics find every immediate win of the player to move, and every threat of the opponent that the
// player to move cannot prevent. They allocate nothing.
func TestShortWins(t *testing.T) {
	t.Run("onitama", func(t *testing.T) { shortWins(t, onitama.Classic) })
	t.Run("wallonitama", func(t *testing.T) { shortWins(t, wallonitama.Rules) })
}

func shortWins[S engine.State[S]](t *testing.T, rules engine.Rules[S]) {
	cfg := Default()
	cfg.Tactics.Leaf = 2
	search := New(rules, cfg).(*tree[S])
	rng := rand.New(rand.NewPCG(3, 4))
	wins, losses := 0, 0
	var s, lostIn S
	for range 150 {
		for s = rules.Start(rng); s.Outcome() == engine.Ongoing; {
			mover := s.ToMove()
			now, lost := winsAtOnce(s), loses(s, mover)
			want := engine.Ongoing
			if now {
				want = engine.WonBy(mover)
				wins++
			}
			if got := search.short(&s, 1); got != want {
				t.Fatalf("%s: within a turn %v, want %v", s, got, want)
			}
			got := search.short(&s, 2)
			if lost && any(s).(engine.Striker).Strikes(1-mover) {
				want, lostIn = engine.WonBy(1-mover), s
				losses++
			}
			if got != want {
				t.Fatalf("%s: within two turns %v, want %v", s, got, want)
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if n := testing.AllocsPerRun(100, func() { search.short(&lostIn, 2) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if wins < 50 || losses < 5 {
		t.Errorf("%d wins and %d losses: too few to tell", wins, losses)
	}
}

func winsAtOnce[S engine.State[S]](s S) bool {
	for _, a := range s.Legal(nil) {
		if s.Play(a).Outcome() == engine.WonBy(s.ToMove()) {
			return true
		}
	}
	return false
}

// loses reports whether the opponent can win immediately, however the player mover ends the turn.
func loses[S engine.State[S]](s S, mover engine.Player) bool {
	if s.Outcome() != engine.Ongoing {
		return false
	}
	if s.ToMove() != mover {
		return winsAtOnce(s)
	}
	for _, a := range s.Legal(nil) {
		if !loses(s.Play(a), mover) {
			return false
		}
	}
	return true
}
