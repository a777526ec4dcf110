package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/search/mcts"
)

// A search whose network reads features gives the same result as a search whose network reads
// planes, if both networks give the same answers.
func TestFeaturesAndPlanes(t *testing.T) {
	play := func(in engine.Input) string {
		cfg := mcts.Default()
		s := mcts.New(tictactoe.Rules, cfg)
		s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
		for s.Begin(cfg.SelfPlay(), 300); !s.Done(); {
			in.Reset()
			if !s.Leaf(&in) {
				continue
			}
			logits, value := make([]float32, 9), float32(0)
			active := in.Features
			for e, v := range in.Planes {
				// Planes has two numbers for each cell: first the mover's, then the opponent's.
				if v != 0 {
					active = append(active, uint16(e%2*9+e/2))
				}
			}
			for _, f := range active {
				logits[f%9] += float32(f%7) / 4 // multiples of 1/4, so their sums are exact in any order
				logits[(f+4)%9] -= float32(f%3) / 2
				value += float32(int(f)%5-2) / 32
			}
			expand(s, &in, logits, value)
		}
		return fmt.Sprint(s.Root().Edges(nil), s.Root().Value())
	}
	if got, want := play(engine.Input{}), play(engine.PlaneInput(tictactoe.Rules.Planes)); got != want {
		t.Errorf("the search finds\n%s\nby features, by planes\n%s", got, want)
	}
}
