package mcts_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/search/mcts"
	exact "dojo.example/search/solve"
)

// A search with an endgame table proves every position of the table immediately. It plays a won or
// lost position to its end in as many plies as the table says, whether it keeps its tree or starts
// each move with an empty tree.
func TestTables(t *testing.T) {
	cards, rng := []int{8, 6, 0, 12, 9}, rand.New(rand.NewPCG(5, 1))
	table := exact.Endings(fewMen(t, cards, rng).State().(onitama.State), nil)
	rules, made := onitama.Classic, 0
	rules.Endings = func(onitama.State, func() bool) engine.Endings[onitama.State] {
		made++
		return table
	}
	s := tactical(rules, mcts.Tactics{Tables: true})
	decided := 0
	for range 200 {
		p := fewMen(t, cards, rng)
		if p.Outcome() != engine.Ongoing {
			continue
		}
		state := p.State().(onitama.State)
		want, plies, _ := table.Find(&state)
		if want != engine.Draw {
			decided++
		}
		s.Reset(p, rng)
		if !s.Prepare(nil) {
			t.Fatal("there is no table")
		}
		for n := 0; ; n++ {
			goOn(s, rules.Spec, quiet, 8)
			if got := s.Proven(); got != want || s.Visits() > 8 {
				t.Fatalf("%s is proven %v after %d visits, the table says %v", s.Position(), got, s.Visits(), want)
			}
			if want == engine.Draw {
				break
			}
			s.Play(s.Root().Choose(1))
			if o := s.Position().Outcome(); o != engine.Ongoing {
				if o != want || n+1 != plies {
					t.Errorf("%s ends %v after %d plies, the table says %v after %d", p, o, n+1, want, plies)
				}
				break
			}
			if n%3 == 0 {
				s.Reset(s.Position(), rng)
			}
		}
	}
	if decided < 50 || made != 1 {
		t.Errorf("%d positions were decided, %d tables were made", decided, made)
	}
}

// A cardTable is an endgame table for games with the listed cards. In this table, First wins every
// position.
type cardTable struct{ cards []int }

func (c cardTable) Fit(s *onitama.State) bool { return slices.Equal(c.cards, s.Cards()) }

func (c cardTable) Find(*onitama.State) (engine.Outcome, int, bool) { return engine.FirstWins, 9, true }

// A search uses an endgame table only in games with the same cards as the table, and it does not
// build a second table for the same cards.
func TestTableOfAnotherGame(t *testing.T) {
	rules, made := onitama.Classic, 0
	rules.Endings = func(s onitama.State, stop func() bool) engine.Endings[onitama.State] {
		if stop != nil && stop() {
			return nil
		}
		made++
		return cardTable{s.Cards()}
	}
	s, rng := tactical(rules, mcts.Tactics{Tables: true}), rand.New(rand.NewPCG(5, 2))
	start := func(cards ...int) engine.Position { return engine.Forget(onitama.Shuffled(cards, rng)) }
	proven := func(s mcts.Search) bool {
		goOn(s, rules.Spec, quiet, 2)
		return s.Proven() == engine.FirstWins
	}
	if s.Reset(start(8, 6, 0, 12, 9), rng); !s.Prepare(nil) || !proven(s) {
		t.Error("a table is not used")
	}
	if s.Reset(start(0, 6, 8, 9, 12), rng); !s.Prepare(nil) || !proven(s) || made != 1 {
		t.Error("a table is not used in another game with its cards")
	}
	if s.Reset(start(1, 2, 3, 4, 5), rng); s.Prepare(func() bool { return true }) || proven(s) {
		t.Error("a table is used in a game with other cards")
	}
}

// Prepare does nothing if Tactics does not ask for a table or the game offers no table.
func TestNoTable(t *testing.T) {
	rules, rng := onitama.Classic, rand.New(rand.NewPCG(5, 3))
	rules.Endings = func(onitama.State, func() bool) engine.Endings[onitama.State] {
		t.Error("a table is made unasked")
		return nil
	}
	for _, s := range []mcts.Search{tactical(rules, mcts.Tactics{Leaf: 2}), tactical(onitama.Classic, mcts.Tactics{Tables: true})} {
		if s.Reset(engine.Forget(rules.Start(rng)), rng); !s.Prepare(nil) {
			t.Error("a search without tables is not prepared")
		}
	}
}
