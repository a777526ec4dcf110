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

	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A shardSpec has the parameters of a generation of games, for workers. The lot's first file
// is the checkpoint that plays.
type shardSpec struct {
	Config     string `json:"config" text:"lines"` // the text of run.yaml
	Model      string `json:"model"`               // the name of the model that plays, as it is written into the shards
	Generation int    `json:"generation"`
	Run        string `json:"run"`     // the run's name, as it is written into the shards
	Program    string `json:"program"` // the program version that is written into the shards
}

// lot returns the generation as a lot; file is the name of the checkpoint that plays.
func (s shardSpec) lot(file string) lot {
	return lot{Kind: "shards", Spec: string(mustJSON(s)), Files: [2]string{file}}
}

// shardExecutor makes the executor of a generation's games; see executorMakers.
func shardExecutor(l lot, files [2][]byte, workers int) (executor, error) {
	var spec shardSpec
	if err := bounded.Unmarshal([]byte(l.Spec), &spec); err != nil {
		return nil, err
	}
	job, err := spec.job(files[0], workers)
	return playShards(job), err
}

// job makes the self-play job whose shards are the tasks. file is the content of the
// checkpoint that plays, nil for a search without a network.
func (s shardSpec) job(file []byte, workers int) (job selfplay.Job, err error) {
	opt, err := parseConfig(s.Config)
	if err != nil {
		return job, err
	}
	opt.Name, opt.ProgramVersion, opt.Workers = s.Run, s.Program, workers
	e, err := evaluator(file, opt)
	return opt.Job(s.Generation, s.Model, e), err
}

// parseConfig reads the text of a run.yaml that came over the network.
func parseConfig(text string) (train.Options, error) {
	frozen, err := configs.Parse("the lot's configuration", []byte(text))
	if err != nil {
		return train.Options{}, err
	}
	return frozen.Options("")
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
	return func(ctx context.Context, io taskIO) (selfplay.Totals, error) {
		job := job // the executor may be called several times at once
		job.Progress = io.progress
		return selfplay.Play(ctx, job, io.next, func(p data.Provenance, rows []data.Row) error {
			content, err := data.EncodeShard(p, rows)
			if err != nil {
				return err
			}
			return io.send(p.Shard, content, selfplay.Totals{Games: job.ShardGames, Positions: len(rows)})
		})
	}
}

// games returns a train.Games that has the missing shards of a generation played by this
// process and workers, and verifies some of the workers' results. shared records which worker
// sent which shard. The error is a *run.Rollback if shards that were accepted before are not
// to be trusted.
func (h *Hub) games(opt *train.Options, config string, shared *sharedLedger) train.Games {
	return func(ctx context.Context, folder run.Folder, job selfplay.Job) (total selfplay.Totals, err error) {
		players, err := folder.LockPlayers(ctx)
		if err != nil {
			return total, fmt.Errorf("cluster: %w", err)
		}
		defer func() { err = errors.Join(err, players.Close()) }()
		file, err := modelFile(folder, job.Model)
		if err == nil {
			err = shared.refresh()
		}
		if err != nil {
			return total, fmt.Errorf("cluster: %w", err)
		}
		h.refuseFound(shared)
		spec := shardSpec{Config: config, Model: job.Model, Generation: job.Generation, Run: job.Run, Program: job.ProgramVersion}
		d := &dispatch{
			lot:      spec.lot(fileName(file)),
			files:    [2][]byte{file},
			title:    fmt.Sprintf("games of generation %d", job.Generation),
			store:    &shardStore{folder: folder, job: job, run: opt},
			executor: playShards(job),
			audit:    &audit{sharedLedger: shared, verified: h.opt.Verify, generation: job.Generation},
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
	folder run.Folder
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

func (l *shardStore) read(shard int) ([]byte, error) {
	return os.ReadFile(l.folder.Shard(l.job.Generation, shard))
}

func (l *shardStore) enter(shard int, content []byte) error {
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

func (l *shardStore) check(_ context.Context, shard int, content []byte) error {
	if shard < 0 || shard >= l.job.Shards() {
		return fmt.Errorf("a generation has shards 0 to %d", l.job.Shards()-1)
	}
	h, rows, err := data.DecodeShard(fmt.Sprintf("shard %d", shard), content)
	if err != nil {
		return err
	}
	if h.Model != l.job.Model || h.ProgramVersion != l.job.ProgramVersion {
		return fmt.Errorf("it was played by model %s and bears program %s", h.Model, h.ProgramVersion)
	}
	return l.run.Check(run.Shard{Generation: l.job.Generation, Number: shard}, h, rows)
}

// modelFile returns the content of a checkpoint file of the run; nil for model.NoModel.
func modelFile(folder run.Folder, name string) ([]byte, error) {
	if name == model.NoModel {
		return nil, nil
	}
	c, err := model.Load(folder.Model(name))
	if err != nil {
		return nil, err
	}
	return encodeModel(c)
}

// encodeModel returns the content of a checkpoint's file.
func encodeModel(c *model.Checkpoint) ([]byte, error) {
	var b bytes.Buffer
	err := c.Encode(&b)
	return b.Bytes(), err
}

// fileName returns the name of a file in the stream of models; "" if content is nil.
func fileName(content []byte) string {
	if content == nil {
		return ""
	}
	return digest(content)
}
