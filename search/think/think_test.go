package think

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// When the game goes on, the next search keeps the part of the tree below the actions that were
// played. If a position is not in the tree, its search begins with an empty tree.
func TestThinkerKeepsItsTree(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	network := model.Wrap(model.Uniform, func(ctx context.Context, b *model.Batch) error {
		calls++
		return model.Uniform.Evaluate(ctx, b)
	})
	const visits = 100
	search := mcts.Default()
	thinker := New(game.Game, Options{Evaluator: network, Search: search})
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

// A search runs one simulation even if its time is over before it begins.
func TestThinkerObeysTheClock(t *testing.T) {
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	thinker := New(game.Game, Options{Evaluator: model.Uniform})
	if why, err := thinker.Think(t.Context(), game.Start(nil), Budget{Time: time.Nanosecond}); err != nil || why != Time {
		t.Fatalf("a search of one nanosecond ended because %v, %v", why, err)
	}
	if n := thinker.Search.Visits(); n != 1 {
		t.Errorf("a search of one nanosecond makes %d simulations, want 1", n)
	}
}

// A model plays with the constants for players in its checkpoint, or with Players() if the
// checkpoint has none. The constants of its training have no effect. Invalid constants give an
// error.
func TestConstants(t *testing.T) {
	trained, own := mcts.Default().Constants, mcts.Default().Constants
	trained.CPuct = 1.51
	own.PriorTemperature = 0 // 0 means 1 and is left out in JSON
	for _, c := range []struct {
		meta model.Meta
		want mcts.Constants
	}{
		{model.Meta{}, Players()},
		{model.Meta{Search: Record(mcts.Default().Constants)}, Players()},
		{model.Meta{Search: Record(trained)}, Players()},
		{model.Meta{Search: Record(trained), Players: Record(own)}, own},
		{model.Meta{Players: Record(mcts.Constants{})}, Players()},
	} {
		want := mcts.Default()
		want.Constants, want.Tactics, want.Graph = c.want, mcts.Tactics{Leaf: 2}, true
		if got, err := Constants(c.meta); err != nil || got != want {
			t.Errorf("a model with %+v is searched with %+v, %v; want %+v", c.meta, got, err, want)
		}
	}
	for _, bad := range []string{"{", "{}", `{"cpuct":-1,"cpuct_base":400,"fpu_reduction":0,"final":"lcb"}`} {
		if _, err := Constants(model.Meta{Name: "000001", Players: bad}); err == nil || !strings.Contains(err.Error(), "000001: its search constants for players") {
			t.Errorf("the constants %s are read with the error %v", bad, err)
		}
	}
}

// Trained returns the constants that the checkpoint recorded. Older programs did not write Final;
// Trained then sets it to LCB. Invalid constants give an error.
func TestTrained(t *testing.T) {
	known := mcts.Constants{CPuct: 2.5, CPuctBase: 1000, FPUReduction: 0.25, Final: mcts.Visits}
	old := known
	old.Final = mcts.LCB
	for text, want := range map[string]mcts.Constants{
		"": {}, Record(known): known, `{"cpuct":2.5,"cpuct_base":1000,"fpu_reduction":0.25}`: old,
	} {
		if got, err := Trained(model.Meta{Search: text}); err != nil || got != want {
			t.Errorf("%q is read as %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"{", `{"cpuct":-1,"cpuct_base":1,"fpu_reduction":0}`, `{"cpuct":1}`, `{"cpuct":1,"cpuct_base":1,"fpu_reduction":3}`} {
		if _, err := Trained(model.Meta{Name: "000001", Search: bad}); err == nil || !strings.Contains(err.Error(), "000001: its search constants of training") {
			t.Errorf("the constants %s are read with the error %v", bad, err)
		}
	}
}

// If a search is cancelled, the next Think continues it and reports why it ended.
func TestThinkerGoesOn(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	network := model.Wrap(model.Uniform, func(ctx context.Context, b *model.Batch) error {
		if rows += b.Input.Rows(); rows > 40 {
			cancel()
		}
		return errors.Join(ctx.Err(), model.Uniform.Evaluate(ctx, b))
	})
	thinker := New(game.Game, Options{Evaluator: network})
	p := game.Start(rand.New(rand.NewPCG(1, 1)))
	if _, err := thinker.Think(ctx, p, Budget{Visits: 200}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a search that is given up returns %v", err)
	}
	made := thinker.Search.Visits()
	why, err := thinker.Think(t.Context(), p, Budget{Visits: 200})
	if err != nil || why != Visits || thinker.Simulations != 200-made || made < 10 {
		t.Errorf("it goes on from %d visits for %d and ends because %v, %v; want to 200", made, thinker.Simulations, why, err)
	}
}

// A search ends when its tree has used up its memory, and reports Full.
func TestFullTree(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	small := mcts.Default()
	small.Memory = 100_000
	thinker := New(game.Game, Options{Evaluator: model.Uniform, Search: small})
	why, err := thinker.Think(t.Context(), game.Start(rand.New(rand.NewPCG(1, 1))), Budget{})
	if err != nil || why != Full || thinker.Simulations < 100 {
		t.Errorf("a search in 100 kB ends after %d simulations because %v, %v", thinker.Simulations, why, err)
	}
}
