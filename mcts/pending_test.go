package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/mcts"
)

// With several simulations pending a search makes exactly its visits, asks for
// several positions at once, and counts every visit once.
func TestPending(t *testing.T) {
	size := tictactoe.Rules.Planes.Size()
	for _, pending := range []int{2, 4, 16, mcts.MaxPending} {
		cfg := mcts.Default()
		cfg.Cache = 0
		s := mcts.New(tictactoe.Rules, cfg)
		s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
		planes, logits := make([]float32, pending*size), make([]float32, 9)
		largest := 0
		for s.Begin(quiet, 500); !s.Done(); {
			before := s.Visits()
			asked := s.Leaves(planes, pending)
			for range asked {
				s.Expand(logits, 0)
			}
			if made := s.Visits() - before; made < max(1, asked) || made > pending {
				t.Fatalf("a round of %d that asks for %d makes %d visits", pending, asked, made)
			}
			largest = max(largest, asked)
		}
		if s.Visits() != 500 || largest < min(pending, 8) {
			t.Errorf("with %d pending: %d visits, want 500; at most %d positions at once", pending, s.Visits(), largest)
		}
		sum := 0
		for _, e := range s.Edges(nil) {
			sum += e.Visits
		}
		if sum != 499 {
			t.Errorf("with %d pending the root's edges have %d visits, want those of the root but the first", pending, sum)
		}
	}
}

// One simulation at a time selects by hand as ever; a second one that is
// pending beside it sees the visit, but no value. Priors are 5/7 and 2/7.
func TestPendingByHand(t *testing.T) {
	s := mcts.New(heapRules, mcts.Config{CPuct: 1, CPuctBase: 1e9})
	s.Reset(engine.Forget(heap{left: 16}), rand.New(rand.NewPCG(1, 0)))
	logits, planes := []float32{0.9162907, 0}, make([]float32, 3)
	s.Begin(quiet, 100)
	if asked := s.Leaves(planes, 3); asked != 1 || planes[0] != 16 {
		t.Fatalf("a new root asks for %d positions, %v, want itself alone", asked, planes)
	}
	s.Expand(logits, 0)
	// All values are 0 as yet, so that P / (1 + pending) decides. 5/7 > 2/7:
	// action 0. With that pending 5/14 > 2/7: action 0 again; its leaf is
	// asked for already, which makes this simulation void. Then 5/21 < 2/7:
	// action 1.
	if asked := s.Leaves(planes, 3); asked != 2 || planes[0] != 15 || planes[1] != 14 {
		t.Fatalf("three simulations ask for %d positions, %v, want 15 and 14 sticks", asked, planes)
	}
	s.Expand(logits, -0.5) // First moves again
	s.Expand(logits, 0.25) // Second moves
	want := "[{0 0.71428573 0.71428573 1 -0.5 ongoing} {1 0.2857143 0.2857143 1 -0.25 ongoing}]"
	if got := fmt.Sprint(s.Edges(nil)); got != want || s.Visits() != 3 {
		t.Errorf("after %d visits the edges are %s, want 3 and %s", s.Visits(), got, want)
	}
}

// A search that is begun again while it waits for answers goes on as if it
// had not asked.
func TestBeginDropsWhatWaits(t *testing.T) {
	play := func(interrupt bool) string {
		s := mcts.New(tictactoe.Rules, mcts.Default())
		s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
		planes := make([]float32, 8*tictactoe.Rules.Planes.Size())
		goOn(s, tictactoe.Rules.Spec, quiet, 50)
		s.Begin(quiet, 100)
		if interrupt && s.Leaves(planes, 8) == 0 {
			t.Fatal("nothing is asked")
		}
		goOn(s, tictactoe.Rules.Spec, quiet, 100)
		return fmt.Sprint(s.Edges(nil), s.Value())
	}
	if got, want := play(true), play(false); got != want {
		t.Errorf("interrupted %s, else %s", got, want)
	}
}

// A tree whose memory is full ends the search, with an answer.
func TestFull(t *testing.T) {
	cfg := mcts.Default()
	cfg.Memory = 20_000
	s := mcts.New(tictactoe.Rules, cfg)
	search(s, tictactoe.Rules.Game().Start(nil), 1, tictactoe.Rules.Spec, quiet, 1_000_000)
	if !s.Full() || s.Visits() < 50 || s.Visits() > 1000 {
		t.Errorf("20 kB are full: %v, after %d visits", s.Full(), s.Visits())
	}
	s.Play(s.Choose(0))
	kept := s.Visits()
	if goOn(s, tictactoe.Rules.Spec, quiet, 1_000_000); s.Visits() <= kept {
		t.Error("there is no new room after an action, which drops the others")
	}
	cfg.Memory = 1 // less than the first position needs
	s = mcts.New(tictactoe.Rules, cfg)
	search(s, tictactoe.Rules.Game().Start(nil), 1, tictactoe.Rules.Spec, quiet, 10)
	if s.Visits() != 1 || s.Choose(0) > 8 {
		t.Errorf("without memory there are %d visits, want 1", s.Visits())
	}
}
