package mcts_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/engine/patchwork"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// A search with a visit limit takes no more memory than Bytes returns, before and after it has
// followed a game. The search never becomes full, even if Config.Memory is 0. A search without a
// visit limit takes no more than Config.Memory.
func TestBytes(t *testing.T) {
	for _, game := range []mcts.Game{mcts.GameOf(onitama.Classic), mcts.GameOf(patchwork.Rules)} {
		for _, graph := range []bool{false, true} {
			cfg := mcts.Default()
			cfg.Graph, cfg.Tactics.Leaf = graph, 2
			const visits = 150
			d := think.NewDriver(game, cfg, model.Uniform, 1)
			s, rng := d.Lanes[0].Search, rand.New(rand.NewPCG(1, 0))
			s.Reset(game.Start(rng), rng)
			for ply := 0; ply < 30 && s.Position().Outcome() == engine.Ongoing; ply++ {
				if why := run(t, d, think.Budget{Visits: visits}); why != think.Visits && why != think.Proven {
					t.Fatalf("%s, ply %d: the search ends because %v", game.Name, ply, why)
				}
				if got, most := mcts.Taken(s), game.Bytes(cfg, visits, ply > 0); got > most {
					t.Fatalf("%s, graph %v, ply %d: the search takes %d bytes, more than %d", game.Name, graph, ply, got, most)
				}
				s.Play(s.Root().Choose(0))
			}

			cfg.Memory = 3 << 20
			d = think.NewDriver(game, cfg, model.Uniform, 1)
			s = d.Lanes[0].Search
			s.Reset(game.Start(rng), rng)
			for range 3 {
				if why := run(t, d, think.Budget{}); why != think.Full && why != think.Proven {
					t.Fatalf("%s: a search without a limit ends because %v", game.Name, why)
				}
				if got := mcts.Taken(s); got > cfg.Memory {
					t.Errorf("%s, graph %v: a search with %d bytes takes %d", game.Name, graph, cfg.Memory, got)
				}
				if s.Position().Outcome() == engine.Ongoing {
					s.Play(s.Root().Choose(0))
				}
			}
		}
	}
	game := mcts.GameOf(patchwork.Rules)
	if n := game.Bytes(mcts.Default(), mcts.MaxSimulations, true); n != math.MaxInt64 {
		t.Errorf("%d simulations of Patchwork take %d bytes, want more than any memory", mcts.MaxSimulations, n)
	}
}

// run searches the position at the root of the driver's only lane.
func run(t *testing.T, d *think.Driver, b think.Budget) (why think.Stop) {
	t.Helper()
	d.Lanes[0].Begin(quiet, b)
	if err := d.Run(t.Context(), func(_ *think.Lane, stop think.Stop) error { why = stop; return nil }); err != nil {
		t.Fatal(err)
	}
	return why
}
