package onitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
	"dojo/engine/enginetest"
)

func TestSparseLaws(t *testing.T) { enginetest.Run(t, Sparse) }

func TestSparseSymmetry(t *testing.T) {
	enginetest.Symmetric(t, Sparse, Sparse.Symmetries[0], func(s SparseState) SparseState { return SparseState{mirror(s.State)} })
}

// In every position of random games, and in those where all must be passed,
// the sparse actions are the others by name, and lead to the same positions.
func TestSparseIsOnitama(t *testing.T) {
	same := func(s State) []engine.Action {
		t.Helper()
		sparse := SparseState{s}
		list := sparse.Legal(nil)
		var names, want []string
		for _, a := range list {
			names = append(names, sparse.ActionString(a))
		}
		for _, a := range s.Legal(nil) {
			want = append(want, s.ActionString(a))
			if i := slices.Index(names, s.ActionString(a)); i < 0 || sparse.Play(list[i]).State != s.Play(a) {
				t.Fatalf("%s: %s is not among %v, or leads elsewhere", s, s.ActionString(a), names)
			}
		}
		if len(names) != len(want) {
			t.Fatalf("%s: %v, want %v", s, names, want)
		}
		return list
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		s := start(rng)
		for s.Outcome() == engine.Ongoing {
			list := same(s)
			s = SparseState{s}.Play(list[rng.IntN(len(list))]).State
		}
	}
	passing, err := Parse("B..../w..../w..../w..../W...w 0 3,15 1,2 4 10")
	if err != nil {
		t.Fatal(err)
	}
	same(passing)
	passing, err = Parse("w...B/w..../w..../w..../W.... 0 3,15 1,2 4 10")
	if err != nil {
		t.Fatal(err)
	}
	if list := same(passing); len(list) != 2 || list[0] != firstPass+3 {
		t.Errorf("legal in %s: %v, want to pass with either card", passing, list)
	}
}
