package mcts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/engine/wallonitama"
	"dojo.example/search/mcts"
	exact "dojo.example/search/solve"
)

// tactical returns a search with the given tactics.
func tactical[S engine.State[S]](rules engine.Rules[S], t mcts.Tactics) mcts.Search {
	cfg := mcts.Default()
	cfg.Tactics = t
	return mcts.New(rules, cfg)
}

// Every outcome that tactics prove agrees with a table of all positions with few pieces. Stronger
// tactics prove more outcomes.
func TestTacticsAreTrue(t *testing.T) {
	cards := []int{8, 6, 0, 12, 9}
	endings, err := onitama.NewEndings(cards, 1)
	if err != nil {
		t.Fatal(err)
	}
	table := exact.NewTable(endings)
	if err := table.Solve(func() bool { return false }, 2, nil); err != nil {
		t.Fatal(err)
	}
	value := func(p engine.Position) engine.Outcome {
		v, ok := table.Value(p.State().(onitama.State))
		switch {
		case p.Outcome() != engine.Ongoing:
			return p.Outcome()
		case !ok:
			t.Fatalf("%s is not in the table", p)
		}
		return v.Outcome
	}
	proven := map[mcts.Tactics]int{}
	all := []mcts.Tactics{{}, {Leaf: 1}, {Leaf: 2}}
	for _, tactics := range all {
		s := tactical(onitama.Classic, tactics)
		rng := rand.New(rand.NewPCG(5, 1))
		for range 150 {
			p := fewMen(t, cards, rng)
			if p.Outcome() != engine.Ongoing {
				continue
			}
			search(s, p, 1, onitama.Classic.Spec, quiet, 30)
			if got := s.Proven(); got != engine.Ongoing {
				proven[tactics]++
				if want := value(p); got != want {
					t.Errorf("%+v: %s is proven %v, the table says %v", tactics, p, got, want)
				}
			}
			for _, e := range s.Root().Edges(nil) {
				if e.Proven == engine.Ongoing {
					continue
				}
				proven[tactics]++
				if want := value(p.Play(e.Action)); e.Proven != want {
					t.Errorf("%+v: %s: %s is proven %v, the table says %v", tactics, p, p.ActionString(e.Action), e.Proven, want)
				}
			}
		}
	}
	for more, less := range map[mcts.Tactics]mcts.Tactics{{Leaf: 1}: {}, {Leaf: 2}: {Leaf: 1}} {
		if proven[more] <= proven[less] {
			t.Errorf("%+v prove %d values, %+v prove %d", more, proven[more], less, proven[less])
		}
	}
}

// fewMen generates a random position in which each side has a master and a student. The game may be
// over in this position.
func fewMen(t *testing.T, cards []int, rng *rand.Rand) engine.Position {
	t.Helper()
	board := []byte("...../...../...../...../.....")
	for _, man := range "WBwb" {
		at := rng.IntN(len(board))
		for board[at] != '.' {
			at = rng.IntN(len(board))
		}
		board[at] = byte(man)
	}
	c := rng.Perm(len(cards))
	for i := range c {
		c[i] = cards[c[i]]
	}
	p, err := onitama.Classic.Game().Parse(fmt.Sprintf("%s %d %d,%d %d,%d %d", board, rng.IntN(2), c[0], c[1], c[2], c[3], c[4]))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// If the player to move can win immediately, the search plays a winning action, however few visits
// it has made. This is true even if the search keeps its tree from move to move and the root was
// proven when it was still a leaf. A search with tactics always ends with a legal choice.
func TestWinAtHandIsPlayed(t *testing.T) {
	t.Run("onitama", func(t *testing.T) { winsAtHand(t, onitama.Classic) })
	t.Run("wallonitama", func(t *testing.T) { winsAtHand(t, wallonitama.Rules) })
}

func winsAtHand[S engine.State[S]](t *testing.T, rules engine.Rules[S]) {
	wins := 0
	for leaf := 1; leaf <= 2; leaf++ {
		s := tactical(rules, mcts.Tactics{Leaf: leaf})
		rng := rand.New(rand.NewPCG(5, uint64(leaf)))
		for range 20 {
			s.Reset(engine.Forget(rules.Start(rng)), rng)
			for s.Position().Outcome() == engine.Ongoing {
				goOn(s, rules.Spec, quiet, 1+rng.IntN(30))
				p := s.Position()
				a := s.Root().Choose(0)
				if p.State().(engine.Striker).Strikes(p.ToMove()) {
					wins++
					won := engine.WonBy(p.ToMove())
					chosen := slices.IndexFunc(s.Root().Edges(nil), func(e mcts.Edge) bool { return e.Action == a })
					if s.Proven() != won || s.Root().Edges(nil)[chosen].Proven != won {
						t.Fatalf("leaf %d: in %s %s is played, which is not proven to win", leaf, p, p.ActionString(a))
					}
				}
				s.Root().LineAfter(a, nil)
				if legal := p.Legal(nil); rng.IntN(3) == 0 {
					a = legal[rng.IntN(len(legal))]
				}
				s.Play(a)
			}
		}
	}
	if wins < 10 {
		t.Errorf("only %d wins were at hand", wins)
	}
}
