package onitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// The features for reached cells and for wins agree with the legal actions. The features for the
// opponent agree with the actions that the opponent would have if the mover's turn were skipped.
func TestFeaturesAgreeWithActions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	wins := 0
	for range 200 {
		for s := start(rng); s.Outcome() == engine.Ongoing; {
			legal := s.Legal(nil)
			mine := wanted(s, false)
			other := wanted(s.turned(), true)
			var got []string
			for _, f := range s.Features(nil) {
				if f := int(f); f >= feat.myMoves && f < feat.myGuards || f == feat.myWin || f == feat.myWin+1 {
					got = append(got, feat.groups.NameOf(uint16(f)))
				}
			}
			want := append(mine, other...)
			slices.Sort(want)
			slices.Sort(got)
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("%s has the features %q, want %q", s, got, want)
			}
			if slices.Contains(want, "win at once: I can") {
				wins++
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if wins < 100 {
		t.Errorf("only %d positions could be won at once", wins)
	}
}

// wanted returns the names of the features that the legal actions imply. If turned is true, the
// features and their names are from the opponent's perspective.
func wanted(s State, turned bool) (names []string) {
	moves, takes, win := "I can go to ", "I can take on ", "win at once: I can"
	if turned {
		moves, takes, win = "they could go to ", "they could take on ", "win at once: they could"
	}
	for _, a := range s.Legal(nil) {
		from, _, to := split(a)
		if from == to {
			continue // a pass reaches no cell
		}
		if s.Play(a).Outcome() == engine.WonBy(s.Mover) {
			names = append(names, win)
		}
		name := moves
		if s.Theirs>>to&1 != 0 {
			name = takes
		}
		if turned {
			to = cells - 1 - to
		}
		names = append(names, name+cellName(to))
	}
	return names
}

// A man is guarded if a card of its side could recapture on its cell. The test replaces the man by
// an opponent's man and checks whether the man's side could capture it.
func TestGuards(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 50 {
		for s := start(rng); s.Outcome() == engine.Ongoing; {
			features := s.Features(nil)
			for cell := range cells {
				if s.Mine>>cell&1 == 0 {
					continue
				}
				lost := s
				lost.Mine ^= 1 << cell
				lost.Theirs ^= 1 << cell
				guards := slices.Contains(features, uint16(feat.myGuards+cell))
				takes := slices.Contains(lost.Features(nil), uint16(feat.myTakes+cell))
				if guards != takes {
					t.Fatalf("%s: the man on %s is guarded: %v, but could be retaken: %v", s, cellName(cell), guards, takes)
				}
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}
