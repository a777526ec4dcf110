package train_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A cheat is a source of games in which a worker sends some of the shards. The worker falsifies the
// values in all rows of these shards, beginning with shard 2 of the generation that the field from
// names. It is caught in generation 2.
type cheat struct {
	ledger *audit.Ledger
	from   int
	once   bool // falsify only shard 3 of generation 2, before the trainer confirms anything
	caught int
}

// cheated returns the options of a run in a new folder. The games of the run come from c.
func cheated(t *testing.T, c *cheat) train.Options {
	t.Helper()
	opt, err := tiny(filepath.Join(t.TempDir(), "run"), 2)
	if err == nil {
		c.ledger, err = audit.Open(opt.Folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	opt.Games, opt.Ledger = c.Games, c.ledger
	return opt
}

// lies reports whether the worker falsifies a shard.
func (c *cheat) lies(generation, shard int) bool {
	if c.once {
		return generation == 2 && shard == 3
	}
	return generation > c.from || generation == c.from && shard >= 2
}

func (c *cheat) Games(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
	total, err := train.PlayHere(ctx, f, job)
	if err != nil || len(c.ledger.Banned()) > 0 {
		return total, err
	}
	for shard := range 4 { // the trainer plays the other shards itself
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
		e := audit.Entry{Event: audit.Handed, Generation: job.Generation, Shard: shard, Worker: "liar", Hash: rundir.TextHash(text)}
		all := []audit.Entry{e}
		if job.Generation == c.from && shard == 1 && !c.once {
			e.Event, e.By = audit.Confirmed, audit.Trainer
			all = append(all, e)
		}
		if job.Generation == 2 && shard == 3 {
			e.Event, e.By, e.Right = audit.Wrong, audit.Trainer, "another"
			all = append(all, e)
		}
		if err := c.ledger.Append(all...); err != nil {
			return total, err
		}
	}
	if c.ledger.Doubts() {
		c.caught++
		return total, fmt.Errorf("games: %w", audit.ErrDoubt)
	}
	return total, nil
}

// turn negates all search values in a shard. Replaying the games of the shard would not reveal
// this.
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

// undisturbed returns the files of a run that is neither interrupted nor helped by workers.
func undisturbed(t *testing.T) map[string][]byte {
	t.Helper()
	folder := t.TempDir()
	if err := loop(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	return results(t, folder)
}

// If a run was trained on falsified games, it stops. The error names the generation and the command
// that takes the run back. After that, the run ends with the same files as an undisturbed run. If a
// falsified generation has not been committed, it is played again immediately.
func TestWrongGames(t *testing.T) {
	want := undisturbed(t)
	for _, c := range []struct {
		name   string
		from   int
		once   bool
		remove string // pattern of the files that the test removes before the run goes back
		needs  int    // generation to which the run must go back; -1 if it need not go back
		fails  bool   // going back to the generation in the field from fails
	}{
		{name: "the same generation", from: 2, needs: -1},
		{name: "all that is doubted but one shard is right", from: 2, once: true, needs: -1},
		{name: "a committed generation", from: 1, needs: 1},
		{name: "the first generation", from: 0, needs: 0},
		{name: "old trainer states are gone", from: 1, remove: "trainer/*", needs: 1},
		{name: "old samples are gone", from: 1, remove: "samples/gen-000000/*", needs: 0, fails: true},
	} {
		if testing.Short() && c.from == 1 && c.remove == "" {
			continue // the other cases cover everything that this case tests
		}
		liar := &cheat{from: c.from, once: c.once}
		opt := cheated(t, liar)
		opt.Flags = []string{"--listen", "127.0.0.1:4222"}
		err := loopOptions(t.Context(), opt)
		if c.needs < 0 != (err == nil) || liar.caught != 1 {
			t.Fatalf("%s: %d times caught; the run ends with %v", c.name, liar.caught, err)
		}
		if err != nil {
			says := fmt.Sprintf("dojo train --run %s --back-to %d --listen 127.0.0.1:4222", opt.Folder, c.from)
			if !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), fmt.Sprintf("generation %d was made with a wrong result", c.from)) {
				t.Errorf("%s: %v does not say %q", c.name, err, says)
			}
			if again := loopOptions(t.Context(), opt); again == nil || !strings.Contains(again.Error(), says) {
				t.Errorf("%s: the next process ends with %v", c.name, again)
			}
			if c.remove != "" {
				remove(t, opt.Folder, c.remove)
			}
			if _, err := train.BackTo(t.Context(), opt, c.from); c.fails != (err != nil) || c.fails && !strings.Contains(err.Error(), fmt.Sprint("the nearest earlier generation that is possible is ", c.needs)) {
				t.Fatalf("%s: going back to %d: %v", c.name, c.from, err)
			}
			if c.fails {
				if _, err := train.BackTo(t.Context(), opt, c.needs); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			if _, err := os.Stat(filepath.Join(opt.Folder.Aside(0), "samples", fmt.Sprintf("gen-%06d", c.from), "shard-000003.parquet")); err != nil {
				t.Errorf("%s: a wrong shard is not aside: %v", c.name, err)
			}
			if err := loopOptions(t.Context(), opt); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
		}
		compare(t, results(t, string(opt.Folder)), want)
		confirmed := 0
		if err := audit.Read(opt.Folder, func(e audit.Entry) {
			if e.Event == audit.Confirmed {
				confirmed++
			}
		}); err != nil || c.once && confirmed != 4+4 {
			t.Errorf("%s: %d shards are confirmed, %v; want all that counted", c.name, confirmed, err)
		}
	}
}

// loopOptions opens a run and trains it to its end.
func loopOptions(ctx context.Context, opt train.Options) error {
	r, err := train.Open(opt)
	if err != nil {
		return err
	}
	return errors.Join(r.Loop(ctx), r.Close())
}

// remove removes the files of a run that match a pattern.
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

// If a process is killed while it takes the run back, the next process finishes the return. The
// test interrupts the return after each file that it moves. If the killed process belonged to an
// older version of the program, the error names the command that takes the run back.
func TestKilledReturn(t *testing.T) {
	want := undisturbed(t)
	opt := cheated(t, &cheat{from: 1})
	if err := loopOptions(t.Context(), opt); !errors.As(err, new(*audit.SpoiledError)) {
		t.Fatal(err)
	}
	before := opt.Folder
	// gone lists the files that move, in the order in which PutAside moves them.
	gone := func(f rundir.Folder) []string {
		all := []string{f.Path("metrics.jsonl"), f.Record(1), f.Gate(1), f.Model("000001"), f.TrainerState(1)}
		for _, g := range []int{2, 1} {
			for shard := 5; shard >= 0; shard-- {
				all = append(all, f.Shard(g, shard))
			}
		}
		return all
	}
	for moved := range len(gone(before)) + 1 {
		for _, old := range []bool{false, true} {
			if old && moved != 3 {
				continue
			}
			after := opt
			after.Folder, after.Games, after.Ledger = rundir.Folder(filepath.Join(t.TempDir(), "run")), nil, nil
			if err := os.CopyFS(string(after.Folder), os.DirFS(string(before))); err != nil {
				t.Fatal(err)
			}
			for _, path := range gone(after.Folder)[:moved] {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			err := after.Folder.BeginReturn(rundir.Return{Generation: 1, Committed: 2})
			if old {
				err = errors.Join(os.Remove(after.Folder.ReturnPath(0)), os.MkdirAll(after.Folder.Aside(0), 0o755))
			}
			if err != nil {
				t.Fatal(err)
			}
			r, err := train.Open(after)
			if old {
				if says := fmt.Sprintf("dojo train --run %s --back-to 1", after.Folder); err == nil || !strings.Contains(err.Error(), says) {
					t.Fatalf("of a run that an older program left: %v, want %q", err, says)
				}
				if _, err := train.BackTo(t.Context(), after, 1); err != nil {
					t.Fatal(err)
				}
				r, err = train.Open(after)
			}
			if err != nil {
				t.Fatalf("after %d files: %v", moved, err)
			}
			for _, path := range gone(after.Folder)[1:] {
				if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("after %d files: %s was not moved: %v", moved, path, err)
				}
			}
			if done := r.Generations(); done != 1 {
				t.Errorf("after %d files: %d generations count, want 1", moved, done)
			}
			if moved == 3 { // train in only one of the cases, because all cases now have the same files
				err = r.Loop(t.Context())
			}
			if err := errors.Join(err, r.Close()); err != nil {
				t.Fatalf("after %d files: %v", moved, err)
			}
			if moved == 3 {
				compare(t, results(t, string(after.Folder)), want)
			}
		}
	}
}

// A run cannot go back to a generation that it does not have.
func TestBackToNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	if err := loop(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	opt, err := tiny(folder, 2)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := train.BackTo(t.Context(), opt, 7); err == nil || !strings.Contains(err.Error(), "cannot go back to generation 7: it has only 3") {
		t.Errorf("back to generation 7: %v", err)
	}
}

// If a process began to play games before the run went back, it stops, because a different model
// may now play this generation. If a process begins to play while the run is going back, it gets an
// error.
func TestGamesOfBefore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	opt, err := tiny(folder, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := loop(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	opt.Train.Generations = 4
	players, err := opt.Folder.LockPlayersAlone(t.Context()) // the lock that BackTo holds while a run goes back
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	opt.Report = announced{opt.Report, begun}
	ended := make(chan error, 1)
	go func() { ended <- train.Selfplay(t.Context(), opt) }()
	<-begun
	if err := errors.Join(os.Remove(opt.Folder.Record(2)), os.Remove(opt.Folder.Metrics()), players.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "has gone back to an earlier generation meanwhile") {
		t.Errorf("a process that began before ends with %v", err)
	}
	if err := opt.Folder.BeginReturn(rundir.Return{Generation: 1}); err != nil {
		t.Fatal(err)
	}
	opt.Report = silent{}
	if err := train.Selfplay(t.Context(), opt); err == nil || !strings.Contains(err.Error(), "is going back to an earlier generation") {
		t.Errorf("a process that comes meanwhile ends with %v", err)
	}
}

// announced is a reporter that closes a channel when the first stage begins, to announce the
// beginning to the test.
type announced struct {
	train.Reporter
	begun chan struct{}
}

func (a announced) Stage(g int, stage string, total int) func(int, string) {
	close(a.begun)
	return func(int, string) {}
}
