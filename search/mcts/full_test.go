package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// If Begin is called while a search waits for an evaluation, the search continues as if it had
// never asked for this evaluation.
func TestBeginDropsWhatWaits(t *testing.T) {
	play := func(interrupt bool) string {
		s := mcts.New(tictactoe.Rules, mcts.Default())
		s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
		goOn(s, tictactoe.Rules.Spec, quiet, 50)
		s.Begin(quiet, 100)
		if interrupt && !s.Leaf(&engine.Input{}) {
			t.Fatal("nothing is asked")
		}
		goOn(s, tictactoe.Rules.Spec, quiet, 100)
		return fmt.Sprint(s.Root().Edges(nil), s.Root().Value())
	}
	if got, want := play(true), play(false); got != want {
		t.Errorf("interrupted %s, else %s", got, want)
	}
}

// A search ends when its tree has used up the memory limit, and it can still choose an action.
func TestFull(t *testing.T) {
	cfg := mcts.Default()
	cfg.Memory = 20_000
	s := mcts.New(tictactoe.Rules, cfg)
	search(s, tictactoe.Rules.Game().Start(nil), 1, tictactoe.Rules.Spec, quiet, 1_000_000)
	if s.Proven() != engine.Ongoing || s.Visits() < 50 || s.Visits() > 1000 {
		t.Errorf("with 20 kB the search ends after %d visits, %v", s.Visits(), s.Proven())
	}
	s.Play(s.Root().Choose(0))
	kept := s.Visits()
	if goOn(s, tictactoe.Rules.Spec, quiet, 1_000_000); s.Visits() <= kept {
		t.Error("there is no new room after an action, which drops the others")
	}
	cfg.Memory = 1 // less memory than the first position needs
	s = mcts.New(tictactoe.Rules, cfg)
	search(s, tictactoe.Rules.Game().Start(nil), 1, tictactoe.Rules.Spec, quiet, 10)
	if s.Visits() != 1 || s.Root().Choose(0) > 8 {
		t.Errorf("without memory there are %d visits, want 1", s.Visits())
	}
}
