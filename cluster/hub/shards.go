package hub

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

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/listed"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// games returns a train.Games: this process and workers play the missing shards (files of self-play
// games) of a generation. Some of the workers' results are recomputed.
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
		spec := worker.RunSpec{Config: config, Models: [2]string{job.Model}, Generation: job.Generation, Run: job.Run, Program: job.ProgramVersion}
		files := [2][]byte{file}
		d := &dispatch{
			lot:      wire.NewLot("shards", spec, files),
			files:    files,
			title:    fmt.Sprintf("games of generation %d", job.Generation),
			store:    &shardStore{folder: folder, job: job, run: opt},
			executor: worker.PlayShards(job),
			audit:    &audit.Audit{Ledger: opt.Ledger, Verified: h.opt.Verify, Generation: job.Generation},
		}
		if job.Progress != nil {
			d.progress = func(t selfplay.Totals) {
				t.Games = min(t.Games, job.Games) // games that both a worker and this process have played may count twice in t
				job.Progress(t)
			}
		}
		return h.do(ctx, d)
	}
}

// A shardStore stores the shards (files of self-play games) of a generation in the run's folder.
type shardStore struct {
	folder rundir.Folder
	job    selfplay.Job
	run    *train.Options

	mu     sync.Mutex
	absent []int     // the numbers of the missing shards; guarded by mu
	listed time.Time // when the folder was last read; other processes may have added shards since; guarded by mu
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
		return has, fmt.Errorf("the generation has only shards 0 to %d", l.job.Shards()-1)
	}
	h, rows, err := data.DecodeShard(fmt.Sprintf("shard %d", shard), content, l.run.Limits())
	if err != nil {
		return has, err
	}
	if h.Model != l.job.Model || h.ProgramVersion != l.job.ProgramVersion {
		return has, fmt.Errorf("it states model %s and program %s, not model %s and program %s", h.Model, h.ProgramVersion, l.job.Model, l.job.ProgramVersion)
	}
	if err := l.run.Check(rundir.Shard{Generation: l.job.Generation, Number: shard}, h, rows); err != nil {
		return has, err
	}
	// Besides its rows, a file contains their number and bounds and the name of the program that
	// wrote it, and it may contain columns that readers ignore. To check all of this too, the hub
	// encodes the rows again and compares the bytes.
	if same, err := data.EncodeShard(h, rows); err != nil || !bytes.Equal(same, content) {
		return has, errors.Join(err, errors.New("its bytes are not those that this program writes for its rows"))
	}
	return worker.ShardTotals(&l.job, rows), nil
}

// modelFile returns the content of a checkpoint file of the run. It returns nil if name is
// model.NoModel.
func modelFile(folder rundir.Folder, name string) ([]byte, error) {
	if name == model.NoModel {
		return nil, nil
	}
	const most = 1 << 30
	return listed.Read(folder.Model(name), most)
}
