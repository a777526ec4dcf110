package patterns_test

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/engine/othello"
)

// configured returns the game with the option features=patterns.
func configured[S engine.State[S]](t testing.TB, name string, of func(name string, set *engine.Settings) engine.Rules[S]) engine.Game {
	set := engine.ReadSettings(name, "features=patterns")
	rules := of(name+":features=patterns", set)
	if err := set.Check(); err != nil {
		t.Fatal(err)
	}
	return rules.Game()
}

// list returns the features and the action features of a position.
func list(g engine.Game, p engine.Position) *engine.Input {
	in := engine.FeatureInput(g.Planes, g.PerAction)
	in.Append(p)
	return &in
}

// wins returns the actions with which the player to move ends the game.
func wins(p engine.Position) (all []engine.Action) {
	for _, a := range p.Legal(nil) {
		if p.Play(a).Outcome() == engine.WonBy(p.ToMove()) {
			all = append(all, a)
		}
	}
	return all
}

// play plays random games and calls see for each position in which the game goes on.
func play(t *testing.T, g engine.Game, games int, see func(p engine.Position)) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range games {
		p, err := g.Deal(rng)
		if err != nil {
			t.Fatal(err)
		}
		for p.Outcome() == engine.Ongoing {
			see(p)
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// TestEffects compares the effect in the feature of each action with what playing the game shows.
// Nobody can pass in Connect Four, so TestEffects finds out whether the opponent can win before an
// action by looking at his actions after another one.
func TestEffects(t *testing.T) {
	g, seen := configured(t, "connectfour", connectfour.Configured), map[uint16]int{}
	play(t, g, 300, func(p engine.Position) {
		in := list(g, p)
		legal := in.LegalOf(0)
		for i, feature := range in.ActionFeaturesOf(0, 0) {
			effect, next := feature%16, p.Play(legal[i])
			seen[effect]++
			if won := next.Outcome() == engine.WonBy(p.ToMove()); won != (effect&1 != 0) {
				t.Fatalf("%s: effect of %s is %d, but the action wins: %v", p, p.ActionString(legal[i]), effect, won)
			}
			if next.Outcome() == engine.Ongoing && (len(wins(next)) > 0) != (effect&4 != 0) {
				t.Fatalf("%s: effect of %s is %d, but the opponent can win then with %v", p, p.ActionString(legal[i]), effect, wins(next))
			}
		}
	})
	if len(seen) < 10 {
		t.Errorf("only the effects %v occurred", seen)
	}
}

// TestGoals checks that the features name the cells on which the player to move can win at once.
func TestGoals(t *testing.T) {
	g, seen := configured(t, "connectfour", connectfour.Configured), 0
	play(t, g, 200, func(p engine.Position) {
		var names []string
		for _, f := range list(g, p).FeaturesOf(0) {
			names = append(names, g.FeatureGroups.NameOf(f))
		}
		for _, a := range wins(p) {
			seen++
			state := p.State().(connectfour.State)
			mine, theirs := state.Bitboards()
			height := bits.OnesCount64((mine | theirs) >> (7 * a) & 0x7f)
			want := "I win on, " + p.ToMove().String() + " to move: " + string([]byte{'a' + byte(a), '1' + byte(height)})
			if !slices.Contains(names, want) {
				t.Fatalf("%s: %q is not among the features %q", p, want, names)
			}
		}
	})
	if seen < 50 {
		t.Errorf("only %d wins occurred", seen)
	}
}

// TestReach checks that the features name the free cells that the player to move can reach.
func TestReach(t *testing.T) {
	g := configured(t, "othello", othello.Configured)
	play(t, g, 20, func(p engine.Position) {
		var want, got []int
		for _, a := range p.Legal(nil) {
			if a != othello.Pass {
				want = append(want, int(a))
			}
		}
		for _, f := range list(g, p).FeaturesOf(0) {
			group, i := g.FeatureGroups.At(int(f))
			if name := g.FeatureGroups[group].Name; name == "free, I reach" || name == "free, both reach" {
				got = append(got, i)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: I reach %v, want %v", p, got, want)
		}
	})
}

// TestChange checks the features of the actions of one position by hand. The first player has a1, b1
// and c1; the second player has d1, a2 and b2; it is the first player's turn. A disc on c2 stops the
// second player from making three in a row with d2 free. None of the actions changes who can win, and
// none makes or takes away a cell that completes four, except that c2 takes d2 from the opponent.
func TestChange(t *testing.T) {
	g := configured(t, "connectfour", connectfour.Configured)
	p, _ := g.FirstPosition(nil)
	for _, a := range []engine.Action{0, 3, 1, 0, 2, 1} {
		p = p.Play(a)
	}
	in := list(g, p)
	for action, want := range map[int]uint16{
		2: (2*7+1)*16*9 + 16*1, // the opponent's disc on c2 would have made four possible on d2
		6: 6 * 7 * 16 * 9,      // nothing
	} {
		if got := in.ActionFeaturesOf(0, 0)[action]; got != want {
			t.Errorf("after %s: %d, want %d", p.ActionString(engine.Action(action)), got, want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	allocates(t, connectfour.Configured("", engine.ReadSettings("", "features=patterns")))
	allocates(t, othello.Configured("", engine.ReadSettings("", "features=patterns")))
}

// allocates fails the test if listing the features of a state allocates memory.
func allocates[S engine.State[S]](t *testing.T, r engine.Rules[S]) {
	in, s := engine.FeatureInput(r.Planes, r.PerAction), r.Start(rand.New(rand.NewPCG(1, 1)))
	engine.AppendTo(&in, &s, r.Listing)
	if n := testing.AllocsPerRun(100, func() { in.Reset(); engine.AppendTo(&in, &s, r.Listing) }); n > 0 {
		t.Errorf("%T: listing features allocates %v times", s, n)
	}
}

func BenchmarkList(b *testing.B) {
	for name, g := range map[string]engine.Game{
		"connectfour": configured(b, "connectfour", connectfour.Configured),
		"othello":     configured(b, "othello", othello.Configured),
	} {
		b.Run(name, func(b *testing.B) {
			in := engine.FeatureInput(g.Planes, g.PerAction)
			p, _ := g.FirstPosition(rand.New(rand.NewPCG(1, 1)))
			for b.Loop() {
				in.Reset()
				in.Append(p)
			}
		})
	}
}
