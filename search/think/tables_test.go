package think

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// A Thinker with tables proves an ending of 36 plies in its first simulation. If it is cancelled
// while it builds its table, Think returns the context's error, and the next call of Think builds
// the table again.
func TestThinkerWithTables(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	search := mcts.Default()
	search.Tactics.Tables = true
	thinker := New(game.Game, Options{Evaluator: model.Uniform, Search: search})
	p, err := game.Parse("B..../....b/...../...W./w.... 1 0,12 6,9 8")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := thinker.Think(ctx, p, Budget{Visits: 10}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled thinker returns the error %v", err)
	}
	why, err := thinker.Think(t.Context(), p, Budget{Visits: 10})
	if why != Proven || err != nil || thinker.Simulations != 1 {
		t.Errorf("the search ends because %v after %d simulations, %v; want a proof after one", why, thinker.Simulations, err)
	}
}

// slow is a search whose Prepare blocks for the duration in its field while.
type slow struct {
	mcts.Search
	while time.Duration
}

func (s slow) Prepare(func() bool) bool {
	time.Sleep(s.while)
	return true
}

// The time that Prepare takes does not count towards the budget.
func TestTablesTakeNoTime(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	lane := Lane{Search: slow{game.NewSearch(mcts.Default()), 20 * time.Millisecond}}
	lane.Search.Reset(game.Start(rand.New(rand.NewPCG(1, 1))), nil)
	lane.Begin(mcts.RootRule{Final: mcts.LCB}, Budget{Time: time.Hour})
	began := lane.clock.began
	if err := (&Driver{game: game.Game.Game}).prepare(t.Context(), &lane); err != nil {
		t.Fatal(err)
	}
	if shift := lane.clock.began.Sub(began); shift < 20*time.Millisecond {
		t.Errorf("the clock begins %v later, want at least the 20ms of Prepare", shift)
	}
}
