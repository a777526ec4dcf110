package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"dojo/engine"
	"dojo/engine/tictactoe"
)

func ExampleFeatureLister() {
	s, _ := tictactoe.Parse("x...o....")
	for _, f := range s.Features(nil) {
		fmt.Println(f, engine.FeatureName(tictactoe.Rules.FeatureGroups, int(f)))
	}
	// Output:
	// 0 my stones a3
	// 13 their stones b2
}

// A state and its position list the same features.
func TestListFeatures(t *testing.T) {
	s, err := tictactoe.Parse("xo..x....")
	if err != nil {
		t.Fatal(err)
	}
	want := s.Features(nil)
	if got := engine.ListFeatures(&s, nil); !slices.Equal(got, want) {
		t.Errorf("ListFeatures gives %v, want %v", got, want)
	}
	if got := engine.Forget(s).State().(engine.FeatureLister).Features(nil); !slices.Equal(got, want) {
		t.Errorf("the position lists %v, want %v", got, want)
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

// PermuteFeatures exchanges two groups and reverses one.
func TestPermuteFeatures(t *testing.T) {
	groups := []engine.FeatureGroup{
		{Name: "a", Each: []string{"x", "y", "z"}},
		{Name: "b", Each: []string{"x", "y", "z"}},
		{Name: "c", Each: []string{"w"}},
	}
	got := engine.PermuteFeatures(groups, func(group, i int) (int, int) {
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
