package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/arena"
	"dojo.example/cluster"
	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/selfplay"
)

// A crew is what workers a simulated run has besides its trainer.
type crew struct {
	honest int
	slow   int     // they take all tasks that they can get, and deliver one every nine seconds
	quick  int     // the number of tasks that each slow worker delivers before at the pace of the others
	verify float64 // see cluster.HubOptions
}

// taskTime is how long an honest worker takes for a task, and about the time of the trainer.
const taskTime = 500 * time.Millisecond

// stages is how long the stages of a run took: "games 0" is self-play of generation 0.
type stages map[string]time.Duration

// note adds the time of a stage since it began.
func (s stages) note(stage string, begun time.Time) { s[stage] += time.Since(begun) }

// A slowPlayer takes its time.
type slowPlayer struct{ arena.Player }

func (p slowPlayer) Choose(ctx context.Context, at engine.Position) (engine.Action, error) {
	wait(ctx, taskTime/12)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return p.Player.Choose(ctx, at)
}

// slowed makes the players of a match take their time.
func slowed(o *arena.Options) {
	for _, c := range []*arena.Contestant{&o.A, &o.B} {
		quick := c.Make
		c.Make = func() arena.Player { return slowPlayer{quick()} }
	}
}

// train trains a run with a crew under the clock of a bubble, and then plays a match, and returns how
// long the stages took.
func (c crew) train(t *testing.T) (stages, error) {
	opt, config, err := newRun(t.TempDir(), "selfplay.games=256", "gate.games=120")
	if err != nil {
		return nil, err
	}
	hub, err := cluster.NewHub(t.Context(), cluster.Unheard(cluster.HubOptions{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:4222", Verify: c.verify, Log: quiet,
	}))
	if err != nil {
		return nil, err
	}
	if err := hub.Attach(&opt, config); err != nil {
		return nil, err
	}
	ctx, fire := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	dial := func(context.Context, string, string) (net.Conn, error) { return hub.Pipe() }
	options := func(name string, i int) cluster.WorkerOptions {
		return cluster.WorkerOptions{Join: "127.0.0.1:4222", Name: fmt.Sprint(name, " ", i), Workers: 1, Log: quiet}
	}
	for i := range c.slow {
		workers.Go(func() {
			var sent atomic.Int64
			_ = cluster.HoardOver(ctx, options("slow", i), dial, func() {}, func(ctx context.Context) { // it ends when it is fired
				if sent.Add(1) <= int64(c.quick) {
					wait(ctx, taskTime)
				} else {
					wait(ctx, 9*time.Second)
				}
			})
		})
	}
	time.Sleep(5 * time.Second) // the slow ones are the first
	for i := range c.honest {
		workers.Go(func() {
			connect := func(ctx context.Context) (net.Conn, error) { return hub.Pipe() }
			_ = cluster.WorkOver(ctx, options("honest", i), connect, func(ctx context.Context, _ string, _ int, honest func() (cluster.Done, error)) ([]cluster.Done, error) {
				if wait(ctx, taskTime); ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				d, err := honest()
				return []cluster.Done{d}, err
			})
		})
	}
	time.Sleep(5 * time.Second)
	took := stages{}
	games, gate := opt.Games, opt.GateSource
	opt.Games = func(ctx context.Context, f run.Folder, job selfplay.Job) (selfplay.Totals, error) {
		defer took.note(fmt.Sprint("games ", job.Generation), time.Now())
		e := job.Evaluator
		job.Evaluator = model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
			wait(ctx, taskTime/300)
			return errors.Join(context.Cause(ctx), e.Evaluate(ctx, b))
		})
		return games(ctx, f, job)
	}
	opt.GateSource = func(match arena.Options, generation int) (arena.Source, error) {
		source, err := gate(match, generation)
		return func(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
			defer took.note(fmt.Sprint("gate ", generation), time.Now())
			slowed(&p.Options)
			return source(ctx, p, finish)
		}, err
	}
	err = loop(t.Context(), opt)
	if err == nil {
		match := testMatch(t, &played{})
		match.Test, match.Source, match.Workers = nil, hub.PlayMatch, 1
		slowed(&match)
		begun := time.Now()
		_, err = arena.Match(t.Context(), match)
		took.note("match", begun)
	}
	fire()
	hub.Close(true)
	workers.Wait()
	time.Sleep(time.Minute) // for what is on its way
	return took, err
}

// Workers that hold tasks and deliver them one by one, after nine seconds each, at most double the time
// of each stage of a run.
func TestSlowWorkers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		without, err := crew{honest: 3}.train(t)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := crew{honest: 3, verify: 1}.train(t)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			crew
			without stages
		}{
			{"one", crew{honest: 3, slow: 1}, without},
			{"three", crew{honest: 3, slow: 3}, without},
			{"one that was quick before", crew{honest: 3, slow: 1, quick: 20}, without},
			{"two that were quick before", crew{honest: 3, slow: 2, quick: 50}, without},
			{"one, where all is computed twice", crew{honest: 3, slow: 1, verify: 1}, checked},
			{"three, where all is computed twice", crew{honest: 3, slow: 3, verify: 1}, checked},
		} {
			took, err := c.train(t)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			for stage, d := range took {
				t.Logf("%s: %s took %v, and %v without", c.name, stage, d, c.without[stage])
				if d > 2*c.without[stage] {
					t.Errorf("%s: %s took %v, and %v without", c.name, stage, d, c.without[stage])
				}
			}
		}
	})
}
