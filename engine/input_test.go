package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// All ways to append rows give the same rows. Appending a state does not allocate memory if the
// Input has enough capacity.
func TestInput(t *testing.T) {
	var in engine.Input
	var all []tictactoe.State
	for _, text := range []string{".........", "x...o....", "xoxoxo..."} {
		s, err := tictactoe.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	check := func() {
		t.Helper()
		if in.Rows() != len(all) {
			t.Fatalf("%d rows, want %d", in.Rows(), len(all))
		}
		for i, s := range all {
			if got, want := in.FeaturesOf(i), s.Features(nil); !slices.Equal(got, want) {
				t.Errorf("row %d has features %v, want %v", i, got, want)
			}
			if got, want := in.LegalOf(i), s.Legal(nil); !slices.Equal(got, want) {
				t.Errorf("row %d has actions %v, want %v", i, got, want)
			}
		}
		if from, to := in.LegalRange(1, 3); from != 9 || to != 9+7+3 {
			t.Errorf("the actions of rows 1 and 2 lie from %d to %d, want 9 to 19", from, to)
		}
	}
	for _, s := range all {
		in.Append(engine.Forget(s))
	}
	check()
	allocations := testing.AllocsPerRun(100, func() {
		in.Reset()
		for i := range all {
			engine.AppendTo(&in, &all[i])
		}
	})
	check()
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
	whole := in
	in = engine.Input{}
	for range 2 {
		in.AppendRows(&whole)
	}
	in.AppendRows(&engine.Input{})
	all = append(all, all...)
	check()
	in.Shrink()
	check()
	if got, want := in.Bytes(), int64(2*(len(in.Features)+len(in.Legal))+16*len(all)); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
	if cap(in.Legal) > 2*len(in.Legal) {
		t.Errorf("room for %d actions besides %d", cap(in.Legal), len(in.Legal))
	}
}

// If a feature or an action is out of range, the error names it.
func TestInputOutsideTheGame(t *testing.T) {
	spec := engine.Spec{Name: "toy", Features: 5, ActiveFeatures: 2, Actions: 3}
	for want, x := range map[string]struct {
		features []uint16
		legal    []engine.Action
	}{
		"": {[]uint16{0, 4}, []engine.Action{2}},
		"toy lists feature 5, but the numbers must be less than 5":         {[]uint16{0, 5}, nil},
		"toy lists 3 active features for a position, but the maximum is 2": {[]uint16{0, 1, 2}, nil},
		"toy lists action 3, but the numbers must be less than 3":          {nil, []engine.Action{0, 3}},
	} {
		in := engine.Input{Features: []uint16{9, 9, 9}, Legal: []engine.Action{9}}
		in.EndRow()
		in.Features, in.Legal = append(in.Features, x.features...), append(in.Legal, x.legal...)
		in.EndRow()
		err := in.Check(spec, 1)
		if got := fmt.Sprint(err); got != want && !(err == nil && want == "") {
			t.Errorf("%v, %v: %s, want %q", x.features, x.legal, got, want)
		}
		if in.Check(spec, 0) == nil {
			t.Error("the first row is in order, but should not be")
		}
	}
}
