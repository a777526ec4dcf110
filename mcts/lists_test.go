package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/mcts"
)

// A search whose network reads lists is the search whose network reads planes,
// if both answer the same.
func TestListLeaf(t *testing.T) {
	answer := func(features []uint16) (logits []float32, value float32) {
		logits = make([]float32, 9)
		for _, f := range features {
			logits[f%9] += float32(f%7) / 3
			logits[(f+4)%9] -= float32(f%3) / 2
			value += float32(int(f)%5-2) / 20
		}
		return logits, value
	}
	play := func(step func(mcts.Search)) string {
		cfg := mcts.Default()
		s := mcts.New(tictactoe.Rules, cfg)
		s.Reset(tictactoe.Rules.Game().Start(nil), rand.New(rand.NewPCG(1, 0)))
		for s.Begin(cfg.Noise(), 300); !s.Done(); {
			step(s)
		}
		return fmt.Sprint(s.Edges(nil), s.Value())
	}
	planes := make([]float32, tictactoe.Rules.Planes.Size())
	want := play(func(s mcts.Search) {
		if !s.Leaf(planes) {
			return
		}
		var features []uint16 // from the planes: mine, then theirs
		for f := range uint16(18) {
			if planes[f%9*2+f/9] != 0 {
				features = append(features, f)
			}
		}
		s.Expand(answer(features))
	})
	var lists engine.Lists
	got := play(func(s mcts.Search) {
		lists.Reset()
		if !s.ListLeaf(&lists) {
			return
		}
		all, value := answer(lists.FeaturesOf(0))
		var logits []float32
		for _, a := range lists.LegalOf(0) {
			logits = append(logits, all[a])
		}
		s.ExpandLegal(lists.LegalOf(0), logits, value)
	})
	if got != want {
		t.Errorf("the search finds\n%s\nby lists, by planes\n%s", got, want)
	}
}
