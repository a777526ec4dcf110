package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/listed"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A runSpec has the parameters of a generation of games, or of a gate, for workers. The lot's files are
// the checkpoints that play.
type runSpec struct {
	Config     string    `json:"config" text:"lines"` // the text of run.yaml
	Generation int       `json:"generation"`
	Models     [2]string `json:"models"`  // their names: of the only one, or of the candidate and of the best model
	Run        string    `json:"run"`     // the run's name, as it is written into the shards
	Program    string    `json:"program"` // the program version that is written into the shards
}

// runExecutor makes the executor of a generation's games or of its gate; see executorMakers.
func runExecutor(l wire.Lot, files [2][]byte, workers int) (executor, error) {
	var spec runSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	opt, models, err := spec.open(files, workers)
	if err != nil {
		return nil, err
	}
	if l.Kind == "gate" {
		return playPairs(arena.NewPairs(opt.GateMatch(spec.Generation, spec.Models, models)), workers), nil
	}
	return playShards(opt.Job(spec.Generation, spec.Models[0], spec.Program, models[0])), nil
}

// open returns the options of the run, and the evaluators of the checkpoints in files.
func (s runSpec) open(files [2][]byte, workers int) (opt train.Options, models [2]model.Evaluator, err error) {
	frozen, err := configs.Parse("the lot's configuration", []byte(s.Config))
	if err != nil {
		return opt, models, err
	}
	if opt, err = frozen.Options(""); err != nil {
		return opt, models, err
	}
	opt.Name, opt.Workers = s.Run, workers
	for i, file := range files {
		if models[i], err = evaluator(file, opt); err != nil {
			break
		}
	}
	return opt, models, err
}

// evaluator makes a run's evaluator of a checkpoint from the content of its file; if file is nil
// it is model.Uniform.
func evaluator(file []byte, opt train.Options) (model.Evaluator, error) {
	if file == nil {
		return model.Uniform, nil
	}
	c, err := model.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if err := c.Check(opt.Game.Spec); err != nil {
		return nil, err
	}
	return c.Evaluator(opt.Train.Precision)
}

// playShards returns the executor of a generation's games: the result of a task is the
// content of a shard's file.
func playShards(job selfplay.Job) executor {
	return func(ctx context.Context, io taskIO) error {
		job := job // the executor may be called several times at once
		var told selfplay.Totals
		job.Progress = func(t selfplay.Totals) {
			io.progress(t.Minus(told))
			told = t
		}
		total, err := selfplay.Play(ctx, job, io.next, func(p data.Provenance, rows []data.Row) error {
			content, err := data.EncodeShard(p, rows)
			if err != nil {
				return err
			}
			return io.send(p.Shard, content, shardTotals(&job, rows))
		})
		job.Progress(total)
		return err
	}
}

// games returns a train.Games that has the missing shards of a generation played by this
// process and workers, and has some of the workers' results computed again.
func (h *Hub) games(opt *train.Options, config string) train.Games {
	return func(ctx context.Context, folder rundir.Folder, job selfplay.Job) (total selfplay.Totals, err error) {
		players, err := folder.LockPlayers(ctx)
		if err != nil {
			return total, fmt.Errorf("cluster: %w", err)
		}
		defer func() { err = errors.Join(err, players.Close()) }()
		file, err := modelFile(folder, job.Model)
		if err != nil {
			return total, fmt.Errorf("cluster: %w", err)
		}
		h.refuseBanned(opt.Ledger)
		spec := runSpec{Config: config, Models: [2]string{job.Model}, Generation: job.Generation, Run: job.Run, Program: job.ProgramVersion}
		files := [2][]byte{file}
		d := &dispatch{
			lot:      wire.NewLot("shards", spec, files),
			files:    files,
			title:    fmt.Sprintf("games of generation %d", job.Generation),
			store:    &shardStore{folder: folder, job: job, run: opt},
			executor: playShards(job),
			audit:    &audit.Audit{Ledger: opt.Ledger, Verified: h.opt.Verify, Generation: job.Generation},
		}
		if job.Progress != nil {
			d.progress = func(t selfplay.Totals) {
				t.Games = min(t.Games, job.Games) // some may have been played twice
				job.Progress(t)
			}
		}
		return h.do(ctx, d)
	}
}

// A shardStore stores the shards of a generation in the run's folder.
type shardStore struct {
	folder rundir.Folder
	job    selfplay.Job
	run    *train.Options

	mu     sync.Mutex
	absent []int     // the shards that are missing; guarded by mu
	listed time.Time // when the folder was last listed: other processes may play shards too; guarded by mu
}

func (l *shardStore) missing() ([]int, error) {
	const listEvery = 2 * time.Second
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.listed) < listEvery {
		return l.absent, nil
	}
	absent, err := l.folder.Missing(l.job.Generation, l.job.Shards())
	l.absent, l.listed = absent, time.Now()
	return absent, err
}

func (l *shardStore) Read(shard int) ([]byte, error) {
	return os.ReadFile(l.folder.Shard(l.job.Generation, shard))
}

func (l *shardStore) Write(shard int, content []byte) error {
	path := l.folder.Shard(l.job.Generation, shard)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(path, content); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.absent = slices.DeleteFunc(slices.Clone(l.absent), func(n int) bool { return n == shard })
	return nil
}

func (l *shardStore) check(_ context.Context, shard int, content []byte) (has selfplay.Totals, err error) {
	if shard < 0 || shard >= l.job.Shards() {
		return has, fmt.Errorf("a generation has shards 0 to %d", l.job.Shards()-1)
	}
	h, rows, err := data.DecodeShard(fmt.Sprintf("shard %d", shard), content, l.run.Limits())
	if err != nil {
		return has, err
	}
	if h.Model != l.job.Model || h.ProgramVersion != l.job.ProgramVersion {
		return has, fmt.Errorf("it was played by model %s and bears program %s", h.Model, h.ProgramVersion)
	}
	if err := l.run.Check(rundir.Shard{Generation: l.job.Generation, Number: shard}, h, rows); err != nil {
		return has, err
	}
	// The file states more than its rows: their number and bounds, who wrote it, columns that are ignored.
	if same, err := data.EncodeShard(h, rows); err != nil || !bytes.Equal(same, content) {
		return has, errors.Join(err, errors.New("it is not the file that this program writes for its rows"))
	}
	return shardTotals(&l.job, rows), nil
}

// modelFile returns the content of a checkpoint file of the run; nil for model.NoModel.
func modelFile(folder rundir.Folder, name string) ([]byte, error) {
	if name == model.NoModel {
		return nil, nil
	}
	const most = 1 << 30
	return listed.Read(folder.Model(name), most)
}
