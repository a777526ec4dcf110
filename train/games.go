package train

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/selfplay"

	"golang.org/x/sync/errgroup"
)

// Games is a function that supplies the games of a generation. When it returns, all shards of the
// job's generation are in the folder. It returns the totals of the games that this process played.
type Games func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error)

var _ Games = PlayHere

// Selfplay runs only the stage self-play. It plays the missing games of the next generation and,
// with a lag, of the generation after it. The run need not be open. At the same time, other
// processes may train the run or play the same games.
func Selfplay(ctx context.Context, opt Options) error {
	done, err := ReadMetrics(opt.Folder)
	if err != nil {
		return err
	}
	next, err := opt.next(done)
	if err != nil {
		return err
	}
	look := func(f rundir.Folder, job selfplay.Job) error {
		now, err := ReadMetrics(f)
		if err == nil && (len(now) < len(done) || opt.player(now, job.Generation) != job.Model) {
			err = fmt.Errorf("run %s has gone back to an earlier generation meanwhile; start this command again", f)
		}
		return err
	}
	if opt.Games == nil {
		opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
			return playHere(ctx, f, job, func() error { return look(f, job) })
		}
	}
	for g := next.Generation; g <= next.Generation+opt.Train.Lag && g < opt.Train.Generations; g++ {
		start, report := time.Now(), opt.Report.Stage(g, "self-play", opt.Selfplay.Games)
		err := opt.play(ctx, &Metrics{Generation: g, Player: opt.player(done, g), Program: opt.ProgramVersion}, func(t selfplay.Totals) { report(t.Games, speedRemark(t, start)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// play plays the missing games of generation m.Generation and records the speeds in m.
func (o *Options) play(ctx context.Context, m *Metrics, progress func(selfplay.Totals)) error {
	job, err := o.job(m)
	if err != nil {
		return fmt.Errorf("self-play: %w", err)
	}
	job.Progress = progress
	games := o.Games
	if games == nil {
		games = PlayHere
	}
	start := time.Now()
	played, err := games(ctx, o.Folder, job)
	if err != nil {
		return err
	}
	m.setSpeeds(played, time.Since(start))
	return nil
}

// job returns the job that plays the games of generation m.Generation.
func (o *Options) job(m *Metrics) (selfplay.Job, error) {
	e, err := o.evaluator(m.Player)
	return o.Job(m.Generation, m.Player, m.Program, e), err
}

// Alone returns a function that opens a run, runs one stage and closes the run. The stage is a
// method of the open run.
func Alone(stage func(*Run, context.Context) error) func(context.Context, Options) error {
	return func(ctx context.Context, opt Options) error {
		r, err := Open(opt)
		if err != nil {
			return err
		}
		return errors.Join(stage(r, ctx), r.Close())
	}
}

// Job returns a job for the games of a generation. The model with the given name plays them, and e
// evaluates its positions. program is the version of the program that is written into the shards.
func (o *Options) Job(generation int, name, program string, e model.Evaluator) selfplay.Job {
	return selfplay.Job{
		Config:         o.Selfplay,
		Search:         o.Search,
		Game:           o.Game,
		Evaluator:      e,
		Model:          name,
		Run:            o.Name,
		Generation:     generation,
		Seed:           o.Seed,
		ProgramVersion: program,
		Workers:        o.Workers,
	}
}

// evaluator loads the run's model with the given name and returns its evaluator. For the name
// model.NoModel it returns model.Uniform.
func (o *Options) evaluator(name string) (model.Evaluator, error) {
	if name == model.NoModel {
		return model.Uniform, nil
	}
	c, err := o.load(name)
	if err != nil {
		return nil, err
	}
	if c.Kind() != o.Network.Kind() {
		return nil, fmt.Errorf("model %s is %s; the configuration asks for %s", c.Name, c.Sizes(), o.Network.Sizes())
	}
	e, err := c.Evaluator(o.Train.Precision)
	if err != nil { // the model was made by an older program that could not yet play in 8 bits
		return nil, fmt.Errorf("%w (train: precision: in %s)", err, o.Folder.ConfigPath())
	}
	return e, nil
}

// load loads the run's model with the given name. It checks that the model fits the game. If the
// model is the one from which the run started, load also checks that its hash is o.Start.
func (o *Options) load(name string) (*model.Checkpoint, error) {
	c, err := model.Load(o.Folder.Model(name))
	if err != nil {
		return nil, err
	}
	if err := c.Check(o.Game.Spec); err != nil {
		return nil, err
	}
	if name == rundir.StartModel && c.Hash() != o.Start {
		return nil, fmt.Errorf("%s is not the model that the run began with: its hash is %s, not %s; restore the original", o.Folder.Model(name), c.Hash(), o.Start)
	}
	return c, nil
}

// PlayHere plays the missing shards of the job's generation in this process. It locks each shard
// that it plays, so that several processes can play different shards at the same time. If other
// processes have locked all missing shards, it waits for the files of these shards. If such a
// process dies, PlayHere plays its shards.
func PlayHere(ctx context.Context, f rundir.Folder, job selfplay.Job) (total selfplay.Totals, err error) {
	return playHere(ctx, f, job, func() error { return nil })
}

// playHere is like PlayHere, but also calls look, as soon as it holds the lock that keeps the run
// from going back to an earlier generation. look returns an error if the job is out of date.
func playHere(ctx context.Context, f rundir.Folder, job selfplay.Job, look func() error) (total selfplay.Totals, err error) {
	players, err := f.LockPlayers(ctx)
	if err != nil {
		return total, fmt.Errorf("selfplay: %w", err)
	}
	defer func() { err = errors.Join(err, players.Close()) }()
	ledger, err := audit.Open(f)
	if err == nil {
		var begun bool
		if _, begun, err = f.Begun(ledger.Returns()); begun {
			err = fmt.Errorf("run %s is going back to an earlier generation; dojo train --run %s finishes that", f, f)
		}
	}
	if err == nil {
		err = look()
	}
	if err != nil {
		return total, fmt.Errorf("selfplay: %w", err)
	}
	for {
		missing, err := f.Missing(job.Generation, job.Shards())
		if err != nil || len(missing) == 0 {
			return total, err
		}
		c := newClaims(f, job.Generation, missing)
		played, err := selfplay.Play(ctx, job, c.next, c.publish)
		total.Add(played)
		// The method publish may already have returned the same error.
		if late := c.writes.Wait(); late != nil && !errors.Is(err, late) {
			err = errors.Join(err, late)
		}
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

// pollInterval is the time between two checks whether other processes have finished their shards.
const pollInterval = 50 * time.Millisecond

// claims locks shards so that only this process plays them, and writes them to files when they have
// been played. It writes the files in separate goroutines, because self-play should not wait for
// the disk. A disk can take tens of milliseconds to confirm a file, and playing a shard takes about
// as long.
type claims struct {
	folder     rundir.Folder
	generation int
	missing    []int // shards that this process has not yet tried to lock
	// The first error of locking a shard; it is not an error if another process has the shard.
	err    error
	held   sync.Map        // locks of type *rundir.Lock; the key is the number of the shard
	writes *errgroup.Group // the goroutines that write the files
	failed context.Context // cancelled when writing a file fails; the cause is the error
}

// maxWrites is the largest number of shards that are written to the disk at the same time.
const maxWrites = 8

func newClaims(f rundir.Folder, generation int, missing []int) *claims {
	c := &claims{folder: f, generation: generation, missing: missing}
	c.writes, c.failed = errgroup.WithContext(context.Background())
	c.writes.SetLimit(maxWrites)
	return c
}

// next locks the first missing shard that no other process has locked, and returns its number; see
// selfplay.Shards.
func (c *claims) next() (shard int, ok bool) {
	for len(c.missing) > 0 && c.err == nil {
		shard, c.missing = c.missing[0], c.missing[1:]
		var lock *rundir.Lock
		if lock, c.err = c.folder.ClaimShard(c.generation, shard); lock != nil {
			c.held.Store(shard, lock)
			return shard, true
		}
	}
	return 0, false
}

// publish encodes a finished shard; see selfplay.Sink. A goroutine then writes and unlocks the
// shard. If writing an earlier shard failed, publish returns that error.
func (c *claims) publish(p data.Provenance, rows []data.Row) error {
	if err := context.Cause(c.failed); err != nil {
		return err
	}
	path := c.folder.Shard(c.generation, p.Shard)
	// If the file exists, the trainer got this shard from a worker, and its ledger says so. Keep
	// the file.
	if _, err := os.Stat(path); err == nil {
		return c.unlock(p.Shard)
	}
	write, err := data.PrepareShard(path, p, rows)
	if err != nil {
		return err
	}
	c.writes.Go(func() error {
		if err := write(); err != nil {
			return err
		}
		return c.unlock(p.Shard)
	})
	return nil
}

func (c *claims) unlock(shard int) error {
	lock, _ := c.held.LoadAndDelete(shard)
	return lock.(*rundir.Lock).Close()
}

// release unlocks the shards that have not been finished.
func (c *claims) release() (err error) {
	for _, lock := range c.held.Range {
		err = errors.Join(err, lock.(*rundir.Lock).Close())
	}
	return err
}
