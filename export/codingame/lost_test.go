package codingame

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// In the position of a trap, a search with the given number of simulations visits only some of the
// moves, and proves that all of these lose.
type trap struct {
	position    engine.Position
	simulations int
	best        engine.Action // the unvisited action with the largest prior
}

// traps finds n traps in games of random moves.
func traps(t *testing.T, e model.Evaluator, n int) (list []trap) {
	t.Helper()
	cfg := mcts.Default()
	cfg.Tactics.Leaf = 2
	search := mcts.New(onitama.Classic, cfg)
	for game := uint64(0); game < 2000; game++ {
		rng := rand.New(rand.NewPCG(game, 7))
		for p := engine.Forget(onitama.Classic.Start(rng)); p.Outcome() == engine.Ongoing; {
			for _, simulations := range []int{4, 8, 16} {
				search.Reset(p, rng)
				searchOn(t, search, e, simulations)
				if best, ok := sprung(search.Root().Edges(nil), p.ToMove()); ok {
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

// sprung reports whether a search result is a trap: all visited moves are proven lost, and some
// moves are unvisited. It returns the unvisited move with the largest prior.
func sprung(edges []mcts.Edge, mover engine.Player) (best engine.Action, ok bool) {
	prior := float32(-1)
	for _, e := range edges {
		switch lost := e.Proven == engine.WonBy(1-mover); {
		case e.Visits > 0 && !lost, e.Proven == engine.WonBy(mover):
			return best, false
		case e.Visits == 0 && !lost && e.Prior > prior:
			best, prior = e.Action, e.Prior
		}
	}
	return best, prior >= 0
}

// The programs do not play a move that is proven lost while another move may be better.
func TestLostMovesAreLast(t *testing.T) {
	c := small(t)
	list := traps(t, quant(t, c), 12)
	for _, l := range []Language{CPP, Go} {
		t.Run(string(l), func(t *testing.T) {
			program := compile(t, l, c)
			for _, trap := range list {
				question, err := onitama.Classic.Protocols[0].Ask(trap.position, nil)
				if err != nil {
					t.Fatal(err)
				}
				err = talk(t.Context(), program, []string{strconv.Itoa(trap.simulations)}, func(bot *conversation) error {
					answer, _, err := bot.ask(question)
					if want := trap.position.ActionString(trap.best); err == nil && answer != want {
						t.Errorf("in %q, where what it has seen in %d simulations is lost, the program plays %q, want %q", trap.position, trap.simulations, answer, want)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
}
