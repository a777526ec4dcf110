package cli

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/slow"

	"github.com/nats-io/nats-server/v2/server"
)

// TestChaos trains a run while its trainer, workers, server, network and disk fail repeatedly. The
// run must produce the same files as an undisturbed one. A seed determines the failures. Processes
// are killed with SIGKILL or stopped for a while. Each worker has its own network, which is slow,
// loses packets, is cut or falls silent. If the test is allowed to mount a disk, it also fills the
// trainer's disk.
//
// The test runs twice: with the trainer's own NATS server, and with a server in another process.
// The full test has a hundred kills each time, and takes some ten minutes:
//
//	DOJO_CHAOS=100 go test ./cli -run TestChaos -v -timeout 1h
//
// DOJO_CHAOS_SEED sets another seed.
func TestChaos(t *testing.T) {
	if os.Getenv("DOJO_CHAOS") == "" {
		slow.Test(t, "kills trainers and workers, and fills their disks")
	}
	kills, seed, full := number(t, "DOJO_CHAOS", 6), number(t, "DOJO_CHAOS_SEED", 7), os.Getenv("DOJO_CHAOS") != ""
	plain := t.TempDir()
	p := &child{t: t, name: "undisturbed", dir: plain, args: chaosTraining(filepath.Join(plain, "run"), kills)}
	p.start()
	if <-p.ended; p.err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", p.err, p.tail())
	}
	for _, external := range []bool{false, true} {
		name := "the server is the trainer's"
		if external {
			name = "the server is another process"
		}
		t.Run(name, func(t *testing.T) {
			c := &chaos{t: t, kills: kills, all: kills, external: external, size: 3, gap: 300 * time.Millisecond, long: 700 * time.Millisecond}
			if full {
				c.size, c.gap, c.long = 8, time.Second, time.Minute
			}
			c.start(uint64(seed))
			c.run()
			compareRuns(t, filepath.Join(plain, "run"), c.folder)
		})
	}
}

// number returns the number in an environment variable, or otherwise if it is not set.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// chaosTraining returns the command line of a training run that lasts long enough for the given
// number of kills.
func chaosTraining(folder string, kills int) []string {
	args := []string{"train", "tictactoe", "--run", folder, "--workers", "1"}
	for _, setting := range []string{
		"network.channels=16", "network.blocks=1", "mcts.simulations=24", "seed=5",
		"selfplay.games=96", "selfplay.shard_games=8", "selfplay.lanes=4",
		"train.optimiser.batch=32", "train.warmup_steps=4", "gate.games=8", "gate.simulations=8",
		fmt.Sprint("train.generations=", chaosGenerations(kills)),
	} {
		args = append(args, "--set", setting)
	}
	return args
}

// chaosGenerations returns how many generations a run needs for the given number of kills.
func chaosGenerations(kills int) int { return max(3, kills) }

// chaos holds a run and what the test needs to cause failures in it.
type chaos struct {
	t        *testing.T
	rng      *rand.Rand
	kills    int           // number of kills still to come
	all      int           // total number of kills
	size     int           // number of workers
	gap      time.Duration // longest time between two failures
	long     time.Duration // how long a worker or the server stays frozen
	dir      string        // folder for all files of this test
	folder   string        // folder of the run
	disk     string        // folder of the small disk that the test fills; "" if there is none
	external bool

	trainer, server *child // server is nil if the NATS server runs inside the trainer
	workers         []*child
	cables          []*cable

	undo  map[time.Time]func() // functions that undo failures, each with the time when it is due
	count map[string]int       // number of failures of each kind
	sick  time.Time            // until then, a full disk or a lost server may make the trainer exit
}

// start starts all processes.
func (c *chaos) start(seed uint64) {
	t := c.t
	c.rng, c.dir = rand.New(rand.NewPCG(seed, 1)), t.TempDir()
	c.undo, c.count = map[time.Time]func(){}, map[string]int{}
	c.disk = mountDisk(t)
	c.folder = filepath.Join(c.dir, "run")
	if c.disk != "" {
		c.folder = filepath.Join(c.disk, "run")
	}
	address := freeAddress(t)
	training := chaosTraining(c.folder, c.kills)
	if c.external {
		c.server = &child{t: t, name: "server", dir: c.dir, role: "nats", args: []string{address}}
		c.server.start()
		training = append(training, "--nats", "nats://"+address)
	} else {
		training = append(training, "--listen", address, "--verify", "100%")
	}
	c.trainer = &child{t: t, name: "trainer", dir: c.dir, args: training}
	c.trainer.start()
	for i := range c.size {
		w := newCable(t, address, rand.New(rand.NewPCG(seed, uint64(i+2))))
		join := w.address()
		if c.external {
			join = "nats://" + join
		}
		p := &child{t: t, name: fmt.Sprint("worker", i), dir: c.dir, args: []string{"worker", "--join", join, "--workers", "1", "--name", fmt.Sprint("worker", i)}}
		p.start()
		c.cables, c.workers = append(c.cables, w), append(c.workers, p)
	}
}

// run causes failures until the run is complete.
func (c *chaos) run() {
	begun := time.Now()
	next := begun.Add(time.Second)
	for complete := false; !complete; time.Sleep(20 * time.Millisecond) {
		now := time.Now()
		for at, f := range c.undo {
			if now.After(at) {
				delete(c.undo, at)
				f()
			}
		}
		if c.kills > 0 && (now.After(next) || c.isLate()) {
			c.happen()
			next = now.Add(time.Duration(c.rng.Int64N(int64(c.gap))))
		}
		complete = c.look()
		if now.Sub(begun) > 30*time.Minute {
			c.t.Fatalf("the run is not complete after %v\n%s", now.Sub(begun), c.trainer.tail())
		}
	}
	for _, f := range c.undo {
		f()
	}
	if c.kills > 0 {
		c.t.Errorf("the run was complete with %d kills to come: it is too short", c.kills)
	}
	c.checkHonest()
	c.t.Logf("%v: complete in %v", c.count, time.Since(begun).Round(time.Second))
}

// isLate reports whether the kills lag behind the run's progress. All kills must happen before the
// last generation, even on a fast machine.
func (c *chaos) isLate() bool {
	return (c.all-c.kills)*(chaosGenerations(c.all)-1) < c.all*c.generations()
}

// generations returns the number of complete generations of the run.
func (c *chaos) generations() int {
	records, err := filepath.Glob(filepath.Join(c.folder, "generations", "*.json"))
	if err != nil {
		c.t.Fatal(err)
	}
	return len(records)
}

// checkHonest checks that the trainer has banned no worker, because all workers are honest.
func (c *chaos) checkHonest() {
	err := audit.Read(rundir.Folder(c.folder), func(e audit.Entry) {
		if e.Event == audit.Wrong {
			c.t.Errorf("%s was cut off for %s", e.Worker, e.What())
		}
	})
	if err != nil {
		c.t.Error(err)
	}
}

// look reports whether the run is complete. It restarts processes that have exited for a known
// reason.
func (c *chaos) look() bool {
	select {
	case <-c.trainer.ended:
		err := c.trainer.err
		if err == nil {
			if done := c.generations(); done != chaosGenerations(c.all) {
				c.t.Fatalf("the trainer ended without an error after %d generations:\n%s\n%v", done, c.trainer.tail(), c.count)
			}
			return true
		}
		if said := c.trainer.tail(); time.Now().After(c.sick) {
			c.t.Fatalf("the trainer failed, though nothing was done to it: %v\n%s\n%v", err, said, c.count)
		} else if last := said[strings.LastIndex(said, "\n")+1:]; !strings.HasPrefix(last, "dojo: ") {
			c.t.Errorf("the trainer ended with %v and the words %q", err, last)
		} else {
			c.t.Log(last)
		}
		c.count["trainer stopped by itself"]++
		c.trainer.start()
	default:
	}
	for i, w := range c.workers {
		select {
		case <-w.ended: // exited without an error, because the run is complete
			if w.err != nil {
				c.t.Fatalf("worker %d failed: %v\n%s", i, w.err, w.tail())
			}
		default:
		}
	}
	return false
}

// happen causes one random failure.
func (c *chaos) happen() {
	i := c.rng.IntN(len(c.workers))
	worker, cable := c.workers[i], c.cables[i]
	for {
		switch dice := c.rng.IntN(20); {
		// The last kill hits the trainer. If it hit a worker, the run could not finish until the
		// dead worker's lease expired.
		case dice < 9 || c.kills == 1:
			victim := worker
			switch {
			case c.kills == 1 || dice < 2:
				victim = c.trainer
			case dice < 4 && c.external:
				victim = c.server // the trainer and the workers wait for its return
			}
			c.kills--
			c.count["kill "+strings.TrimRight(victim.name, "0123456789")]++
			victim.restart()
		case dice < 12:
			c.later("network cut", time.Second, cable.cut, cable.mend)
		case dice < 15:
			c.later("network silent", time.Second, cable.silence, cable.speak)
		case dice < 18:
			frozen := worker
			if c.external && dice == 15 {
				frozen = c.server
			}
			stopped := frozen.cmd.Process
			what := strings.TrimRight(frozen.name, "0123456789") + " frozen"
			c.later(what, c.long, func() { _ = stopped.Signal(syscall.SIGSTOP) }, func() { _ = stopped.Signal(syscall.SIGCONT) }) // ignore errors: the process may have exited
		case c.disk == "":
			continue
		default:
			c.sick = time.Now().Add(time.Minute)
			c.later("disk full", time.Second, c.fill, c.empty)
		}
		return
	}
}

// later calls do immediately, and schedules undo after a random time of at most longest.
func (c *chaos) later(what string, longest time.Duration, do, undo func()) {
	c.count[what]++
	do()
	at := time.Now().Add(longest/2 + time.Duration(c.rng.Int64N(int64(longest/2))))
	c.undo[at] = undo
}

// fill fills the trainer's disk with one file, and empty removes the file.
func (c *chaos) fill() {
	f, err := os.OpenFile(filepath.Join(c.disk, "filler"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		c.t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 1<<16))
	}
	for err = nil; err == nil; {
		_, err = f.Write(make([]byte, 1<<8))
	}
	_ = f.Close() // ignore the error, which only reports the full disk
}

func (c *chaos) empty() {
	if err := os.Remove(filepath.Join(c.disk, "filler")); err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
	c.sick = time.Now().Add(15 * time.Second)
}

// mountDisk mounts a small disk and returns its folder, or "" if the test is not allowed to.
func mountDisk(t *testing.T) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=128m"); err != nil {
		t.Logf("no disk gets full, for none can be mounted: %v", err)
		return ""
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// serveNATS runs a NATS server. A child process of the test calls it.
func serveNATS(address string) error {
	host, port, _ := strings.Cut(address, ":")
	n, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: n, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	s.Start()
	<-context.Background().Done() // wait until the process is killed
	return nil
}
