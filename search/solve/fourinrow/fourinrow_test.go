package fourinrow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/search/solve"
)

const tableSize = 16 << 20 // enough for all positions of the tests

// late plays random games without winning moves, and returns their positions with the given number
// of empty cells.
func late(games, empty int) (list []connectfour.State) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range games {
		s, stones := connectfour.State{}, 0
		for tries := 0; stones < cells-empty && tries < 100; tries++ {
			legal := s.Legal(nil)
			if next := s.Play(legal[rng.IntN(len(legal))]); next.Outcome() == engine.Ongoing {
				s, stones = next, stones+1
			}
		}
		if stones == cells-empty {
			list = append(list, s)
		}
	}
	return list
}

// minimax returns the value of s by exhaustive search with the rules of the engine.
func minimax(s connectfour.State, known map[connectfour.State]solve.Value) (best solve.Value) {
	if v, ok := known[s]; ok {
		return v
	}
	mover := s.ToMove()
	rank := func(v solve.Value) int { return int(v.Outcome.Value()*mover.Sign()) * (1000 - v.Plies) }
	for i, a := range s.Legal(nil) {
		next := s.Play(a)
		v := solve.Value{Outcome: next.Outcome()}
		if v.Outcome == engine.Ongoing {
			v = minimax(next, known)
		}
		if v.Outcome != engine.Draw {
			v.Plies++
		}
		if i == 0 || rank(v) > rank(best) {
			best = v
		}
	}
	known[s] = best
	return best
}

// In late positions the Solver finds the same results and numbers of plies as an exhaustive search.
// A small table, in which most entries are replaced, changes nothing.
func TestExhaustive(t *testing.T) {
	large, small := New(tableSize), New(0)
	results := map[engine.Outcome]int{}
	for _, s := range late(1000, 12) {
		want := minimax(s, map[connectfour.State]solve.Value{})
		results[want.Outcome]++
		for _, solver := range []*Solver{large, small} {
			if got, ok := solver.Value(s, true); got != want || !ok {
				t.Errorf("%s is %v (%v), want %v", s, got, ok, want)
			}
			got, ok := solver.Value(s, false)
			if want := (solve.Value{Outcome: want.Outcome}); got != want || !ok {
				t.Errorf("without plies %s is %v (%v), want %v", s, got, ok, want)
			}
		}
	}
	if results[engine.Draw] < 20 || results[engine.WonBy(engine.First)] < 20 || results[engine.WonBy(engine.Second)] < 20 {
		t.Errorf("results %v, want many of each", results)
	}
}

// The bounds of follow are right. Both bounds occur, with and without pairs of columns.
func TestFollow(t *testing.T) {
	seen := map[string]int{}
	for _, empty := range []int{8, 10, 12} {
		for _, s := range late(4000, empty) {
			mine, theirs := s.Bitboards()
			mask := mine | theirs
			bound := follow(mine, theirs, completions(theirs, mask))
			if bound == cells {
				continue
			}
			seen[fmt.Sprint(bound, " with odd columns: ", count((mask+ground)&uppers))]++
			v := minimax(s, map[connectfour.State]solve.Value{})
			if got := int(v.Outcome.Value() * s.ToMove().Sign()); got > bound {
				t.Errorf("%s has the result %d, more than the bound %d", s, got, bound)
			}
		}
	}
	t.Log(seen)
	for _, bound := range []int{0, -1} {
		for _, odd := range []int{0, 2, 4} {
			if name := fmt.Sprint(bound, " with odd columns: ", odd); seen[name] < 3 {
				t.Errorf("%d positions have the bound %s", seen[name], name)
			}
		}
	}
}
