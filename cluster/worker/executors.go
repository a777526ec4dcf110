package worker

import (
	"bytes"
	"context"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// An IO connects an executor to the hub. The executor gets its tasks and delivers its results
// through it.
type IO struct {
	// Next returns the number of the next task. ok is false when there are no more tasks.
	Next selfplay.Shards

	// Send delivers content, the result of a task, with the totals of the work that it took.
	// Several goroutines may call Send at the same time.
	Send func(number int, content []byte, t selfplay.Totals) error

	// Progress reports the work that the executor has done since the previous call of Progress.
	// Several goroutines may call it at the same time.
	Progress func(selfplay.Totals)
}

// An Executor does tasks of one lot (a batch of tasks) until io has no more.
type Executor func(ctx context.Context, io IO) error

// A Maker creates the executor of a lot (a batch of tasks). files holds the content of the lot's
// files; an element is nil if the lot needs no such file. workers is the number of goroutines to
// use.
type Maker func(l wire.Lot, files [2][]byte, workers int) (Executor, error)

// Makers holds the function that creates executors for each kind of lot (batch of tasks).
var Makers = map[string]Maker{
	"shards": runExecutor,
	"gate":   runExecutor,
	"match":  matchExecutor,
}

// A RunSpec holds the parameters that workers need to play the self-play games of a generation, or
// its gate match. The lot's files are the checkpoints that play.
type RunSpec struct {
	Config     string `json:"config" text:"lines"` // the text of run.yaml
	Generation int    `json:"generation"`
	// Models holds the names of the models: the only model in self-play, or the new and the best
	// model in a gate match.
	Models  [2]string `json:"models"`
	Run     string    `json:"run"`     // the run's name, as shards state it
	Program string    `json:"program"` // the program version, as shards state it
}

// runExecutor creates the executor that plays the self-play games of a generation or its gate
// match; see Makers.
func runExecutor(l wire.Lot, files [2][]byte, workers int) (Executor, error) {
	var spec RunSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	opt, models, err := spec.open(files, workers)
	if err != nil {
		return nil, err
	}
	if l.Kind == "gate" {
		return PlayPairs(arena.NewPairs(opt.GateMatch(spec.Generation, spec.Models, models)), workers), nil
	}
	return PlayShards(opt.Job(spec.Generation, spec.Models[0], spec.Program, models[0])), nil
}

// open returns the options of the run, and an evaluator for each checkpoint in files. If a file is
// nil, its evaluator is model.Uniform.
func (s RunSpec) open(files [2][]byte, workers int) (opt train.Options, models [2]model.Evaluator, err error) {
	frozen, err := configs.Parse("the lot's configuration", []byte(s.Config))
	if err != nil {
		return opt, models, err
	}
	if opt, err = frozen.Options(""); err != nil {
		return opt, models, err
	}
	opt.Name, opt.Workers = s.Run, workers
	for i, file := range files {
		if file == nil {
			models[i] = model.Uniform
			continue
		}
		c, err := model.Decode(bytes.NewReader(file))
		if err == nil {
			err = c.Check(opt.Game.Spec)
		}
		if err == nil {
			models[i], err = c.Evaluator(opt.Train.Precision)
		}
		if err != nil {
			return opt, models, err
		}
	}
	return opt, models, nil
}

// PlayShards returns the executor that plays the self-play games of a generation. The result of a
// task is the content of a shard file.
func PlayShards(job selfplay.Job) Executor {
	return func(ctx context.Context, io IO) error {
		job := job // a copy, because the executor may be called several times concurrently
		var told selfplay.Totals
		job.Progress = func(t selfplay.Totals) {
			io.Progress(t.Minus(told))
			told = t
		}
		total, err := selfplay.Play(ctx, job, io.Next, func(p data.Provenance, rows []data.Row) error {
			content, err := data.EncodeShard(p, rows)
			if err != nil {
				return err
			}
			return io.Send(p.Shard, content, ShardTotals(&job, rows))
		})
		job.Progress(total)
		return err
	}
}

// PlayPairs returns the executor that plays a match. The result of a task is a pair of games, as
// JSON.
func PlayPairs(pairs *arena.Pairs, workers int) Executor {
	return func(ctx context.Context, io IO) error {
		next := func(ctx context.Context) (int, bool) {
			if ctx.Err() != nil {
				return 0, false
			}
			return io.Next()
		}
		return pairs.Each(ctx, workers, next, func(pair int, games []arena.Record) error {
			t := PairTotals(games)
			io.Progress(t)
			return io.Send(pair, arena.EncodePair(games), t)
		})
	}
}

// PairTotals returns the totals of a pair of games.
func PairTotals(games []arena.Record) selfplay.Totals {
	t := selfplay.Totals{Games: len(games)}
	for _, g := range games {
		t.Positions += len(g.Actions)
	}
	return t
}

// ShardTotals returns the totals of a shard (a file of self-play games). A shard does not show how
// many simulations and evaluations it took, so these two totals are upper bounds. The bound
// includes one extra evaluation per position, because the network may evaluate the root before the
// first simulation.
func ShardTotals(job *selfplay.Job, rows []data.Row) selfplay.Totals {
	simulations := len(rows) * job.Search.Simulations
	return selfplay.Totals{Games: job.ShardGames, Positions: len(rows), Simulations: simulations, Evaluations: simulations + len(rows)}
}
