package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dojo.example/cluster"
	"dojo.example/data"
	"dojo.example/model"
	"dojo.example/run"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/nats-io/nats-server/v2/server/ats"
)

// A world is a cluster with all its faults in one process, under the clock of a synctest bubble: a
// trainer with its hub and an embedded server, workers, and a network between them. All of it is
// the program's own code but the connections and the clock; tasks last minutes and take no time.
// A seed decides what goes wrong and when. Which of two goroutines goes first at the same moment
// it does not decide, so a failing seed fails again often, not always.
type world struct {
	rng *rand.Rand // of the goroutine that sets the world up

	// What the seed has decided.
	workers    int
	verify     float64
	settings   []string
	mortal     bool          // workers die and come back
	life       time.Duration // of the trainer, on average; 0 if it does not die
	partitions bool
	liar       bool // worker 0 lies now and then
	disk       bool // the disk gets full now and then

	want   map[string]string // the files of the run alone
	opt    train.Options
	config string
	net    *network

	done context.Context // ends when the run is complete
	end  context.CancelFunc

	mu     sync.Mutex
	faults []string                // the invariants that did not hold; guarded by mu
	events []string                // the last things that happened; guarded by mu
	truth  map[string]cluster.Done // what honest workers have computed, by lot and number; guarded by mu
	lies   int                     // guarded by mu
	fulls  int                     // how often the disk got full or empty; guarded by mu
	deaths int                     // of the trainer; guarded by mu
	back   int                     // rollbacks; guarded by mu
}

// worldTime is the longest that a run may take.
const worldTime = 12 * time.Hour

// newWorld decides what is to go wrong.
func newWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 0))
	perhaps := func(p float64) bool { return rng.Float64() < p }
	w := &world{rng: rng, workers: 1 + rng.IntN(6), truth: map[string]cluster.Done{}}
	w.settings = []string{"train.generations=3", fmt.Sprint("train.lag=", rng.IntN(2))}
	w.verify = []float64{0, 0.02, 0.2, 1}[rng.IntN(4)]
	w.mortal, w.partitions = perhaps(0.7), perhaps(0.5)
	if perhaps(0.7) {
		w.life = time.Duration(4+rng.IntN(20)) * time.Minute
	}
	if perhaps(0.3) || os.Getenv("DOJO_LIAR") != "" {
		w.liar, w.verify, w.workers = true, 1, max(2, w.workers)
	}
	w.net = &network{latency: time.Duration(rng.IntN(200)) * time.Millisecond, rng: rand.New(rand.NewPCG(seed, 1)), lines: map[string]map[*wire]bool{}, held: map[string]map[chan<- bool]bool{}}
	if perhaps(0.6) {
		w.net.cut = 0.002 * rng.Float64()
	}
	if perhaps(0.3) {
		w.net.corrupt = 0.001 * rng.Float64()
	}
	w.disk = perhaps(0.3)
	if n, err := strconv.Atoi(os.Getenv("DOJO_WORKERS")); err == nil {
		w.workers, w.liar = n, false
		w.settings = []string{"train.generations=1", fmt.Sprint("selfplay.games=", 8*n)}
	}
	return w
}

// happened notes an event, for when something is wrong.
func (w *world) happened(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	if len(w.events) > 200 {
		w.events = w.events[100:]
	}
}

// wrong notes that an invariant does not hold.
func (w *world) wrong(invariant, format string, args ...any) {
	fault := invariant + ": " + fmt.Sprintf(format, args...)
	w.happened("WRONG: %s", fault)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fault)
}

// run lets time pass until the run is complete, and checks what has come of it.
func (w *world) run(ctx context.Context, dir string) (err error) {
	if w.opt, w.config, err = newRun(dir, w.settings...); err != nil {
		return err
	}
	w.opt.Report = watcher{w}
	w.opt.RolledBack = func(b *run.Rollback) {
		w.mu.Lock()
		w.back++
		w.mu.Unlock()
		w.happened("back to generation %d", b.Generation)
	}
	w.done, w.end = context.WithTimeout(ctx, worldTime)
	defer w.end()
	var all sync.WaitGroup
	for i := range w.workers {
		rng := rand.New(rand.NewPCG(w.rng.Uint64(), 0))
		all.Go(func() { w.work(i, rng) })
		if w.partitions {
			rng := rand.New(rand.NewPCG(w.rng.Uint64(), 0))
			all.Go(func() {
				for w.done.Err() == nil {
					wait(w.done, exponential(rng, 10*time.Minute))
					w.net.hold(w.done, fmt.Sprint("worker ", i), exponential(rng, time.Minute))
				}
			})
		}
	}
	if w.disk {
		rng := rand.New(rand.NewPCG(w.rng.Uint64(), 1))
		all.Go(func() { w.fill(rng) })
	}
	w.train(rand.New(rand.NewPCG(w.rng.Uint64(), 0)))
	all.Wait()
	time.Sleep(time.Minute) // for what is on its way
	return w.check()
}

// exponential draws a time.
func exponential(rng *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(rng.ExpFloat64() * float64(mean))
}

// wait sleeps until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// calm reports whether nothing keeps the workers from hearing what the hub says.
func (w *world) calm() bool {
	return !w.mortal && !w.partitions && w.net.cut == 0 && w.net.corrupt == 0
}

// fill fills the trainer's disk, and makes room again.
func (w *world) fill(rng *rand.Rand) {
	for full := false; w.done.Err() == nil; full = !full {
		if !fillDisk(full) {
			return
		}
		w.mu.Lock()
		w.fulls++
		w.mu.Unlock()
		w.happened("the disk is full: %v", full)
		mean := 15 * time.Minute
		if full {
			mean = time.Minute
		}
		wait(w.done, exponential(rng, mean))
	}
	fillDisk(false)
}

// filled is how often the disk got full or empty so far.
func (w *world) filled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fulls
}

// train is the trainer: it dies, and somebody starts it again, until the run is complete.
func (w *world) train(rng *rand.Rand) {
	defer w.end()
	for w.done.Err() == nil {
		ctx, kill := context.WithCancel(w.done)
		if w.life > 0 {
			time.AfterFunc(exponential(rng, w.life), kill)
		}
		before := w.filled()
		complete, err := w.trainer(ctx)
		died := ctx.Err() != nil || before != w.filled() || before%2 == 0 && before > 0 // an even number: the disk is full
		kill()
		if complete {
			time.Sleep(20 * time.Minute) // longer than any task of a worker that has not heard of it
			return
		}
		if !died {
			w.wrong("the trainer goes on", "it ended with %v", err)
			return
		}
		w.happened("the trainer died: %v", err)
		w.mu.Lock()
		w.deaths++
		w.mu.Unlock()
		wait(w.done, exponential(rng, time.Minute))
	}
	w.wrong("the run ends", "it has not after %v", worldTime)
}

// trainer is one life of the trainer.
func (w *world) trainer(ctx context.Context) (complete bool, err error) {
	hub, err := cluster.NewHub(ctx, cluster.Unheard(cluster.HubOptions{
		Name: w.opt.Name, Config: w.config, Dir: w.opt.Folder.Path("cluster"), Listen: "127.0.0.1:4222", Verify: w.verify, Log: w.log("trainer"),
	}))
	if err != nil {
		return false, err
	}
	opt := w.opt
	if err := hub.Attach(&opt, w.config); err != nil {
		hub.Kill()
		return false, err
	}
	games := opt.Games
	opt.Games = func(ctx context.Context, f run.Folder, job selfplay.Job) (selfplay.Totals, error) {
		e := job.Evaluator
		job.Evaluator = model.EvaluatorFunc(func(ctx context.Context, b *model.Batch) error {
			wait(ctx, time.Second) // it takes the trainer its time too
			return errors.Join(context.Cause(ctx), e.Evaluate(ctx, b))
		})
		return games(ctx, f, job)
	}
	w.net.connect(hub.Pipe)
	defer w.net.connect(nil)
	if err := loop(ctx, opt); err != nil {
		w.net.connect(nil)
		hub.Kill()
		return false, err
	}
	w.happened("complete")
	hub.Close(true)
	return true, nil
}

// work is a worker's machine: its processes die, and it starts others, until the run is complete.
func (w *world) work(i int, rng *rand.Rand) {
	name, key := fmt.Sprint("worker ", i), cluster.NewKey()
	lying := w.liar && i == 0
	for w.done.Err() == nil {
		ctx, kill := context.WithCancel(w.done)
		if w.mortal {
			time.AfterFunc(exponential(rng, 10*time.Minute), func() { w.net.drop(name); kill() })
		}
		opt := cluster.WorkerOptions{Join: "127.0.0.1:4222", Name: name, Key: key, Workers: 1, Log: w.log(name)}
		tasks := rand.New(rand.NewPCG(rng.Uint64(), 0))
		err := cluster.WorkOver(ctx, opt, w.net.to(name), func(ctx context.Context, lot string, number int, honest func() (cluster.Done, error)) ([]cluster.Done, error) {
			return w.task(ctx, tasks, lot, number, lying, honest)
		})
		died := ctx.Err() != nil
		kill()
		w.happened("%s ended: %v", name, err)
		if w.done.Err() != nil && w.calm() && !lying {
			w.wrong("workers end with the run", "%s: %v", name, err)
		}
		switch {
		case err == nil: // the run is complete
			return
		case errors.Is(err, cluster.ErrRefused) && lying:
			key = cluster.NewKey() // it tries again as somebody else
		case !died && w.net.corrupt == 0: // a byte that changes can spoil what the hub says of the run, and somebody starts the worker again
			w.wrong("honest workers are let in", "%s: %v", name, err)
			return
		}
		wait(w.done, exponential(rng, time.Minute))
	}
}

// task does a task in some minutes. Some results are sent twice, and some very late.
func (w *world) task(ctx context.Context, rng *rand.Rand, lot string, number int, lying bool, honest func() (cluster.Done, error)) ([]cluster.Done, error) {
	wait(ctx, time.Duration(5+rng.IntN(400))*time.Second)
	if rng.Float64() < 0.02 {
		wait(ctx, exponential(rng, 20*time.Minute))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	d, err := w.known(lot, number, honest)
	if err != nil {
		return nil, err
	}
	if lying && rng.Float64() < 0.3 {
		if d.Content, err = falsified(d.Content); err != nil {
			return nil, err
		}
		w.mu.Lock()
		w.lies++
		w.mu.Unlock()
		w.happened("a lie about %d of %.12s", number, lot)
	}
	if rng.Float64() < 0.05 {
		return []cluster.Done{d, d}, nil
	}
	return []cluster.Done{d}, nil
}

// known is the result of a task; it is computed once, however many workers do it.
func (w *world) known(lot string, number int, honest func() (cluster.Done, error)) (d cluster.Done, err error) {
	at := fmt.Sprint(lot, " ", number)
	w.mu.Lock()
	d, ok := w.truth[at]
	w.mu.Unlock()
	if ok {
		return d, nil
	}
	if d, err = honest(); err == nil {
		w.mu.Lock()
		w.truth[at] = d
		w.mu.Unlock()
	}
	return d, err
}

// falsified is a shard with other values, or any other result with other bytes.
func falsified(content []byte) ([]byte, error) {
	h, rows, err := data.DecodeShard("a shard", content)
	if err != nil {
		return append([]byte(nil), content[:len(content)/2]...), nil
	}
	for i := range rows {
		rows[i].Value = -rows[i].Value
	}
	return data.EncodeShard(h, rows)
}

// A watcher checks each generation when it is complete.
type watcher struct{ w *world }

func (watcher) Stage(int, string, int) func(int, string) { return func(int, string) {} }

func (x watcher) Generation(m train.Metrics) {
	x.w.happened("generation %d is complete", m.Generation)
	if x.w.liar {
		return // it may go back
	}
	for name, want := range x.w.want {
		if !strings.HasPrefix(name, fmt.Sprintf("samples%cgen-%06d", filepath.Separator, m.Generation)) {
			continue
		}
		if got, err := os.ReadFile(x.w.opt.Folder.Path(name)); err != nil || string(got) != want {
			x.w.wrong("only true shards are trained on", "%s differs, or %v", name, err)
		}
	}
}

// check checks the run that has come of it all.
func (w *world) check() error {
	got, err := files(string(w.opt.Folder))
	if err != nil {
		return err
	}
	for name, content := range w.want {
		if got[name] != content {
			w.wrong("the run is the same as alone", "%s differs", name)
		}
		delete(got, name)
	}
	for name := range got {
		w.wrong("the run is the same as alone", "%s is there", name)
	}
	isLiar := func(worker string) bool { return w.liar && strings.HasPrefix(worker, "worker 0-") }
	guilty := map[string]bool{}
	err = run.ReadLedger(w.opt.Folder, func(e run.Entry) {
		if e.Event == run.Handed && guilty[e.Worker] {
			w.wrong("who is cut off hands in nothing more", "%+v", e)
		}
		guilty[e.Worker] = guilty[e.Worker] || e.Event == run.Wrong
		if e.Event == run.Wrong && !isLiar(e.Worker) {
			w.wrong("nobody honest is found guilty", "%+v", e)
		}
	})
	if err != nil {
		return err
	}
	all, err := w.opt.Folder.Workers()
	for _, m := range all.Workers {
		if m.Refused != "" && !isLiar(m.Name) {
			w.wrong("nobody honest is found guilty", "%s: %s", m.Name, m.Refused)
		}
	}
	return err
}

// log is where a process of the world logs to.
func (w *world) log(who string) *slog.Logger {
	return slog.New(slog.NewTextHandler(teller{w, who}, nil))
}

// A teller makes an event of what is logged.
type teller struct {
	w   *world
	who string
}

func (x teller) Write(line []byte) (int, error) {
	_, text, _ := strings.Cut(strings.TrimSpace(string(line)), "level=")
	x.w.happened("%s: %s", x.who, text)
	return len(line), nil
}

// simulate lets a world come and go, and returns how long it was.
func simulate(t *testing.T, seed uint64) time.Duration {
	w := newWorld(seed)
	shm := "/dev/shm" // in memory, where it is; the disk would take most of the time
	if _, err := os.Stat(shm); err != nil {
		shm = ""
	}
	dir, err := os.MkdirTemp(shm, "dojo-world-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // what is left there harms nobody
	if w.want, err = runAlone(w.settings); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	err = w.run(t.Context(), dir)
	lasted := time.Since(begun)
	t.Logf("seed %d: %d workers, %v verified, %v; %d deaths of the trainer, %d cuts, %d full disks, %d lies, %d rollbacks", seed, w.workers, w.verify, lasted.Round(time.Second), w.deaths, w.net.cuts, w.fulls/2, w.lies, w.back)
	if err != nil || len(w.faults) > 0 {
		t.Errorf("%s\n%v\n%s\nDOJO_SEED=%d go test ./cluster -run TestSimulation", strings.Join(w.events, "\n"), err, strings.Join(w.faults, "\n"), seed)
	}
	return lasted
}

// alones has the files of runs alone.
var alones sync.Map // by settings: func() (map[string]string, error)

func runAlone(settings []string) (map[string]string, error) {
	f, _ := alones.LoadOrStore(strings.Join(settings, " "), sync.OnceValues(func() (map[string]string, error) { return alone(settings...) }))
	return f.(func() (map[string]string, error))()
}

// In spite of all faults the run has the files of a run without workers. DOJO_SEED repeats a seed;
// DOJO_SIMULATE=2m tries fresh seeds, or those from DOJO_SEED on, for two minutes, and
// DOJO_WORKERS=1000 makes worlds of 1,000 workers, with a shard for each.
// With DOJO_LIAR=1 each world has a liar.
//
// The worlds are in a process of their own and one bubble, because the client of NATS keeps timers
// for all of a process, and a timer belongs to one bubble.
func TestSimulation(t *testing.T) {
	const inside = "DOJO_SIMULATION_INSIDE"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSimulation$", "-test.v", "-test.timeout=1h")
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	first, seeds, limit := uint64(1), uint64(4), time.Duration(0)
	if testing.Short() {
		seeds = 1
	}
	if text := os.Getenv("DOJO_SIMULATE"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		first, seeds, limit = rand.Uint64N(1e12), 1<<62, d
	}
	if text := os.Getenv("DOJO_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first = n
		if limit == 0 {
			seeds = 1
		}
	}
	ats.Register() // outside of the bubble: a goroutine of the server that all servers share
	defer ats.Unregister()
	synctest.Test(t, func(t *testing.T) {
		lasted, n := time.Duration(0), uint64(0)
		begun := ats.AccessTime() // by the clock of the real world
		spent := func() time.Duration { return time.Duration(ats.AccessTime() - begun) }
		for ; n < seeds && (limit == 0 || spent() < limit) && !t.Failed(); n++ {
			lasted += simulate(t, first+n)
		}
		t.Logf("%d worlds lasted %v in %v, %.0f hours an hour", n, lasted.Round(time.Minute), spent().Round(time.Second), lasted.Seconds()/spent().Seconds())
	})
}
