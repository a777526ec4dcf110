package patchwork

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
)

// Select returns at most the advance and one placement for each patch on offer. No other placement
// of the same patch leaves less ruggedness.
func TestSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	placed := 0
	for range 20 {
		for s := deal(rng, false); s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			least := map[int]int{} // least ruggedness, by index of the offer
			offer := func(a engine.Action) int { return int(a) % perCell / orientations }
			hard := func(a engine.Action) int { return ruggedness(s.Play(a).quilts[s.seat]) }
			for _, a := range legal {
				if r, ok := least[offer(a)]; !ok || hard(a) < r {
					least[offer(a)] = hard(a)
				}
			}
			if !s.pending {
				least[planeAdvance/orientations] = ruggedness(s.quilts[s.seat])
			}
			selected := s.Select(nil)
			if len(selected) != len(least) {
				t.Fatalf("%s: %d actions are selected, want %d", s, len(selected), len(least))
			}
			for _, a := range selected {
				if hard(a) != least[offer(a)] {
					t.Fatalf("%s: %s leaves %d, and the best %d", s, s.ActionString(a), hard(a), least[offer(a)])
				}
			}
			placed += len(selected)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if placed < 500 {
		t.Errorf("only %d actions were selected", placed)
	}
}
