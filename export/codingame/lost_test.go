package codingame

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/mcts"
)

// trap is a position in which a search of so many simulations has proven every
// move lost that it has visited, and has not visited all.
type trap struct {
	position    engine.Position
	simulations int
	best        engine.Action // the likeliest of those that it has not visited
}

// traps finds n of them in games of random moves.
func traps(t *testing.T, s *Student, n int) (list []trap) {
	t.Helper()
	cfg := mcts.Default()
	cfg.Cache = 0
	search := mcts.New(onitama.Sparse, cfg)
	for game := uint64(0); game < 2000; game++ {
		rng := rand.New(rand.NewPCG(game, 7))
		for p := engine.Forget(onitama.Sparse.Start(rng)); p.Outcome() == engine.Ongoing; {
			for _, simulations := range []int{4, 8, 16} {
				search.Reset(p, rng)
				searchOn(t, search, s, simulations)
				if best, ok := sprung(search.Edges(nil), p.ToMove()); ok {
					list = append(list, trap{p, simulations, best})
				}
				if len(list) == n {
					return list
				}
			}
			legal := p.Legal(nil)
			p = p.Play(legal[rng.IntN(len(legal))])
		}
	}
	t.Fatalf("only %d positions of the kind were found", len(list))
	return nil
}

// sprung reports whether the edges of a root are as a trap has them.
func sprung(edges []mcts.Edge, mover engine.Player) (best engine.Action, ok bool) {
	prior := float32(-1)
	for _, e := range edges {
		switch {
		case e.Visits == 0 && e.Prior > prior:
			best, prior = e.Action, e.Prior
		case e.Visits > 0 && e.Proven != engine.WonBy(1-mover):
			return best, false
		}
	}
	return best, prior >= 0
}

// A move that is proven lost is not played while there is one that may not be.
func TestLostMovesAreLast(t *testing.T) {
	s := student(t, small(t))
	list := traps(t, s, 12)
	for _, l := range []Language{CPP, Go} {
		t.Run(string(l), func(t *testing.T) {
			program := compile(t, l, s)
			for _, c := range list {
				bot, err := converse(t.Context(), program, strconv.Itoa(c.simulations))
				if err != nil {
					t.Fatal(err)
				}
				answer, _, err := bot.ask(onitama.Sparse.Protocols[0].Ask(c.position, true))
				if want := c.position.ActionString(c.best); err != nil || answer != want {
					t.Errorf("in %q, where what it has seen in %d simulations is lost, the program plays %q, want %q; %v", c.position, c.simulations, answer, want, err)
				}
				if err := bot.close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
