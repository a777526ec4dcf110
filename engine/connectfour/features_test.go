package connectfour

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

// positions calls check for the positions of random games.
func positions(games int, check func(s State)) {
	for seed := range uint64(games) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := (State{}); s.Outcome() == engine.Ongoing; {
			check(s)
			legal := s.Legal(nil)
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// naiveCompleting tries each cell.
func naiveCompleting(discs uint64) (cells uint64) {
	for bit := range bitCount {
		for _, line := range lines.cells {
			mask := uint64(0)
			for _, c := range line {
				mask |= 1 << c
			}
			if mask>>bit&1 != 0 && discs|1<<bit|mask == discs|1<<bit {
				cells |= 1 << bit
			}
		}
	}
	return cells
}

func TestLines(t *testing.T) {
	if len(lines.cells) != 69 {
		t.Fatalf("there are %d lines, want 69", len(lines.cells))
	}
	positions(30, func(s State) {
		full := s.mine | s.theirs
		if got, want := completing(s.mine)&^full, naiveCompleting(s.mine)&^full; got != want {
			t.Fatalf("%s: a disc completes four on the cells %x, want %x", s, got, want)
		}
	})
}

// The names of the active features describe the position.
func TestFeatures(t *testing.T) {
	s, err := ReadColumns("4455622")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range s.Features(nil) {
		got = append(got, feat.groups.NameOf(f))
	}
	for _, want := range []string{
		"my discs d2", "their discs f1", "to move: second", "line d1-g1 ttt.", "line d2-g2 mm..", "line f1-f4 t...",
		"their threats, second to move: c1", "their threats, second to move: g1",
		"column c, second to move: 0 discs, threats none and 1", "they win, second to move, discs: 0 to 4",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s lacks the feature %q; it has\n%s", s, want, strings.Join(got, "\n"))
		}
	}
}

// Each line on which only one player has discs is an active feature.
func TestOpenLines(t *testing.T) {
	positions(20, func(s State) {
		want := 0
		for _, line := range lines.cells {
			mine, theirs := 0, 0
			for _, c := range line {
				mine += int(s.mine >> c & 1)
				theirs += int(s.theirs >> c & 1)
			}
			if (mine == 0) != (theirs == 0) {
				want++
			}
		}
		got := 0
		for _, f := range s.Features(nil) {
			if strings.HasPrefix(feat.groups.NameOf(f), "line ") {
				got++
			}
		}
		if got != want {
			t.Fatalf("%s: %d lines are features, want %d", s, got, want)
		}
	})
}

// naiveFillUp plays on one disc at a time, with the threats of the position.
func naiveFillUp(s State) (winner, discs int) {
	full := s.mine | s.theirs
	threats := [2]uint64{naiveCompleting(s.mine) &^ full, naiveCompleting(s.theirs) &^ full}
	for mover := 0; ; mover = 1 - mover {
		next := above(full)
		if next == 0 {
			return 0, discs
		}
		if next&threats[mover] != 0 {
			return 1 + mover, discs
		}
		play, safe := next&threats[1-mover], next&^((threats[0]|threats[1])>>1)
		if play == 0 {
			play = safe
		}
		if play == 0 {
			if play = next &^ (threats[1-mover] >> 1); bits.OnesCount64(play) > 1 {
				return -1, discs // the order matters, and this function does not know it
			}
		}
		if play == 0 {
			return 2 - mover, discs
		}
		full |= play & -play
		discs++
	}
}

func TestFillUp(t *testing.T) {
	wins := [3]int{}
	positions(300, func(s State) {
		full := s.mine | s.theirs
		winner, discs := fillUp(full, [2]uint64{completing(s.mine) &^ full, completing(s.theirs) &^ full})
		wins[winner]++
		if want, n := naiveFillUp(s); want >= 0 && (winner != want || discs != n) {
			t.Fatalf("%s: player %d wins after %d discs, want %d after %d", s, winner, discs, want, n)
		}
	})
	if slices.Min(wins[:]) < 100 {
		t.Errorf("the results are %v", wins)
	}
}

// A disc on a cell without a line of two discs changes no threats; see State.ActionFeatures.
func TestActionFeatures(t *testing.T) {
	seen := map[uint16]bool{}
	positions(300, func(s State) {
		full := s.mine | s.theirs
		mine, theirs := completing(s.mine)&^full, completing(s.theirs)&^full
		legal := s.Legal(nil)
		features := s.ActionFeatures(legal, nil)
		for i, a := range legal {
			next := s.Play(a)
			disc := (next.mine | next.theirs) &^ full
			if got, want := (next.Outcome() != engine.Ongoing && next.Outcome() != engine.Draw), int(features[i])/4%purposes == 2; got != want {
				t.Fatalf("%s: the feature says that %s wins: %v, but the rules say %v", s, s.ActionString(a), want, got)
			}
			second := firstFeatures + perMover*int(s.ToMove()) + s.change(disc, mine, theirs)
			if got := features[len(legal)+i]; int(got) != second {
				t.Fatalf("%s: the second feature of %s is %d, want %d", s, s.ActionString(a), got, second)
			}
			seen[features[len(legal)+i]] = true
		}
	})
	if len(seen) < 60 {
		t.Errorf("only %d second features occur", len(seen))
	}
}

func BenchmarkFeatures(b *testing.B) {
	var all []State
	positions(50, func(s State) { all = append(all, s) })
	var features []uint16
	var legal []engine.Action
	for i := range b.N {
		s := all[i%len(all)]
		legal = s.Legal(legal[:0])
		features = s.ActionFeatures(legal, s.Features(features[:0]))
	}
}

// The game keeps the laws with each value of the option features, and only the features differ.
func TestConfigured(t *testing.T) {
	for _, features := range []string{"expert", "none", "patterns"} {
		set := engine.ReadSettings("connectfour", "features="+features)
		r := Configured("connectfour:features="+features, set)
		if err := set.Check(); err != nil {
			t.Fatal(err)
		}
		t.Run(features, func(t *testing.T) { enginetest.Run(t, r, mirrored) })
	}
}
