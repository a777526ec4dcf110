package think

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// The results of a lane depend neither on the other lanes nor on the number of lanes. The driver's
// counts are the sums over all lanes.
func TestLanesAreIndependent(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	cfg := mcts.Default()
	find := func(lanes int) (found []string) {
		d := NewDriver(game.Game, cfg, model.Uniform, lanes)
		for i, l := range d.Lanes {
			l.Search.Reset(game.Start(rand.New(rand.NewPCG(1, uint64(i)))), rand.New(rand.NewPCG(2, uint64(i))))
			l.Begin(cfg.SelfPlay(), Budget{Visits: 50 + 10*i})
		}
		want := 0
		if err := d.Run(t.Context(), func(l *Lane, why Stop) error {
			if want += l.Simulations(); why != Visits {
				return fmt.Errorf("it ended because %v", why)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if d.Simulations != want || d.Evaluations == 0 || d.Evaluations > want {
			t.Errorf("%d lanes count %d simulations, made %d; %d evaluations", lanes, d.Simulations, want, d.Evaluations)
		}
		for _, l := range d.Lanes {
			found = append(found, fmt.Sprint(l.Search.Root().Edges(nil), l.Search.Visits(), l.Search.Root().Value()))
		}
		return found
	}
	all := find(5)
	for _, lanes := range []int{1, 3} {
		for i, got := range find(lanes) {
			if got != all[i] {
				t.Errorf("lane %d of %d finds\n%s\nof 5\n%s", i, lanes, got, all[i])
			}
		}
	}
}

// When a lane ends, the callback may begin a search in another lane. Run then searches this other
// lane to its end, even if its turn in this round is over and no lane waits for an evaluation.
func TestRunGoesOn(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	cfg := mcts.Default()
	d := NewDriver(game.Game, cfg, model.Uniform, 2)
	for i, l := range d.Lanes {
		l.Search.Reset(game.Start(rand.New(rand.NewPCG(1, uint64(i)))), rand.New(rand.NewPCG(2, uint64(i))))
	}
	first, last := d.Lanes[0], d.Lanes[1]
	last.Begin(cfg.SelfPlay(), Budget{Visits: 10})
	ended := 0
	if err := d.Run(t.Context(), func(l *Lane, why Stop) error {
		if ended++; l == last {
			first.Begin(cfg.SelfPlay(), Budget{Visits: 20})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if ended != 2 || first.Search.Visits() != 20 {
		t.Errorf("%d searches ended; the one that began last has %d visits", ended, first.Search.Visits())
	}
}

// Run returns when its context is cancelled, even if the driver never needs an evaluation.
func TestRunHearsItsContext(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	p, err := game.Parse("xx.oo....") // x wins with its next action, so the search soon proves it
	if err != nil {
		t.Fatal(err)
	}
	d := NewDriver(game.Game, mcts.Default(), model.Uniform, 1)
	lane := d.Lanes[0]
	lane.Search.Reset(p, rand.New(rand.NewPCG(1, 1)))
	lane.Begin(mcts.RootRule{Final: mcts.LCB}, Budget{})
	ctx, cancel := context.WithCancel(t.Context())
	ends := 0
	err = d.Run(ctx, func(l *Lane, why Stop) error {
		if l.Search.Proven() != engine.FirstWins || why != Proven {
			t.Errorf("the search ends because %v, proven %v", why, l.Search.Proven())
		}
		switch ends++; ends {
		case 1000:
			cancel()
		case 2000:
			return errors.New("it went on")
		}
		l.Begin(mcts.RootRule{Final: mcts.LCB}, Budget{})
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a driver that is given up returns %v", err)
	}
}
