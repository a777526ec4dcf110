package think

import (
	"context"
	"testing"
	"time"

	"dojo/games"
	"dojo/mcts"
	"dojo/model"
)

// TestThinkerKeepsItsTree: what was learned below the actions played counts
// for the next search, and a position from elsewhere starts a new one.
func TestThinkerKeepsItsTree(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	network := model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
		calls++
		return model.Uniform.Evaluate(ctx, b)
	})
	const visits = 100
	search := mcts.Default()
	search.Cache = 0 // it would spare questions too
	thinker := New(game.NewSearch, game.Spec, Options{Evaluator: network, Search: search})
	p := game.Start(nil)
	think := func() int {
		t.Helper()
		calls = 0
		if why, err := thinker.Think(t.Context(), p, Budget{Visits: visits}); err != nil || why != Visits {
			t.Fatalf("a search to %d visits ended because %v, %v", visits, why, err)
		}
		return calls
	}
	think()
	p = p.Play(thinker.Choose())
	p = p.Play(p.Legal(nil)[0])
	kept := think()
	thinker.NewGame(1)
	if fresh := think(); kept >= fresh {
		t.Errorf("after an answer, a search to %d visits asks the network %d times, a fresh one %d times; want fewer", visits, kept, fresh)
	}
	p, err = game.Parse("..x...o..")
	if err != nil {
		t.Fatal(err)
	}
	think()
	if got := thinker.Search.Position().String(); got != p.String() {
		t.Errorf("the search stands at %q, want %q", got, p)
	}
}

// TestThinkerObeysTheClock: a search whose time is over makes one simulation.
func TestThinkerObeysTheClock(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	thinker := New(game.NewSearch, game.Spec, Options{Evaluator: model.Uniform})
	if why, err := thinker.Think(t.Context(), game.Start(nil), Budget{Time: time.Nanosecond}); err != nil || why != Time {
		t.Fatalf("a search of one nanosecond ended because %v, %v", why, err)
	}
	if n := thinker.Search.Visits(); n != 1 {
		t.Errorf("a search of one nanosecond makes %d simulations, want 1", n)
	}
}
