package wallonitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
)

// The features for reached cells, attacks and wins agree with the pawn moves. The features for the
// mover are compared with the mover's moves, and the features for the opponent with the moves that
// the opponent would have on his turn.
func TestFeaturesAgreeWithActions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	wins, walls := 0, 0
	for range 200 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			pawn, skipped := s, s.passed()
			pawn.walling = false
			want := append(wanted(pawn, false), wanted(skipped, true)...)
			var got []int
			for _, f := range s.Features(nil) {
				if f := int(f); f >= feat.reach && f < feat.guarded || f >= feat.win && f < feat.walling {
					got = append(got, f)
				}
			}
			slices.Sort(want)
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("%s has the features %v, want %v", s, got, want)
			}
			if slices.Contains(want, feat.win) {
				wins++
			}
			if s.walling {
				walls++
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	if wins < 100 || walls < 100 {
		t.Errorf("only %d positions could be won at once, in %d the wall was due", wins, walls)
	}
}

// wanted returns the features that the pawn moves imply. If turned is true, the features are from
// the opponent's perspective.
func wanted(s State, turned bool) (list []int) {
	reach, attacked, win := feat.reach, feat.attacked+cells, feat.win
	if turned {
		reach, attacked, win = feat.reach+2*cells, feat.attacked, feat.win+1
	}
	for _, a := range s.Legal(nil) {
		cell, plane := int(a)/perCell, int(a)%perCell
		if plane == planeRest {
			continue // no pawn can move, so the player chooses a card
		}
		slot, step := plane/perSlot, plane%perSlot
		to := cell + (step/reachSide-4)*side + step%reachSide - 4
		taken := s.Theirs>>to&1 != 0
		if s.Play(a).Outcome() != engine.Ongoing {
			list = append(list, win)
		}
		if turned {
			to = cells - 1 - to
		}
		list = append(list, reach+slot*cells+to)
		if taken {
			list = append(list, attacked+to)
		}
	}
	return list
}

// A man is guarded if a card of its side could recapture on its cell.
func TestGuarded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 50 {
		for s := Rules.Start(rng); s.Outcome() == engine.Ongoing; {
			features := s.Features(nil)
			for cell := range cells {
				if s.Mine>>cell&1 == 0 {
					continue
				}
				lost := s
				lost.Mine ^= 1 << cell
				lost.Theirs ^= 1 << cell
				guarded := slices.Contains(features, uint16(feat.guarded+cell))
				attacked := slices.Contains(lost.Features(nil), uint16(feat.attacked+cells+cell))
				if guarded != attacked {
					t.Fatalf("%s: the man on %s is guarded: %v, but could be retaken: %v", s, cellName(cell), guarded, attacked)
				}
			}
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// A card has one feature for each of its crosses, however far the cross is from the circle. The
// features for the opponent's cards show them as the opponent uses them.
func TestSteps(t *testing.T) {
	s, err := Parse("bbBbb/...../W..../...../aaAaa A 50 " +
		"o...x.................... xo..................x.... o.......................x x...........o............ ............o............ pawn")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Features(nil) {
		if int(f) >= feat.steps && int(f) < feat.reach {
			got = append(got, feat.groups.NameOf(f))
		}
	}
	if want := []string{"my first card (4,0)", "my second card (-1,0)", "my second card (-1,-4)",
		"their first card (-4,4)", "their second card (2,-2)"}; !slices.Equal(got, want) {
		t.Errorf("the steps are %q, want %q", got, want)
	}
}

// This position has cards with a cross on every square. It has at most activeFeatures active
// features.
func TestFullCards(t *testing.T) {
	const card = " xxxxxxxxxxxxoxxxxxxxxxxxx"
	most := 0
	for _, rows := range []string{"bbBbb/...../W..../...../aaAaa", "bBbbb/bbbbb/Wbbaa/aaaaa/aaAaa", "B..../...../W..../...../....A", "b.B.b/a.a.a/W.b../b.b.b/a.A.a"} {
		s, err := Parse(rows + " A 1" + card + card + card + card + card + " wall")
		if err != nil {
			t.Fatal(err)
		}
		n := len(s.Features(nil))
		if n > activeFeatures {
			t.Errorf("%s has %d features, want at most %d", s, n, activeFeatures)
		}
		most = max(most, n)
	}
	if most < activeFeatures*9/10 {
		t.Errorf("no position has more than %d features, want nearly %d", most, activeFeatures)
	}
}
