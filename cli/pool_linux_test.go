package cli

import (
	"fmt"
	"net"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/slow"

	"github.com/nats-io/nats.go"
)

// Six workers serve three runs through Debian's NATS server with its default configuration.
// Meanwhile the server is killed and started again, a trainer is killed and started again three
// seconds later, and all workers are replaced one after another. Each run ends with the files of
// the same run alone. The test measures how long workers were idle while a run had free tasks.
func TestPooledRuns(t *testing.T) {
	slow.Test(t, "trains three runs with six workers, and the same runs alone")
	p := startPooled(t)
	p.await("all workers have joined, and each run has a generation", func() bool {
		for _, w := range p.workers {
			if w.said("joined") == 0 {
				return false
			}
		}
		return p.fewest() > 0
	})
	p.killServer()
	p.killTrainer(p.trainers[0])
	p.replaceWorkers()
	for _, trainer := range p.trainers {
		if <-trainer.ended; trainer.err != nil {
			t.Fatalf("%s: %v\n%s", trainer.name, trainer.err, trainer.tail())
		}
	}
	p.idle.stop(t)
	for _, w := range p.workers {
		select {
		case <-w.ended:
			t.Errorf("%s has ended, though nobody stopped it: %v\n%s", w.name, w.err, w.tail())
		default:
		}
	}
	for i, name := range pooledRuns {
		plain := filepath.Join(p.dir, "alone", name)
		alone := &child{t: t, name: "alone-" + name, dir: p.dir, args: append(pooledTraining(plain, i), "--workers", "2")}
		alone.start()
		if <-alone.ended; alone.err != nil {
			t.Fatalf("%s: %v\n%s", alone.name, alone.err, alone.tail())
		}
		compareRuns(t, plain, filepath.Join(p.dir, name))
		ledger, err := audit.Open(rundir.Folder(filepath.Join(p.dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		sent := len(ledger.Select(func(e audit.Entry) bool { return !e.Gate }))
		if t.Logf("run %s has %d of %d shards from workers", name, sent, 24*pooledGenerations); sent == 0 {
			t.Errorf("no worker has helped run %s", name)
		}
	}
}

var pooledRuns = []string{"first", "second", "third"} // the names of the runs

// pooledGenerations is the number of generations of each run. The nine processes with one goroutine
// each must not complete the runs before all failures have happened, on any number of cores.
var pooledGenerations = max(16, 4*min(runtime.NumCPU(), 9))

// pooledTraining returns the command line of the run with this number.
func pooledTraining(folder string, number int) []string {
	args := []string{"train", "tictactoe", "--run", folder}
	for _, setting := range []string{
		"network.channels=16", "network.blocks=1", "mcts.simulations=700", fmt.Sprint("seed=", 11+number),
		"selfplay.games=384", "selfplay.shard_games=16", "selfplay.lanes=4",
		"train.optimiser.batch=32", "train.warmup_steps=4", "gate.games=16", "gate.simulations=64",
		fmt.Sprint("train.generations=", pooledGenerations),
	} {
		args = append(args, "--set", setting)
	}
	return args
}

// A poolTest is a NATS server with trainers and workers.
type poolTest struct {
	t        *testing.T
	dir      string
	server   *child
	trainers []*child
	workers  []*child
	idle     *idleMeter
}

// startPooled starts the server, a trainer for each run, and six workers.
func startPooled(t *testing.T) *poolTest {
	t.Helper()
	installed(t, "nats-server")
	address := freeAddress(t)
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	p := &poolTest{t: t, dir: t.TempDir()}
	p.server = &child{t: t, name: "server", dir: p.dir, path: "nats-server", args: []string{"-a", host, "-p", port}}
	p.server.start()
	url := "nats://" + address
	for i, name := range pooledRuns {
		trainer := &child{t: t, name: name, dir: p.dir, args: append(pooledTraining(filepath.Join(p.dir, name), i), "--workers", "1", "--nats", url)}
		trainer.start()
		p.trainers = append(p.trainers, trainer)
	}
	var metrics []string
	for i := range 6 {
		name, address := fmt.Sprint("worker", i), freeAddress(t)
		w := &child{t: t, name: name, dir: p.dir, args: []string{"worker", "--join", url, "--workers", "1", "--name", name, "--metrics", address}}
		w.start()
		p.workers = append(p.workers, w)
		metrics = append(metrics, "http://"+address+"/metrics")
	}
	p.idle = startIdleMeter(t, url, metrics)
	return p
}

// generations returns the number of generations that a run has committed.
func (p *poolTest) generations(run string) int {
	return len(files(p.t, filepath.Join(p.dir, run), "generations/*.json"))
}

// fewest returns the smallest number of generations that a run has committed.
func (p *poolTest) fewest() int {
	n := pooledGenerations
	for _, name := range pooledRuns {
		n = min(n, p.generations(name))
	}
	return n
}

// await waits until a condition is true. It fails the test if all runs are complete before.
func (p *poolTest) await(what string, is func() bool) {
	p.t.Helper()
	for !is() {
		if p.fewest() == pooledGenerations {
			p.t.Fatalf("all runs are complete, but it did not happen that %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// killServer kills the NATS server, and starts it again when all trainers have noticed.
func (p *poolTest) killServer() {
	p.t.Helper()
	await := func(words string) {
		p.await(fmt.Sprintf("all trainers say %q", words), func() bool {
			for _, trainer := range p.trainers {
				if trainer.said(words) == 0 {
					return false
				}
			}
			return true
		})
	}
	p.server.kill()
	await("lost the connection to the NATS server")
	p.server.start()
	await("the connection to the NATS server is back")
}

// killTrainer kills a trainer and starts it again three seconds later.
func (p *poolTest) killTrainer(trainer *child) {
	p.t.Helper()
	if p.generations(trainer.name) == pooledGenerations {
		p.t.Fatalf("run %s is complete before its trainer is killed: it is too short", trainer.name)
	}
	trainer.kill()
	time.Sleep(3 * time.Second)
	trainer.start()
}

// replaceWorkers stops each worker and starts a new process in its place, as a rolling restart does.
func (p *poolTest) replaceWorkers() {
	p.t.Helper()
	for _, w := range p.workers {
		if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			p.t.Fatal(err)
		}
		<-w.ended
		before := w.said("joined")
		w.start()
		p.await(w.name+" joins again", func() bool { return w.said("joined") > before })
	}
}

// An idleMeter measures how long workers are idle while a run has free tasks.
type idleMeter struct {
	end, ended chan struct{}

	// Worker seconds: all, those without a NATS server or hub, those in which a run had free tasks,
	// and the idle ones among the latter. Valid after ended is closed.
	all, away, open, idle float64
}

// startIdleMeter starts a meter. The hubs at the server say how many tasks are free. The workers'
// metrics, at these addresses, say how long they have been idle.
func startIdleMeter(t *testing.T, url string, metrics []string) *idleMeter {
	t.Helper()
	conn, err := nats.Connect(url, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	m := &idleMeter{end: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		defer conn.Close()
		last, idle := time.Now(), make([]float64, len(metrics))
		for wasFree := false; ; {
			select {
			case <-m.end:
				return
			case <-time.After(100 * time.Millisecond):
			}
			hubs, err := wire.Survey(t.Context(), conn, wire.Hello{Worker: "meter"}, wire.Times{Request: time.Second, Survey: 200 * time.Millisecond}, len(pooledRuns))
			sum := 0.0
			for i, address := range metrics {
				sum += idleSince(address, &idle[i])
			}
			now := time.Now()
			seconds := now.Sub(last).Seconds() * float64(len(metrics))
			last, m.all = now, m.all+seconds
			isFree := false
			for _, h := range hubs {
				isFree = isFree || h.Free > 0
			}
			switch {
			case err != nil:
				m.away += seconds
			case isFree && wasFree: // at the beginning and at the end of this interval
				m.open, m.idle = m.open+seconds, m.idle+min(sum, seconds)
			}
			wasFree = err == nil && isFree
		}
	}()
	return m
}

// idleSince returns how many seconds a worker has been idle since the last call. total is its
// counter at the last call. If the worker does not answer, because it is being replaced, the result
// is 0.
func idleSince(address string, total *float64) float64 {
	_, text := fetch(address)
	found := idleSeconds.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	now, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return 0
	}
	before := *total
	if *total = now; now < before { // a new process, which counts from 0
		return now
	}
	return now - before
}

var idleSeconds = regexp.MustCompile(`(?m)^dojo_worker_idle_seconds_total (\S+)$`)

// stop ends the measurement and reports the result. Workers must not be idle for most of the time.
func (m *idleMeter) stop(t *testing.T) {
	t.Helper()
	close(m.end)
	<-m.ended
	t.Logf("workers were idle for %.1f of %.1f worker seconds while tasks were free (%.1f in all, %.1f of them without a NATS server or a trainer)", m.idle, m.open, m.all, m.away)
	if m.open == 0 || m.idle > m.open/2 {
		t.Errorf("workers were idle for %.1f of %.1f worker seconds while tasks were free; at most half is expected", m.idle, m.open)
	}
}
