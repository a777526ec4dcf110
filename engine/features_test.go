package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/engine/tictactoe"
)

func ExampleFeatureLister() {
	s, _ := tictactoe.Parse("x...o....")
	for _, f := range s.Features(nil) {
		fmt.Println(f, tictactoe.Rules.FeatureGroups.NameOf(f))
	}
	// Output:
	// 0 my stones a3
	// 13 their stones b2
}

// silent is tic-tac-toe with an additional count of stones and without a feature list.
type silent struct{ tictactoe.State }

// Features hides the method of tictactoe.State, so that silent is not a FeatureLister.
func (silent) Features() {}

func (s silent) Play(a engine.Action) silent { return silent{State: s.State.Play(a)} }

func (s silent) Encode(planes []float32) {
	var stones [18]float32
	s.State.Encode(stones[:])
	count := float32(0)
	for _, x := range stones {
		count += x / 4
	}
	for cell := range 9 {
		planes[3*cell], planes[3*cell+1], planes[3*cell+2] = stones[2*cell], stones[2*cell+1], count
	}
}

func silentRules() engine.Rules[silent] {
	r := engine.Rules[silent]{
		Spec:  tictactoe.Rules.Spec,
		Start: func(*rand.Rand) silent { return silent{} },
		Parse: func(text string) (silent, error) {
			s, err := tictactoe.Parse(text)
			return silent{State: s}, err
		},
	}
	r.Planes.C, r.Features, r.ActiveFeatures = 3, 0, 0
	for _, sym := range tictactoe.Rules.Symmetries {
		planes := make([]int32, 27)
		for cell := range 9 {
			for c := range 3 {
				planes[3*cell+c] = int32(3*sym.Actions[cell]) + int32(c)
			}
		}
		r.Symmetries = append(r.Symmetries, engine.Symmetry{Name: sym.Name, Planes: planes, Actions: sym.Actions})
	}
	return r
}

// A game without a feature list passes all checks with features derived from its planes.
func TestPlaneFeatures(t *testing.T) {
	rules := silentRules()
	enginetest.Run(t, rules, func(i int, s silent) silent {
		text := make([]byte, 9)
		for cell, stone := range []byte(s.String()) {
			text[rules.Symmetries[i].Actions[cell]] = stone
		}
		image, err := rules.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		return image
	})

	game := rules.Game()
	p, err := game.Parse("xo..x....")
	if err != nil {
		t.Fatal(err)
	}
	in := engine.FeatureInput(game.Planes, 0)
	in.Append(p)
	var names []string
	for _, f := range in.FeaturesOf(0)[:5] {
		names = append(names, game.FeatureGroups.NameOf(f))
	}
	want := []string{
		"row 0, column 0: plane 1 from 1", "row 0, column 0: plane 2 from 0.75",
		"row 0, column 1: plane 0 from 1", "row 0, column 1: plane 2 from 0.75", "row 0, column 2: plane 2 from 0.75",
	}
	if !slices.Equal(names, want) {
		t.Errorf("the features are %q, want %q", names, want)
	}

	rules.Planes.H = 1000
	if n := rules.Game().Features; n != 0 {
		t.Errorf("planes of %v have %d features, too many for 16 bits", rules.Planes, n)
	}
}

func ExampleBuckets() {
	b := engine.Buckets{1, 2, 5}
	fmt.Printf("%q\n", b.Names())
	fmt.Println(b.Of(0), b.Of(1), b.Of(4), b.Of(1000))
	fmt.Println(b.Table(-1, 5))
	// Output:
	// ["1" "2 to 4" "5 or more"]
	// -1 0 1 2
	// [-1 -1 0 1 1 1 2]
}

// The symmetry in this test exchanges two groups of features and reverses the order of one group.
func TestPermute(t *testing.T) {
	groups := engine.FeatureGroups{
		{Name: "a", Each: []string{"x", "y", "z"}},
		{Name: "b", Each: []string{"x", "y", "z"}},
		{Name: "c", Each: []string{"w"}},
	}
	got := groups.Permute(func(group, i int) (int, int) {
		switch group {
		case 0:
			return 1, 2 - i
		case 1:
			return 0, i
		}
		return group, i
	})
	if want := []uint16{5, 4, 3, 0, 1, 2, 6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAppendFeatures(t *testing.T) {
	got := engine.AppendFeatures([]uint16{7}, 100, 1|1<<5|1<<63)
	if want := []uint16{7, 100, 105, 163}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
