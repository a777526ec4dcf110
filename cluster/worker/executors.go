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

// An IO connects an executor to the source of its tasks and to the receiver of its results.
type IO struct {
	// Next returns the number of the next task. ok is false when there are no more tasks.
	Next selfplay.Shards

	// Send delivers the result of a task, and its totals. Several goroutines may call Send at the
	// same time.
	Send func(number int, content []byte, t selfplay.Totals) error

	// Progress reports what the executor has done since the previous call. Several goroutines may
	// call Progress at the same time.
	Progress func(selfplay.Totals)
}

// An Executor does tasks of one lot until io has no more.
type Executor func(ctx context.Context, io IO) error

// A Maker makes the executor of a lot. files holds the content of the lot's files, nil for a file
// that the lot does not need. workers is the number of goroutines to use.
type Maker func(l wire.Lot, files [2][]byte, workers int) (Executor, error)

// Makers holds the Maker of each kind of lot.
var Makers = map[string]Maker{
	"shards": runExecutor,
	"gate":   runExecutor,
	"match":  matchExecutor,
}

// A RunSpec holds the parameters of a generation's games, or of a gate, for workers. The lot's
// files are the checkpoints that play.
type RunSpec struct {
	Config     string    `json:"config" text:"lines"` // the text of run.yaml
	Generation int       `json:"generation"`
	Models     [2]string `json:"models"`  // the names of the models: the only one in self-play, or the candidate and the best model
	Run        string    `json:"run"`     // the run's name, which is written into the shards
	Program    string    `json:"program"` // the program version that is written into the shards
}

// runExecutor makes the executor of a generation's games or of its gate; see Makers.
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

// open returns the options of the run, and the evaluators of the checkpoints in files. For a
// missing file it returns model.Uniform.
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

// PlayShards returns the executor of a generation's games. The result of a task is the content of a
// shard's file.
func PlayShards(job selfplay.Job) Executor {
	return func(ctx context.Context, io IO) error {
		job := job // the executor may be called several times concurrently
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

// PlayPairs returns the executor of a match. The result of a task is the games of a pair, as JSON.
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

// PairTotals returns the totals of a pair.
func PairTotals(games []arena.Record) selfplay.Totals {
	t := selfplay.Totals{Games: len(games)}
	for _, g := range games {
		t.Positions += len(g.Actions)
	}
	return t
}

// ShardTotals returns the totals of a job's shard. Its simulations and evaluations are the most
// that the shard can have taken: at each position, the network may also see the root before the
// first simulation.
func ShardTotals(job *selfplay.Job, rows []data.Row) selfplay.Totals {
	simulations := len(rows) * job.Search.Simulations
	return selfplay.Totals{Games: job.ShardGames, Positions: len(rows), Simulations: simulations, Evaluations: simulations + len(rows)}
}
