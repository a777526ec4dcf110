package onitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// The numbers of placements have no gaps, and Find is the inverse of Position.
func TestEndings(t *testing.T) {
	e, err := NewEndings([]int{8, 6, 0, 12, 9}, 2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 9))
	for i := range 200_000 {
		n := rng.Uint32N(e.total)
		if i < 1000 {
			n = uint32(i)
		}
		deal := rng.IntN(Deals)
		s, ok := e.Position(n, deal, engine.Player(rng.IntN(2)))
		if !ok {
			continue
		}
		if got, d, ok := e.Find(s); got != n || d != deal || !ok {
			t.Fatalf("%s has the number %d and the deal %d (%v), want %d and %d", s, got, d, ok, n, deal)
		}
	}
	if e.Placements() != 38_889_000 {
		t.Errorf("%d placements, want 38,889,000", e.Placements())
	}
}

// Successors and the table Leads agree with the moves of the game. Predecessors is the inverse of
// Successors.
func TestEndingSteps(t *testing.T) {
	e, err := NewEndings([]int{3, 15, 4, 10, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 8))
	for range 20_000 {
		n, deal := rng.Uint32N(e.total), rng.IntN(Deals)
		s, ok := e.Position(n, deal, engine.Second)
		if !ok {
			continue
		}
		steps, wins := e.Successors(n, nil)
		type after struct {
			placement uint32
			deal      int
		}
		var got, want []after
		for _, step := range steps {
			for k := range 6 {
				if e.Leads[step.Card][1<<k]>>deal&1 != 0 {
					got = append(got, after{step.Placement, 6*int(step.Card) + k})
				}
			}
			if !slices.Contains(e.Predecessors(step.Placement, nil), n) {
				t.Fatalf("%d leads to %d, which has other predecessors", n, step.Placement)
			}
		}
		won, canWin := false, false
		for c := range uint8(5) {
			canWin = canWin || e.Holds[c]>>deal&1 != 0 && wins>>c&1 != 0
		}
		for _, a := range s.Legal(nil) {
			next := s.Play(a)
			won = won || next.Outcome() == engine.SecondWins
			if next.Outcome() == engine.Ongoing {
				placement, deal, ok := e.Find(next)
				if !ok {
					t.Fatalf("%s is no ending", next)
				}
				want = append(want, after{placement, deal})
			}
		}
		compare := func(a, b after) int { return int(a.placement)*Deals + a.deal - int(b.placement)*Deals - b.deal }
		slices.SortFunc(got, compare)
		slices.SortFunc(want, compare)
		if !slices.Equal(got, want) || won != canWin {
			t.Fatalf("%s leads to %v and wins %v, want %v and %v", s, got, canWin, want, won)
		}
		for _, before := range e.Predecessors(n, nil) {
			steps, _ := e.Successors(before, nil)
			if p := e.placed(before); !over(&p) && !slices.ContainsFunc(steps, func(s Step) bool { return s.Placement == n }) {
				t.Fatalf("%d is called a predecessor of %d", before, n)
			}
		}
	}
}

// If no player has more than two men, the player to move always has a move and need not pass (rule
// 4.4). Successors therefore leaves out passes.
func TestFewMenNeedNotPass(t *testing.T) {
	for a := range card(cards) {
		for b := range a {
			for master := range uint8(cells) {
				for student := range uint8(cells) { // student == master means that there is no student
					s := State{Sides: fivebyfive.Sides{Mine: 1<<master | 1<<student, MyMaster: master, TheirMaster: gone}, hand: [handSize]card{a, b}}
					if legal := s.Legal(nil); legal[0] == action(0, 0, 0) {
						t.Errorf("%s and %s: men on the cells %d and %d have to pass", deck[a].name, deck[b].name, master, student)
					}
				}
			}
		}
	}
}
