package train

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"dojo/data"
	"dojo/model"
	"dojo/run"
	"dojo/selfplay"
)

// Games sees to it that all shards of the job's generation are published in
// the folder, and returns what this process has played of them.
type Games func(ctx context.Context, f run.Folder, job selfplay.Job) (selfplay.Totals, error)

var _ Games = PlayHere

// Selfplay plays what is missing of the next generation's games. It needs no
// open run: other processes may train or play the same run meanwhile.
func Selfplay(ctx context.Context, opt Options) error {
	done, err := ReadMetrics(opt.Folder)
	if err != nil {
		return err
	}
	m, err := opt.next(done)
	if err != nil {
		return err
	}
	return opt.selfplay(ctx, &m)
}

// selfplay plays what is missing of the generation's games.
func (r *Run) selfplay(ctx context.Context, m *Metrics) error { return r.opt.selfplay(ctx, m) }

func (o *Options) selfplay(ctx context.Context, m *Metrics) error {
	e, err := o.evaluator(m.Player)
	if err != nil {
		return fmt.Errorf("self-play: %w", err)
	}
	games := o.Games
	if games == nil {
		games = PlayHere
	}
	start := time.Now()
	report := o.Report.Stage(m.Generation, "self-play", o.Selfplay.Games)
	played, err := games(ctx, o.Folder, selfplay.Job{
		Config:         o.Selfplay,
		Search:         o.Search,
		Game:           o.Game,
		NewSearch:      o.NewSearch,
		Evaluator:      e,
		Model:          m.Player,
		Run:            o.Name,
		Generation:     m.Generation,
		Seed:           o.Seed,
		ProgramVersion: o.ProgramVersion,
		Workers:        o.Workers,
		Progress: func(t selfplay.Totals) {
			report(t.Games, fmt.Sprintf("%.1f games/s", float64(t.Games)/time.Since(start).Seconds()))
		},
	})
	if err != nil {
		return err
	}
	m.rates(played, time.Since(start))
	return nil
}

// evaluator loads the named model, or the one without opinion.
func (o *Options) evaluator(name string) (model.Evaluator, error) {
	if name == model.NoModel {
		return model.Uniform, nil
	}
	c, err := model.Load(o.Folder.Model(name))
	if err != nil {
		return nil, err
	}
	if err := c.Check(o.Game.Spec); err != nil {
		return nil, err
	}
	if c.Kind != o.Network.Kind {
		return nil, fmt.Errorf("model %s is %s; the configuration asks for %s", c.Name, c.Sizes(), o.Network.Sizes())
	}
	e, err := c.Evaluator(o.Train.Precision)
	if err != nil { // a model made before there were 8 bits
		return nil, fmt.Errorf("%w (train: precision: in %s)", err, o.Folder.ConfigPath())
	}
	return e, nil
}

// NameOf is the name of the run in the folder's shards; without shards it is
// that of the folder.
func NameOf(f run.Folder) (string, error) {
	shards, err := f.Shards()
	if err != nil || len(shards) == 0 {
		return f.Base(), err
	}
	h, err := data.ReadHeader(shards[0].Path)
	return h.Run, err
}

// PlayHere plays the missing shards of the job's generation in this process.
// Each is claimed by a lock, so that several processes share them out. When all
// that are missing are claimed by others it waits for them to appear, or plays
// those whose process dies.
func PlayHere(ctx context.Context, f run.Folder, job selfplay.Job) (total selfplay.Totals, err error) {
	players, err := f.LockPlayers(ctx)
	if err != nil {
		return total, fmt.Errorf("selfplay: %w", err)
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	for {
		missing, err := f.Missing(job.Generation, job.Shards())
		if err != nil || len(missing) == 0 {
			return total, err
		}
		c := &claims{folder: f, generation: job.Generation, missing: missing, held: map[int]*run.Lock{}}
		played, err := selfplay.Play(ctx, job, c.next, c.publish)
		total.Add(played)
		if err := errors.Join(err, c.err, c.release()); err != nil {
			return total, err
		}
		if played.Games > 0 {
			continue
		}
		select {
		case <-ctx.Done():
			return total, context.Cause(ctx)
		case <-time.After(pollInterval):
		}
	}
}

// pollInterval is how often a process looks for the shards of others.
const pollInterval = 50 * time.Millisecond

// claims are the shards that this process plays.
type claims struct {
	folder     run.Folder
	generation int
	missing    []int // shards that nobody here has tried to claim
	err        error // of the claim that failed

	mu   sync.Mutex
	held map[int]*run.Lock // guarded by mu; by number of the shard
}

// next claims the first of the missing shards that nobody else has.
func (c *claims) next() (shard int, ok bool) {
	for len(c.missing) > 0 && c.err == nil {
		shard, c.missing = c.missing[0], c.missing[1:]
		var lock *run.Lock
		if lock, c.err = c.folder.ClaimShard(c.generation, shard); lock != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.held[shard] = lock
			return shard, true
		}
	}
	return 0, false
}

// publish writes a shard that is played and gives its claim back.
func (c *claims) publish(p data.Provenance, rows []data.Row) error {
	if err := data.WriteShard(c.folder.Shard(c.generation, p.Shard), p, rows); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	lock := c.held[p.Shard]
	delete(c.held, p.Shard)
	return lock.Close()
}

// release gives back the claims of shards that were not finished.
func (c *claims) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, lock := range c.held {
		errs = append(errs, lock.Close())
	}
	return errors.Join(errs...)
}
