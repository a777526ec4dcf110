package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/internal/slow"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/worker"
	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// silent is a progress reporter that prints nothing.
type silent struct{}

func (silent) Stage(int, string, int) func(int, string) { return func(int, string) {} }
func (silent) Generation(train.Metrics)                 {}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// newRun creates a run of two generations, whose training takes only a second or two. It returns
// the run's options and the text of its run.yaml.
func newRun(dir string, settings ...string) (train.Options, string, error) {
	return newRunOf("tictactoe", dir, append([]string{
		"network.channels=16", "network.blocks=1", "mcts.simulations=16",
		"selfplay.games=48", "selfplay.shard_games=8", "selfplay.lanes=3",
		"train.generations=2", "train.optimiser.batch=32", "train.warmup_steps=4",
		"gate.games=4", "gate.simulations=8", "seed=5"}, settings...)...)
}

// newRunOf creates a run of a preset with the given settings.
func newRunOf(preset, dir string, settings ...string) (train.Options, string, error) {
	c, err := configs.Load(preset, settings...)
	if err != nil {
		return train.Options{}, "", err
	}
	frozen := configs.Frozen{Name: "tiny", Program: "test", Config: c}
	text, err := frozen.Text()
	if err != nil {
		return train.Options{}, "", err
	}
	opt, err := frozen.Options(rundir.Folder(dir))
	if err != nil {
		return train.Options{}, "", err
	}
	opt.ProgramVersion, opt.Workers, opt.Report = "test", 1, silent{}
	return opt, string(text), opt.Folder.Begin(text, nil)
}

// loop trains the run until its last generation is complete.
func loop(ctx context.Context, opt train.Options) error {
	r, err := train.Open(opt)
	if err != nil {
		return err
	}
	return errors.Join(r.Loop(ctx), r.Close())
}

// finish trains the run until its last generation is complete, and then tells the workers that the
// run is complete.
func finish(t *testing.T, hub *cluster.Hub, opt train.Options) error {
	t.Helper()
	err := loop(t.Context(), opt)
	hub.Close(true)
	return err
}

// files returns the contents of a run's shards (files of self-play games), models and gate games by
// file name, and for each generation some figures from its record.
func files(dir string) (map[string]string, error) {
	all := map[string]string{}
	metrics, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil {
		return nil, err
	}
	for _, m := range metrics {
		m.Gate.Seconds = 0
		all[fmt.Sprint("generation ", m.Generation)] = fmt.Sprint(m.Player, m.Best, m.Positions, m.Gate)
	}
	for _, pattern := range []string{"samples/*/*", "models/*", "gates/*"} {
		paths, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return nil, err
			}
			all[name] = string(content)
		}
	}
	return all, nil
}

// want returns the files of a run that was trained without workers.
var want = sync.OnceValues(func() (map[string]string, error) { return alone() })

// alone trains a run with the given settings in a single process, and returns its files.
func alone(settings ...string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "dojo-cluster")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // an error is harmless: it only leaves some files behind
	opt, _, err := newRun(dir, settings...)
	if err != nil {
		return nil, err
	}
	if err := loop(context.Background(), opt); err != nil {
		return nil, err
	}
	return files(dir)
}

// compare compares the files of a run with the files of the same run without a cluster.
func compare(t *testing.T, dir string) {
	t.Helper()
	want, err := want()
	if err != nil {
		t.Fatal(err)
	}
	compareWith(t, dir, want, 2)
}

// compareWith compares the files of a run with the files in want, and checks that the run has the
// given number of generations.
func compareWith(t *testing.T, dir string, want map[string]string, generations int) {
	t.Helper()
	got, err := files(dir)
	if err != nil {
		t.Fatal(err)
	}
	if perGeneration := 6 + 3; len(got) != len(want) || len(want) != generations*perGeneration {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s differs", name)
		}
	}
}

// start creates a run, and a hub that distributes the run's games.
func start(t *testing.T, token string) (train.Options, *cluster.Hub) {
	t.Helper()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return opt, resume(t, &opt, config, token)
}

// resume starts a hub that distributes the games of an existing run.
func resume(t *testing.T, opt *train.Options, config, token string) *cluster.Hub {
	t.Helper()
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:0", Token: token, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(opt, config); err != nil {
		t.Fatal(err)
	}
	return hub
}

// startWorkers starts workers with one goroutine each, and waits until they have joined. The
// function that it returns waits until all workers have exited without an error, and returns the
// number of tasks that each worker did.
func startWorkers(t *testing.T, hub *cluster.Hub, workers int) (ended func() []int) {
	t.Helper()
	var wg sync.WaitGroup
	joined := make(chan struct{}, workers)
	sent := make([]int, workers)
	for i := range workers {
		wg.Go(func() {
			err := worker.Work(t.Context(), worker.Options{
				Join: hub.Address(), Name: fmt.Sprint("worker ", i), Workers: 1,
				Log:      slog.New(notify{quiet.Handler(), "joined", joined}),
				Progress: func(s worker.Status) { sent[i] = s.Tasks },
			})
			if err != nil {
				t.Errorf("worker %d: %v", i, err)
			}
		})
	}
	for range workers {
		<-joined
	}
	return func() []int {
		wg.Wait()
		return sent
	}
}

// The files of a run are the same with any number of workers, even if the run plays games while it
// trains (train.lag=1). The test also checks that the workers really play some of the games.
func TestWorkersChangeNothing(t *testing.T) {
	slow.Test(t, "trains the same run with different workers")
	lag := []string{"train.lag=1", "train.generations=3"}
	lagging, err := alone(lag...)
	if err != nil {
		t.Fatal(err)
	}
	counts := []int{0, 1, 3}
	if testing.Short() {
		counts = []int{2} // two workers are enough to find races
	}
	for _, workers := range counts {
		opt, hub := start(t, "")
		left := opt.Folder.Path("samples", "gen-000000", ".tmp-dojo-1") // a temporary file that a killed trainer left behind
		if err := errors.Join(os.MkdirAll(filepath.Dir(left), 0o755), os.WriteFile(left, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		ended := startWorkers(t, hub, workers)
		if err := finish(t, hub, opt); err != nil {
			t.Fatal(err)
		}
		sent := ended() // how many results each worker sent
		compare(t, string(opt.Folder))
		if workers > 0 && sum(sent) == 0 {
			t.Errorf("%d workers sent nothing", workers)
		}
		checkRoster(t, opt.Folder, workers, sum(sent))

		opt, config, err := newRun(t.TempDir(), lag...)
		if err != nil {
			t.Fatal(err)
		}
		hub = resume(t, &opt, config, "")
		ended = startWorkers(t, hub, workers)
		if err := finish(t, hub, opt); err != nil {
			t.Fatal(err)
		}
		ended()
		compareWith(t, string(opt.Folder), lagging, 3)
	}
}

// checkRoster checks the roster: the file in which the hub lists its workers. sent is the number of
// results that all workers have sent. If a task has two results, only the first one counts.
func checkRoster(t *testing.T, folder rundir.Folder, workers, sent int) {
	t.Helper()
	all, err := folder.Workers()
	if err != nil || len(all.Workers) != workers || workers > 0 && !all.Over {
		t.Errorf("of %d workers this is written down: %+v, %v", workers, all, err)
	}
	tasks := 0
	for i, w := range all.Workers {
		tasks += w.Tasks
		if !strings.HasPrefix(w.Name, fmt.Sprint("worker ", i, "-")) || w.Refused != "" || w.Goroutines != 1 || w.Seen.Before(w.Joined) || w.System == "" {
			t.Errorf("of worker %d this is written down: %+v", i, w)
		}
	}
	if tasks > sent || sent > 0 && tasks == 0 {
		t.Errorf("%d tasks are written down of %d that were sent", tasks, sent)
	}
}

func sum(numbers []int) (n int) {
	for _, x := range numbers {
		n += x
	}
	return n
}

// notify is a log handler that sends a value on a channel whenever the given message is logged.
type notify struct {
	slog.Handler
	message string
	tell    chan<- struct{}
}

func (n notify) Enabled(context.Context, slog.Level) bool { return true }

func (n notify) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == n.message {
		n.tell <- struct{}{}
	}
	return n.Handler.Handle(ctx, r)
}

// The files of a run do not change if workers die one after another while they play, or if the hub
// is stopped and started again. This run plays games while it trains (train.lag=1).
func TestDeathsChangeNothing(t *testing.T) {
	slow.Test(t, "kills workers and trainers at random times")
	lag := []string{"train.lag=1", "train.generations=3"}
	want, err := alone(lag...)
	if err != nil {
		t.Fatal(err)
	}
	opt, config, err := newRun(t.TempDir(), lag...)
	if err != nil {
		t.Fatal(err)
	}
	life := 300 * time.Millisecond // lifetime of a worker; it grows until a worker lives long enough to finish a task
	for done := false; !done; life += life / 3 {
		hub := resume(t, &opt, config, "")
		ctx, kill := context.WithTimeout(t.Context(), life)
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				for ctx.Err() == nil { // each worker dies some games after it has joined, and the loop starts the next one
					ctx, die := context.WithCancel(ctx)
					games := 0
					err := worker.Work(ctx, worker.Options{
						Join: hub.Address(), Name: fmt.Sprint("worker ", i), Workers: 1, Log: quiet,
						Progress: func(worker.Status) {
							if games++; games > 10 {
								die()
							}
						},
					})
					die()
					if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("worker: %v", err)
					}
				}
			})
		}
		err := loop(ctx, opt)
		kill()
		wg.Wait()
		done = err == nil
		hub.Close(false)
		if !done && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	compareWith(t, string(opt.Folder), want, 3)
}
