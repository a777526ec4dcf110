package hub_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/arena"
	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/selfplay"
)

// A crew describes the workers that help with a simulated run.
type crew struct {
	honest int
	// slow is the number of slow workers. They take all tasks that they can get and deliver one
	// every nine seconds.
	slow   int
	quick  int     // each slow worker delivers this many tasks quickly before it becomes slow
	verify float64 // see cluster.Options
}

// taskTime is the simulated time that an honest worker takes for a task. The trainer takes about as
// long.
const taskTime = 500 * time.Millisecond

// spans holds how long each part of a run took. The parts are called "generation 0", "generation 1"
// and so on, and "match". A generation consists of self-play games and a gate match.
type spans map[string]time.Duration

// note adds the time since begun to the total of a part of the run.
func (s spans) note(part string, begun time.Time) { s[part] += time.Since(begun) }

// A slowPlayer waits for some simulated time before each move.
type slowPlayer struct{ arena.Player }

func (p slowPlayer) Choose(ctx context.Context, at engine.Position) (engine.Action, error) {
	wait(ctx, taskTime/12)
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return p.Player.Choose(ctx, at)
}

// slowed replaces the players of a match with slow players.
func slowed(o *arena.Options) {
	for _, c := range []*arena.Contestant{&o.A, &o.B} {
		quick := c.Make
		c.Make = func() arena.Player { return slowPlayer{quick()} }
	}
}

// train trains a run with the workers of the crew, and then plays a match. It returns how long each
// part took in simulated time.
func (c crew) train(t *testing.T) (spans, error) {
	opt, config, err := newRun(t.TempDir(), "selfplay.games=192", "gate.games=80")
	if err != nil {
		return nil, err
	}
	hub, err := cluster.New(t.Context(), cluster.Unheard(cluster.Options{
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
	options := func(name string, i int) worker.Options {
		return worker.Options{Join: "127.0.0.1:4222", Name: fmt.Sprint(name, " ", i), Workers: 1, Log: quiet}
	}
	for i := range c.slow {
		workers.Go(func() {
			var sent atomic.Int64
			_ = HoardOver(ctx, options("slow", i), hub.Pipe, func() {}, func(ctx context.Context) { // HoardOver returns when fire is called
				if sent.Add(1) <= int64(c.quick) {
					wait(ctx, taskTime)
				} else {
					wait(ctx, 9*time.Second)
				}
			})
		})
	}
	time.Sleep(5 * time.Second) // lets the slow workers join before the honest ones
	for i := range c.honest {
		workers.Go(func() {
			_ = WorkOver(ctx, options("honest", i), hub.Pipe, func(ctx context.Context, _ string, _ int, honest func() (Done, error)) ([]Done, error) {
				if wait(ctx, taskTime); ctx.Err() != nil {
					return nil, context.Cause(ctx)
				}
				d, err := honest()
				return []Done{d}, err
			})
		})
	}
	time.Sleep(5 * time.Second)
	took := spans{}
	games, gate := opt.Games, opt.GateSource
	opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		defer took.note(fmt.Sprint("generation ", job.Generation), time.Now())
		e := job.Evaluator
		job.Evaluator = model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
			wait(ctx, taskTime/300)
			return errors.Join(context.Cause(ctx), e.Evaluate(ctx, b))
		})
		return games(ctx, f, job)
	}
	opt.GateSource = func(match arena.Options, generation int) (arena.Source, error) {
		source, err := gate(match, generation)
		return func(ctx context.Context, p *arena.Pairs, finish arena.Finish) error {
			defer took.note(fmt.Sprint("generation ", generation), time.Now())
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
	time.Sleep(time.Minute) // waits for messages that are still on their way
	return took, err
}

// Slow workers, which take all tasks that they can get and deliver only one every nine seconds, at
// most double the time of a generation and of a match.
func TestSlowWorkers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		without := map[float64]spans{} // for each value of crew.verify, the times without slow workers
		for _, c := range []struct {
			name string
			crew
		}{
			{"nobody is slow", crew{honest: 3}},
			{"one", crew{honest: 3, slow: 1}},
			{"three", crew{honest: 3, slow: 3}},
			{"two that were quick before", crew{honest: 3, slow: 2, quick: 40}},
			{"nobody, where all is computed twice", crew{honest: 3, verify: 1}},
			{"two, where all is computed twice", crew{honest: 3, slow: 2, verify: 1}},
		} {
			took, err := c.train(t)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if c.slow == 0 {
				without[c.verify] = took
			}
			for part, d := range took {
				if t.Logf("%s: %s took %v, and %v without", c.name, part, d, without[c.verify][part]); d > 2*without[c.verify][part] {
					t.Errorf("%s: %s took more than twice the time", c.name, part)
				}
			}
		}
	})
}
