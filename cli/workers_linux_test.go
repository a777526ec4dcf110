package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/internal/slow"

	"dojo.example/data/rundir"
)

// The files of a run do not depend on the number of workers: the test uses 1 and 3 and, with
// DOJO_CHAOS, also 8. The workers are processes that reach the trainer through simulated slow
// networks. When the run is complete, a worker that has joined exits without an error.
func TestWorkerProcesses(t *testing.T) {
	slow.Test(t, "trains with several worker processes")
	counts := []int{0, 1, 3}
	if os.Getenv("DOJO_CHAOS") != "" {
		counts = append(counts, 8)
	}
	dir := t.TempDir()
	// The folder has the same name, run, for every number of workers, because shards contain its
	// name.
	folder := func(workers int) string { return filepath.Join(dir, fmt.Sprint(workers), "run") }
	for _, n := range counts {
		trainer := &child{t: t, name: fmt.Sprint("trainer", n), dir: dir, args: chaosTraining(folder(n), 0)}
		address := freeAddress(t)
		if n > 0 {
			trainer.args = append(trainer.args, "--listen", address)
		}
		trainer.start()
		var workers []*child
		for i := range n {
			w := newCable(t, address, rand.New(rand.NewPCG(1, uint64(i))))
			p := &child{t: t, name: fmt.Sprintf("worker%d-%d", n, i), dir: dir, args: []string{"worker", "--join", w.address(), "--workers", "1"}}
			p.start()
			workers = append(workers, p)
		}
		if <-trainer.ended; trainer.err != nil {
			t.Fatalf("%d workers: the trainer: %v\n%s", n, trainer.err, trainer.tail())
		}
		for _, p := range workers {
			if !strings.Contains(p.tail(), "joined") {
				continue // this worker joined too late, so it waits for another run
			}
			if <-p.ended; p.err != nil {
				t.Errorf("%s: %v\n%s", p.name, p.err, p.tail())
			}
		}
		compareRuns(t, folder(0), folder(n))
		all, err := rundir.Folder(folder(n)).Workers()
		if err != nil {
			t.Error(err)
		}
		for _, w := range all.Workers {
			t.Logf("%d workers: one did %d tasks with %d games", n, w.Tasks, w.Games)
		}
	}
}
