package patchwork

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
)

// The features of an action describe the quilt after the action correctly.
func TestActionFeatures(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := deal(rng, false); s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			before := s.quilts[s.seat]
			for i, f := range s.ActionFeatures(legal, nil) {
				next := s.Play(legal[i])
				after := next.quilts[s.seat]
				if after == before {
					if f != actionAdvances {
						t.Fatalf("%s in %s has the feature %d", s.ActionString(legal[i]), s, f)
					}
					continue
				}
				want := 2 * int(seamChanges.Of(after.seam()-before.seam()))
				for free := whole.without(after); free != (quilt{}); {
					if cell := free.pop(); enclosed(after, cell) && !enclosed(before, cell) {
						want |= 1
					}
				}
				if int(f)%perPatch != want || s.pending != (int(f)/perPatch == patches) {
					t.Fatalf("%s in %s has the feature %d of its patch, want %d", s.ActionString(legal[i]), s, int(f)%perPatch, want)
				}
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// enclosed reports whether none of a cell's neighbours is empty.
func enclosed(q quilt, cell int) bool {
	return bit(cell).neighbours().without(q) == quilt{}
}
