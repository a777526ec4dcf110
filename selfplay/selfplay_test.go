package selfplay_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"dojo/data"
	"dojo/engine"
	"dojo/engine/tictactoe"
	"dojo/mcts"
	"dojo/model"
	"dojo/selfplay"
)

func options(root string, workers, lanes int) selfplay.Options {
	search := mcts.Default()
	search.Simulations = 40
	return selfplay.Options{
		Config:    selfplay.Config{Games: 48, ShardGames: 16, Lanes: lanes, Temperature: 1, TemperaturePlies: 4},
		Search:    search,
		Game:      tictactoe.Rules.Game(),
		NewSearch: func(cfg mcts.Config) mcts.Search { return mcts.New(tictactoe.Rules, cfg) },
		Evaluator: model.Uniform,
		Model:     "uniform",
		Root:      root,
		Run:       "test",
		Seed:      7,
		Workers:   workers,
	}
}

func play(t *testing.T, opt selfplay.Options) []data.Row {
	t.Helper()
	if _, err := selfplay.Run(t.Context(), opt); err != nil {
		t.Fatal(err)
	}
	return rows(t, opt.Root)
}

func rows(t *testing.T, root string) (all []data.Row) {
	t.Helper()
	shards, err := data.Shards(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shards {
		_, rows, err := data.ReadShard(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rows...)
	}
	return all
}

// A seed fixes every game, however the work is spread.
func TestRowsDoNotDependOnWorkersOrLanes(t *testing.T) {
	want := play(t, options(t.TempDir(), 1, 1))
	for _, c := range [][2]int{{1, 16}, {4, 3}, {8, 8}} {
		if got := play(t, options(t.TempDir(), c[0], c[1])); !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers of %d lanes play other games than one worker of one lane", c[0], c[1])
		}
	}
}

// A missing shard is played again as it was, and only it.
func TestMissingShardComesBack(t *testing.T) {
	opt := options(t.TempDir(), 2, 4)
	want := play(t, opt)
	if err := os.Remove(data.ShardPath(opt.Root, 0, 1)); err != nil {
		t.Fatal(err)
	}
	totals, err := selfplay.Run(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Games != opt.ShardGames {
		t.Errorf("%d games were played again, want the %d of one shard", totals.Games, opt.ShardGames)
	}
	if got := rows(t, opt.Root); !reflect.DeepEqual(got, want) {
		t.Error("the shard that was played again differs")
	}
}

// Every row is true to its game: replaying the actions meets the positions,
// movers, outcome and turns left, and each policy is over legal actions.
func TestRowsReplay(t *testing.T) {
	game := tictactoe.Rules.Game()
	var p engine.Position
	all := play(t, options(t.TempDir(), 2, 4))
	for i, r := range all {
		if r.Ply == 0 {
			p = game.Start(nil)
		}
		if p.String() != r.Position || int32(p.ToMove()) != r.Mover {
			t.Fatalf("row %d: position %q of player %d, the game is at %q", i, r.Position, r.Mover, p)
		}
		legal := map[engine.Action]bool{}
		for _, a := range p.Legal(nil) {
			legal[a] = true
		}
		sum := float32(0)
		for _, w := range r.Policy {
			sum += w.Weight
			if !legal[engine.Action(w.Action)] {
				t.Fatalf("row %d: policy has the illegal action %d", i, w.Action)
			}
		}
		if math.Abs(float64(sum)-1) > 1e-3 {
			t.Fatalf("row %d: policy sums to %v", i, sum)
		}
		p = p.Play(engine.Action(r.Action))
		if over := p.Outcome() != engine.Ongoing; over != (r.TurnsLeft == 1) {
			t.Fatalf("row %d: %d turns left, game over: %v", i, r.TurnsLeft, over)
		}
		if r.TurnsLeft == 1 {
			for j := i - int(r.Ply); j <= i; j++ {
				if all[j].Outcome != int32(p.Outcome().Value()) || all[j].Game != r.Game {
					t.Fatalf("row %d: outcome %d of game %d, the game ended %v", j, all[j].Outcome, all[j].Game, p.Outcome())
				}
			}
		}
	}
}

// Cancelling loses the unfinished shards and nothing else.
func TestCancel(t *testing.T) {
	opt := options(t.TempDir(), 2, 4)
	ctx, cancel := context.WithCancel(t.Context())
	opt.Progress = func(x selfplay.Totals) {
		if x.Games == 30 {
			cancel()
		}
	}
	if _, err := selfplay.Run(ctx, opt); err != context.Canceled {
		t.Fatalf("a cancelled run returned %v", err)
	}
	opt.Progress = nil
	if got, want := play(t, opt), play(t, options(t.TempDir(), 1, 1)); !reflect.DeepEqual(got, want) {
		t.Error("a continued generation differs")
	}
}

// An unwritable folder is an error that names it.
func TestUnwritable(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "samples"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := selfplay.Run(t.Context(), options(root, 2, 4)); err == nil {
		t.Error("rows went nowhere without an error")
	}
}
