package hub_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A world is a whole cluster in one process: a trainer with its hub and an embedded server,
// workers, and a network between them. The world simulates all kinds of faults. Only the
// connections and the clock are simulated; everything else is the program's own code. The clock is
// the clock of a synctest bubble, so tasks last minutes but take no real time.
//
// A seed decides what goes wrong and when. It does not decide which of two goroutines runs first if
// both could run at the same moment. So a seed that has failed will often, but not always, fail
// again.
type world struct {
	rng *rand.Rand // used only by the goroutine that builds the world

	// The seed determines the following fields.
	workers    int
	verify     float64
	settings   []string
	mortal     bool          // workers die and come back
	life       time.Duration // the average time after which the trainer dies; 0 if it does not die
	partitions bool
	liar       bool // worker 0 lies now and then
	disk       bool // the disk is full now and then

	want   map[string]string // the files of the run without workers
	opt    train.Options
	config string
	net    *network

	done context.Context // ends when the run is complete
	end  context.CancelFunc

	mu     sync.Mutex
	faults []string        // descriptions of the invariants that were violated; guarded by mu
	events []string        // the latest events; guarded by mu
	truth  map[string]Done // for each task, the result of an honest worker; guarded by mu
	lies   int             // the number of lies of worker 0; guarded by mu
	fulls  int             // how many times the disk became full or was freed; guarded by mu
	deaths int             // how many times the trainer died; guarded by mu
}

// worldTime is the longest simulated time that a run may take.
const worldTime = 12 * time.Hour

// newWorld creates a world, and lets the seed choose its faults.
func newWorld(seed uint64) *world {
	rng := rand.New(rand.NewPCG(seed, 0))
	perhaps := func(p float64) bool { return rng.Float64() < p }
	w := &world{rng: rng, workers: 1 + rng.IntN(6), truth: map[string]Done{}}
	w.settings = []string{"train.generations=3", fmt.Sprint("train.lag=", rng.IntN(2))}
	w.verify = []float64{0, 0.02, 0.2, 1}[rng.IntN(4)]
	w.mortal, w.partitions = perhaps(0.7), perhaps(0.5)
	if perhaps(0.7) {
		w.life = time.Duration(4+rng.IntN(20)) * time.Minute
	}
	if perhaps(0.3) || os.Getenv("DOJO_LIAR") != "" {
		w.liar, w.verify, w.workers = true, 1, max(2, w.workers)
	}
	w.net = &network{latency: time.Duration(rng.IntN(200)) * time.Millisecond, rng: rand.New(rand.NewPCG(seed, 1)), lines: map[string]map[*line]bool{}, held: map[string]map[chan<- bool]bool{}}
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

// happened records an event. The test shows the events if it fails.
func (w *world) happened(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
	if len(w.events) > 200 {
		w.events = w.events[100:]
	}
}

// wrong records that an invariant is violated.
func (w *world) wrong(invariant, format string, args ...any) {
	fault := invariant + ": " + fmt.Sprintf(format, args...)
	w.happened("WRONG: %s", fault)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fault)
}

// run simulates the world until its run is complete, and checks the result.
func (w *world) run(ctx context.Context, dir string) (err error) {
	if w.opt, w.config, err = newRun(dir, w.settings...); err != nil {
		return err
	}
	w.opt.Report = watcher{w}
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
	time.Sleep(time.Minute) // waits for messages that are still on their way
	return w.check()
}

// exponential returns a random, exponentially distributed time.
func exponential(rng *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(rng.ExpFloat64() * float64(mean))
}

// wait sleeps for the time d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// calm reports whether the world has no faults that can prevent a worker from receiving the hub's
// messages.
func (w *world) calm() bool {
	return !w.mortal && !w.partitions && w.net.cut == 0 && w.net.corrupt == 0
}

// fill fills and frees the trainer's disk at random times until the run is complete.
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

// filled returns how many times the disk has become full or been freed.
func (w *world) filled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fulls
}

// train runs the trainer, and starts it again whenever it dies, until the run is complete.
func (w *world) train(rng *rand.Rand) {
	defer w.end()
	for w.done.Err() == nil {
		ctx, kill := context.WithCancel(w.done)
		if w.life > 0 {
			time.AfterFunc(exponential(rng, w.life), kill)
		}
		before := w.filled()
		complete, err := w.trainer(ctx)
		died := ctx.Err() != nil || before != w.filled() || before%2 == 0 && before > 0 // an even count above 0 means that the disk is full, see fill
		kill()
		if complete {
			time.Sleep(20 * time.Minute) // lets every worker finish its task and learn that the run is complete
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

// trainer runs the trainer once, until it dies or the run is complete.
func (w *world) trainer(ctx context.Context) (complete bool, err error) {
	hub, err := cluster.New(ctx, cluster.Unheard(cluster.Options{
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
	opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		e := job.Evaluator
		job.Evaluator = model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
			wait(ctx, time.Second) // in the simulation, the trainer also takes some time for each batch
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

// log returns a logger for one process of the world. who is the name of the process.
func (w *world) log(who string) *slog.Logger {
	return slog.New(slog.NewTextHandler(teller{w, who}, nil))
}

// A teller is the output of a log. It turns each line of the log into an event of the world.
type teller struct {
	w   *world
	who string
}

func (x teller) Write(line []byte) (int, error) {
	_, text, _ := strings.Cut(strings.TrimSpace(string(line)), "level=")
	x.w.happened("%s: %s", x.who, text)
	return len(line), nil
}
