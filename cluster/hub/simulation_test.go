package hub_test

import (
	"fmt"
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

	"dojo.example/data/audit"
	"dojo.example/train"

	"github.com/nats-io/nats-server/v2/server/ats"
)

// A watcher checks the shards (files of self-play games) of each generation when the generation is
// complete.
type watcher struct{ w *world }

func (watcher) Stage(int, string, int) func(int, string) { return func(int, string) {} }

func (x watcher) Generation(m train.Metrics) {
	x.w.happened("generation %d is complete", m.Generation)
	for name, want := range x.w.want {
		if !strings.HasPrefix(name, fmt.Sprintf("samples%cgen-%06d", filepath.Separator, m.Generation)) {
			continue
		}
		if got, err := os.ReadFile(x.w.opt.Folder.Path(name)); err != nil || string(got) != want {
			x.w.wrong("only true shards are trained on", "%s differs, or %v", name, err)
		}
	}
}

// check checks the files of the run and its ledger (the list of the workers' results) after its
// end.
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
	err = audit.Read(w.opt.Folder, func(e audit.Entry) {
		if e.Event == audit.Handed && guilty[e.Worker] {
			w.wrong("who is cut off hands in nothing more", "%+v", e)
		}
		guilty[e.Worker] = guilty[e.Worker] || e.Event == audit.Wrong
		if e.Event == audit.Wrong && !isLiar(e.Worker) {
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

// simulate builds a world (a simulated cluster with faults) from the seed and runs it. It returns
// how long the run took in simulated time.
func simulate(t *testing.T, seed uint64) time.Duration {
	w := newWorld(seed)
	shm := "/dev/shm" // the folder of a file system in memory, where there is one; a disk would be too slow
	if _, err := os.Stat(shm); err != nil {
		shm = ""
	}
	dir, err := os.MkdirTemp(shm, "dojo-world-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // an error is harmless: it only leaves some files behind
	if w.want, err = runAlone(w.settings); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	err = w.run(t.Context(), dir)
	lasted := time.Since(begun)
	t.Logf("seed %d: %d workers, %v verified, %v; %d deaths of the trainer, %d cuts, %d full disks, %d lies", seed, w.workers, w.verify, lasted.Round(time.Second), w.deaths, w.net.cuts, w.fulls/2, w.lies)
	if err != nil || len(w.faults) > 0 {
		t.Errorf("%s\n%v\n%s\nDOJO_SEED=%d go test ./cluster/hub -run TestSimulation", strings.Join(w.events, "\n"), err, strings.Join(w.faults, "\n"), seed)
	}
	return lasted
}

// alones caches the files of runs that were trained without workers.
var alones sync.Map // for each combination of settings, a func() (map[string]string, error)

func runAlone(settings []string) (map[string]string, error) {
	f, _ := alones.LoadOrStore(strings.Join(settings, " "), sync.OnceValues(func() (map[string]string, error) { return alone(settings...) }))
	return f.(func() (map[string]string, error))()
}

// In spite of all simulated faults, the files of a run are the same as without workers. These
// environment variables change the test:
//
//	DOJO_SEED=N        repeats the simulation with seed N
//	DOJO_SIMULATE=2m   tries new seeds, or the seeds from DOJO_SEED on, for two minutes
//	DOJO_WORKERS=1000  simulates 1,000 workers, with one shard of games for each
//	DOJO_LIAR=1        adds a worker that lies to each simulation
func TestSimulation(t *testing.T) {
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
	inBubble(t, func(t *testing.T) {
		lasted, n := time.Duration(0), uint64(0)
		begun := ats.AccessTime() // this is the real time; time.Now would return the simulated time
		spent := func() time.Duration { return time.Duration(ats.AccessTime() - begun) }
		for ; n < seeds && (limit == 0 || spent() < limit) && !t.Failed(); n++ {
			lasted += simulate(t, first+n)
		}
		t.Logf("%d worlds lasted %v in %v, %.0f hours an hour", n, lasted.Round(time.Minute), spent().Round(time.Second), lasted.Seconds()/spent().Seconds())
	})
}

// inBubble runs a test in a synctest bubble, in a separate process. It must be separate because all
// NATS clients of a process share some timers, and a timer can belong to only one bubble.
func inBubble(t *testing.T, test func(t *testing.T)) {
	const inside = "DOJO_SIMULATION_INSIDE"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1h", fmt.Sprintf("-test.short=%v", testing.Short()))
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
		return
	}
	ats.Register() // starts a goroutine that all servers share; it must run outside of the bubble
	defer ats.Unregister()
	synctest.Test(t, test)
}
