package think

import (
	"context"
	"errors"
	"testing"
	"time"

	"dojo/engine/onitama"
	"dojo/games"
	"dojo/mcts"
	"dojo/model"
	"dojo/proof"
)

// lost are positions of lost games, in which some actions lose within 4 to 11 plies.
var lost = []string{
	"..B../.b.bb/w.b../.ww.w/..W.. 0 15,2 4,1 7",
	".bB../...../...bb/.ww../.wW.. 0 9,2 13,10 15",
	".B..b/.b.../...../.W.w./..w.. 1 2,15 13,10 9",
}

// Configured to, a thinker verifies its choice by visits and by time: what it plays is not
// proven to lose as easily as what it would play else.
func TestThinkerVerifies(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	blunders := func(nodes int, b Budget) (n int) {
		search := mcts.Default()
		search.Tactics.Nodes = nodes
		thinker := New(game.NewSearch, game.Spec, Options{Evaluator: model.Uniform, Search: search})
		for _, text := range lost {
			for visits := 2; visits <= 12; visits++ {
				p, err := game.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				thinker.NewGame(1)
				if b.Time == 0 {
					b.Visits = visits
				}
				if _, err := thinker.Think(t.Context(), p, b); err != nil {
					t.Fatal(err)
				}
				next := p.Play(thinker.Choose()).State().(onitama.State)
				if proof.New[onitama.State]().Wins(next, next.ToMove(), proof.Limit{Nodes: 1000}) {
					n++
				}
				if b.Time > 0 {
					break
				}
			}
		}
		return n
	}
	if n := blunders(0, Budget{}); n == 0 {
		t.Error("without tactics no action loses: the test says nothing")
	}
	if n := blunders(100_000, Budget{}); n > 0 {
		t.Errorf("after tactics %d actions lose", n)
	}
	if n := blunders(1, Budget{Time: 400 * time.Millisecond}); n > 0 {
		t.Errorf("after tactics in a part of the time %d actions lose", n)
	}
}

// A search that is cancelled says so, tactics or not.
func TestCancelledBeforeTactics(t *testing.T) {
	game, err := games.ByName("onitama")
	if err != nil {
		t.Fatal(err)
	}
	search := mcts.Default()
	search.Tactics.Nodes = 10_000_000
	ctx, cancel := context.WithCancel(t.Context())
	evaluations := 0
	network := model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
		if evaluations++; evaluations == 10 {
			cancel()
		}
		return model.Uniform.Evaluate(ctx, b)
	})
	thinker := New(game.NewSearch, game.Spec, Options{Evaluator: network, Search: search})
	p, err := game.Parse(lost[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := thinker.Think(ctx, p, Budget{Visits: 10}); err == nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search says %v", err)
	}
}
