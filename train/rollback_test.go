package train_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A cheat is a source of games some of whose shards come from a worker that turns the
// outcomes round, from shard 2 of generation from on. It is caught in generation 2.
type cheat struct {
	opt    train.Options
	from   int
	once   bool   // it turns shard 3 of generation 2 alone, and nothing was confirmed before
	caught func() // called before; may be nil
}

// lies reports whether the outcomes of a shard are turned.
func (c *cheat) lies(generation, shard int) bool {
	if c.once {
		return generation == 2 && shard == 3
	}
	return generation > c.from || generation == c.from && shard >= 2
}

func (c *cheat) Games(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
	ledger, err := f.OpenLedger()
	if err != nil {
		return selfplay.Totals{}, err
	}
	total, err := train.PlayHere(ctx, f, job)
	if err != nil || len(ledger.CutOff()) > 0 {
		return total, err
	}
	for shard := range 4 { // the others are the trainer's own
		path := f.Shard(job.Generation, shard)
		if c.lies(job.Generation, shard) {
			if err := turn(path); err != nil {
				return total, err
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return total, err
		}
		sum := sha256.Sum256(text)
		e := rundir.Entry{Event: rundir.Handed, Generation: job.Generation, Shard: shard, Worker: "liar", Hash: hex.EncodeToString(sum[:])}
		all := []rundir.Entry{e}
		if job.Generation == c.from && shard == 1 && !c.once {
			e.Event, e.By = rundir.Confirmed, rundir.Trainer
			all = append(all, e)
		}
		if job.Generation == 2 && shard == 3 {
			e.Event, e.By, e.Right = rundir.Wrong, rundir.Trainer, "another"
			all = append(all, e)
		}
		if err := ledger.Append(all...); err != nil {
			return total, err
		}
	}
	if b := ledger.Owed(); b != nil {
		if c.caught != nil {
			c.caught()
		}
		return total, b
	}
	return total, nil
}

// turn turns the values that the search found in a shard round, which playing the games again does not show.
func turn(path string) error {
	h, rows, err := data.ReadShard(path, data.Limits{})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Value = -rows[i].Value
	}
	return data.WriteShard(path, h, rows)
}

// A run that was taught wrong games for a while goes back to before the first of them,
// and ends as one that was not.
func TestRollback(t *testing.T) {
	undisturbed := t.TempDir()
	if err := loop(t.Context(), undisturbed, 2); err != nil {
		t.Fatal(err)
	}
	want := results(t, undisturbed)
	for _, c := range []struct {
		name    string
		from    int
		once    bool
		remove  string // pattern of files that are no longer there when the run goes back
		to      int    // the generation to which it goes back
		removed []int  // which shards of it
	}{
		{name: "the same generation", from: 2, to: 2, removed: []int{2, 3}},
		{name: "a committed generation", from: 1, to: 1, removed: []int{2, 3}},
		{name: "the first generation", from: 0, to: 0, removed: []int{2, 3}},
		{name: "old trainer states are gone", from: 2, remove: "trainer/*", to: 2, removed: []int{2, 3}},
		{name: "all that is doubted but one shard is right", from: 2, once: true, to: 2, removed: []int{3}},
		{name: "old samples are gone", from: 1, remove: "samples/gen-000000/*", to: 0},
	} {
		if testing.Short() && c.from == 1 && c.remove == "" {
			continue // the others have all that it has
		}
		opt, err := tiny(filepath.Join(t.TempDir(), "run"), 2)
		if err != nil {
			t.Fatal(err)
		}
		caught := 0
		opt.Games = (&cheat{opt: opt, from: c.from, once: c.once, caught: func() {
			caught++
			if c.remove != "" {
				remove(t, opt.Folder, c.remove)
			}
		}}).Games
		var back []*rundir.Rollback
		opt.RolledBack = func(b *rundir.Rollback) { back = append(back, b) }
		if err := loopOptions(t.Context(), opt); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		compare(t, results(t, string(opt.Folder)), want)
		if caught != 1 || len(back) != 1 || back[0].Generation != c.to || !slices.Equal(back[0].Shards, c.removed) || back[0].Committed != 2 || !slices.Equal(back[0].Workers, []string{"liar"}) {
			t.Errorf("%s: %d times caught, rolled back %+v", c.name, caught, back)
		}
		if _, err := os.Stat(opt.Folder.RollbackPath(0)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		confirmed, aside := 0, opt.Folder.Undone(0)
		if err := rundir.ReadLedger(opt.Folder, func(e rundir.Entry) {
			if e.Event == rundir.Confirmed {
				confirmed++
			}
		}); err != nil || c.once && confirmed != 4+4+3 {
			t.Errorf("%s: %d shards are confirmed, %v; want all true ones", c.name, confirmed, err)
		}
		if _, err := os.Stat(filepath.Join(aside, "samples", fmt.Sprintf("gen-%06d", c.to), "shard-000003.parquet")); len(c.removed) > 0 && err != nil {
			t.Errorf("%s: a wrong shard is not put aside: %v", c.name, err)
		}
	}
}

// loopOptions trains a run to its end.
func loopOptions(ctx context.Context, opt train.Options) error {
	r, err := train.Open(opt)
	if err != nil {
		return err
	}
	return errors.Join(r.Loop(ctx), r.Close())
}

// remove removes files of a run.
func remove(t *testing.T, f rundir.Folder, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(f.Path(filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

// A process that is killed while the run goes back leaves a run with which the next one
// finishes it. It is stopped here after every file that a rollback writes or removes.
func TestKilledRollback(t *testing.T) {
	undisturbed := t.TempDir()
	if err := loop(t.Context(), undisturbed, 2); err != nil {
		t.Fatal(err)
	}
	want := results(t, undisturbed)
	before := filepath.Join(t.TempDir(), "before")
	opt, err := tiny(before, 2)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped")
	games := (&cheat{opt: opt, from: 1}).Games
	opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		total, err := games(ctx, f, job)
		if b := (*rundir.Rollback)(nil); errors.As(err, &b) {
			err = stop // before the first file is touched
		}
		return total, err
	}
	if err := loopOptions(t.Context(), opt); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	ledger, err := opt.Folder.OpenLedger()
	if err != nil {
		t.Fatal(err)
	}
	var known []rundir.Entry // as the trainer finds when it computes again what the ledger doubts
	for _, e := range ledger.Doubted() {
		switch {
		case e.Generation == 1 && e.Shard >= 2 && e.Event != rundir.Wrong:
			e.Event, e.By, e.Right = rundir.Wrong, rundir.Trainer, "another"
			known = append(known, e)
		case e.Generation < 1 || e.Generation == 1 && e.Shard < 2:
			e.Event, e.By = rundir.Confirmed, rundir.Trainer
			known = append(known, e)
		}
	}
	gone := func(f rundir.Folder) []string { // in the order of Undo
		return []string{
			f.Path("metrics.jsonl"), f.Record(1), f.Gate(1), f.Model("000001"), f.TrainerState(1),
			f.Shard(1, 2), f.Shard(1, 3), f.Shard(2, 0), f.Shard(2, 1), f.Shard(2, 2), f.Shard(2, 3), f.Shard(2, 4), f.Shard(2, 5),
		}
	}
	for kept := -1; kept <= len(gone(opt.Folder)); kept++ {
		after := opt
		after.Folder = rundir.Folder(filepath.Join(t.TempDir(), "run"))
		if err := os.CopyFS(string(after.Folder), os.DirFS(before)); err != nil {
			t.Fatal(err)
		}
		after.Games = nil
		if kept >= 0 { // -1: not even begun
			ledger, err := after.Folder.OpenLedger()
			if err != nil {
				t.Fatal(err)
			}
			if err := ledger.Append(known...); err != nil {
				t.Fatal(err)
			}
			if b := ledger.Owed(); b == nil || b.Generation != 1 {
				t.Fatalf("the run owes %+v", b)
			}
			for _, path := range gone(after.Folder)[:kept] {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		if kept > 0 {
			if err := train.Selfplay(t.Context(), after); err == nil {
				t.Error("games were played in the middle of a rollback")
			}
		}
		ctx, stop := context.WithCancel(t.Context())
		after.RolledBack = func(*rundir.Rollback) { stop() }
		r, err := train.Open(after)
		if err != nil {
			t.Fatalf("after %d files: %v", kept, err)
		}
		if kept >= 0 {
			if err := r.Loop(ctx); !errors.Is(err, context.Canceled) {
				t.Fatalf("after %d files: %v, want the end after the rollback", kept, err)
			}
			for _, path := range gone(after.Folder)[1:] {
				if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("after %d files: %s was not removed: %v", kept, path, err)
				}
			}
			if done := r.Generations(); done != 1 {
				t.Errorf("after %d files: %d generations count, want 1", kept, done)
			}
		}
		if kept == -1 || kept == 3 { // what the others lead to is the same as this
			err = r.Loop(t.Context())
		}
		if err := errors.Join(err, r.Close()); err != nil {
			t.Fatalf("after %d files: %v", kept, err)
		}
		if kept == -1 || kept == 3 {
			compare(t, results(t, string(after.Folder)), want)
		}
	}
}
