package games_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/golden"
	"dojo.example/search/mcts"
)

// hashed stands in for a network. It computes logits in [-2, 2) and a value in [-1, 1) from a hash
// of the planes, with the same results on all machines.
func hashed(planes, logits []float32) (value float32) {
	h := fnv.New64a()
	for _, x := range planes {
		bits := math.Float32bits(x)
		h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
	}
	rng := rand.New(rand.NewPCG(h.Sum64(), 0))
	for i := range logits {
		logits[i] = float32(rng.IntN(256))/64 - 2
	}
	return float32(rng.IntN(256))/128 - 1
}

// TestTrees shows that a refactoring does not change the search: it compares searches of each game
// with a stored file. For the first position and for three positions that self-play would reach
// from it, the file contains the value, a checksum of all edges of the root, the most visited
// edges, and the best line. Only an intended change of the search may change the file.
func TestTrees(t *testing.T) {
	var text strings.Builder
	for _, name := range []string{"onitama", "oanquan", "oanquan-traditional", "patchwork", "patchwork-seven", "tictactoe", "wallonitama"} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := mcts.Default()
		s := game.NewSearch(cfg)
		rng := rand.New(rand.NewPCG(1, 1))
		s.Reset(game.Start(rng), rng)
		in, logits := engine.PlaneInput(game.Planes), make([]float32, game.Actions)
		for ply := 0; ply < 4 && s.Position().Outcome() == engine.Ongoing; ply++ {
			for s.Begin(cfg.SelfPlay(), 150); !s.Done(); {
				in.Reset()
				if s.Leaf(&in) {
					value := hashed(in.Planes, logits)

					// Move the logits of the legal actions to the front. The actions are in
					// increasing order, so the loop reads each logit before it overwrites it.
					for i, a := range in.Legal {
						logits[i] = logits[a]
					}
					s.Expand(in.Legal, logits[:len(in.Legal)], value)
				}
			}
			describe(&text, game, s)
			s.Play(s.Root().Choose(1))
		}
	}
	golden.Compare(t, "testdata/trees.txt", text.String())
}

// describe writes the result of a search as text.
func describe(text *strings.Builder, game games.Entry, s mcts.Search) {
	p, edges := s.Position(), s.Root().Edges(nil)
	sum := fnv.New64a()
	for _, e := range edges {
		fmt.Fprintln(sum, e.Action, math.Float32bits(e.Prior), e.Visits, math.Float32bits(e.Value), e.Proven)
	}
	fmt.Fprintf(text, "%s %s: %d visits, value %.6f, %d edges, checksum %x\n", game.Name, p, s.Visits(), s.Root().Value(), len(edges), sum.Sum64())
	slices.SortStableFunc(edges, func(a, b mcts.Edge) int { return b.Visits - a.Visits })
	for _, e := range edges[:min(4, len(edges))] {
		fmt.Fprintf(text, "  %s: %d visits, prior %.6f, value %.6f\n", p.ActionString(e.Action), e.Visits, e.Prior, e.Value)
	}
	best := s.Root().Choose(0)
	for _, a := range s.Root().LineAfter(best, []engine.Action{best}) {
		fmt.Fprintf(text, "  then %s", p.ActionString(a))
		p = p.Play(a)
	}
	fmt.Fprintln(text)
}
