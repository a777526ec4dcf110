package selfplay_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/selfplay"
)

// job returns a job for a generation of three shards.
func job(workers, lanes int) selfplay.Job {
	search := mcts.Default()
	search.Simulations = 40
	return selfplay.Job{
		Config:         selfplay.Config{Games: 48, ShardGames: 16, Lanes: lanes, Temperature: 1, TemperaturePlies: 4},
		Search:         search,
		Game:           mcts.GameOf(tictactoe.Rules),
		Evaluator:      model.Uniform,
		Model:          "uniform",
		Run:            "test",
		Generation:     2,
		Seed:           7,
		ProgramVersion: "the job's",
		Workers:        workers,
	}
}

// shards collects the rows and the provenance of finished shards, by shard number. Its method take
// is a Sink.
type shards struct {
	mu   sync.Mutex
	all  map[int][]data.Row // guarded by mu
	from map[int]data.Provenance
}

func (s *shards) take(p data.Provenance, rows []data.Row) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all, s.from = map[int][]data.Row{}, map[int]data.Provenance{}
	}
	if _, twice := s.all[p.Shard]; twice {
		return fmt.Errorf("shard %d was played twice", p.Shard)
	}
	s.all[p.Shard], s.from[p.Shard] = rows, p
	return nil
}

func play(t *testing.T, j selfplay.Job, numbers ...int) *shards {
	t.Helper()
	var s shards
	if _, err := selfplay.Play(t.Context(), j, selfplay.Each(numbers...), s.take); err != nil {
		t.Fatal(err)
	}
	return &s
}

// The rows are the same for any number of workers and lanes.
func TestShardsDoNotDependOnWorkersOrLanes(t *testing.T) {
	want := play(t, job(1, 1), 0, 1, 2)
	for _, c := range [][2]int{{1, 16}, {4, 3}, {8, 8}} {
		if got := play(t, job(c[0], c[1]), 0, 1, 2); !reflect.DeepEqual(got.all, want.all) {
			t.Errorf("%d workers of %d lanes play other games than one worker of one lane", c[0], c[1])
		}
	}
}

// The contents of a shard do not depend on which other shards are played. The provenance contains
// the run, the model and the program version given in the job.
func TestShardAlone(t *testing.T) {
	all, alone := play(t, job(2, 4), 2, 0, 1), play(t, job(3, 5), 1)
	if len(alone.all) != 1 || !reflect.DeepEqual(alone.all[1], all.all[1]) {
		t.Errorf("of shard 1 alone come %d shards, with other rows than beside shards 0 and 2", len(alone.all))
	}
	want := data.Provenance{Game: "tictactoe", SpecVersion: 1, Run: "test", Generation: 2, Shard: 1, Seed: 7, Model: "uniform", ProgramVersion: "the job's"}
	if got := alone.from[1]; got != want {
		t.Errorf("the shard is of %+v, want %+v", got, want)
	}
}

// The rows of a game are consistent: replaying the actions gives the same positions, players to
// move, outcomes and numbers of turns left. Each policy contains only legal actions.
func TestRowsReplay(t *testing.T) {
	game := tictactoe.Rules.Game()
	var p engine.Position
	all := slices.Concat(play(t, job(2, 4), 0).all[0], play(t, job(2, 4), 1).all[1])
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

// If Play is cancelled, only the unfinished shards are lost.
func TestCancel(t *testing.T) {
	j := job(2, 4)
	ctx, cancel := context.WithCancel(t.Context())
	j.Progress = func(x selfplay.Totals) {
		if x.Games == 30 {
			cancel()
		}
	}
	var got shards
	if _, err := selfplay.Play(ctx, j, selfplay.Each(0, 1, 2), got.take); err != context.Canceled {
		t.Fatalf("a cancelled generation returned %v", err)
	}
	want := play(t, job(1, 1), 0, 1, 2)
	if len(got.all) == 3 {
		t.Error("all shards were finished after 30 of 48 games")
	}
	for n, rows := range got.all {
		if !reflect.DeepEqual(rows, want.all[n]) {
			t.Errorf("shard %d of a cancelled generation differs", n)
		}
	}
}

// If the sink fails, Play stops and returns the sink's error.
func TestFullSink(t *testing.T) {
	full := errors.New("no space left")
	_, err := selfplay.Play(t.Context(), job(2, 4), selfplay.Each(0, 1, 2), func(data.Provenance, []data.Row) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("rows went nowhere, and the error is %v", err)
	}
}
