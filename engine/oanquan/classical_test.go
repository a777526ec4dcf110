package oanquan

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Each loud action wins at least loudGain stones.
func TestLoud(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	seen := 0
	for range 100 {
		for s := deal(Default, rng); s.Outcome() == engine.Ongoing; {
			var want []engine.Action
			legal := s.Legal(nil)
			for _, a := range legal {
				field, dir := s.split(a)
				after := s
				if after.sow(field, dir, nil) >= loudGain {
					want = append(want, a)
				}
			}
			seen += len(want)
			if loud, settled := s.Loud(nil); !settled || !slices.Equal(loud, want) {
				t.Fatalf("%s: loud are %v, %v, want %v", s, loud, settled, want)
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if seen < 1000 {
		t.Errorf("only %d loud actions were seen", seen)
	}
}
