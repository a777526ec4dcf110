package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/internal/slow"
)

// While a run trains with a worker, the commands of docs/BACKUP.md copy it again and again. Each
// copy passes the check of the page, or the check says that the commands must be repeated because
// the run has dropped samples in the meantime. Every copy that passes can be continued, and ends
// with the files of an undisturbed run.
func TestBackup(t *testing.T) {
	slow.Test(t, "copies a run while it trains, and continues the copies")
	installed(t, "rsync")
	for name, settings := range map[string][]string{
		// With so many files, rsync does not list all of them before it copies the first one.
		"many files": {"mcts.simulations=24", "selfplay.games=96", "selfplay.shard_games=1"},
		// The run keeps only the samples on which the next generation trains.
		"samples are dropped": {"mcts.simulations=24", "selfplay.games=96", "selfplay.shard_games=8", "data.keep=2", "train.window_min=2", "train.window_max=2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plain, folder := filepath.Join(dir, "plain", "run"), filepath.Join(dir, "run")
			alone := &child{t: t, name: "alone", dir: dir, args: backedUp(plain, settings)}
			address := freeAddress(t)
			trainer := &child{t: t, name: "trainer", dir: dir, args: append(backedUp(folder, settings), "--listen", address, "--verify", "20%")}
			worker := &child{t: t, name: "worker", dir: dir, args: []string{"worker", "--join", address, "--workers", "1"}}
			for _, p := range []*child{trainer, worker} {
				p.start()
			}
			copies := copyWhile(t, trainer, folder, dir)
			alone.start()
			if <-alone.ended; alone.err != nil {
				t.Fatalf("the undisturbed run: %v\n%s", alone.err, alone.tail())
			}
			compareRuns(t, plain, folder)
			checkLedgers(t, folder, copies)
			for i, to := range spreadOut(copies, 8) {
				again := &child{t: t, name: fmt.Sprint("again", i), dir: dir, args: []string{"train", "--run", to, "--workers", "1"}}
				again.start()
				if <-again.ended; again.err != nil {
					t.Fatalf("a copy cannot go on: %v\n%s", again.err, again.tail())
				}
				if name == "samples are dropped" {
					// If the run was complete when it was copied, no generation follows that would
					// drop the samples that the run dropped while they were copied.
					if err := rundir.Folder(to).DropSamples(14 - 2); err != nil {
						t.Fatal(err)
					}
				}
				compareRuns(t, plain, to)
			}
		})
	}
}

// The trainer is killed and its disk is lost. The last copy, made by the commands of
// docs/BACKUP.md, is restored by the commands of this page. The trainer goes on, its workers
// rejoin, and the run ends with the files of an undisturbed run.
func TestRestore(t *testing.T) {
	slow.Test(t, "kills a trainer, restores its run and trains it to the end")
	installed(t, "rsync")
	dir := t.TempDir()
	settings := []string{"mcts.simulations=600", "selfplay.games=192", "selfplay.shard_games=8", "data.keep=4", "train.window_min=2", "train.window_max=2"}
	live, copied, plain := filepath.Join(dir, "live"), filepath.Join(dir, "backup", "run"), filepath.Join(dir, "plain", "run")
	folder := filepath.Join(live, "run")
	alone := &child{t: t, name: "alone", dir: dir, args: backedUp(plain, settings)}
	alone.start()
	address := freeAddress(t)
	trainer := &child{t: t, name: "trainer", dir: dir, args: append(backedUp(folder, settings), "--listen", address, "--verify", "20%")}
	trainer.start()
	var workers []*child
	for i := range 2 {
		w := &child{t: t, name: fmt.Sprint("worker", i), dir: dir, args: []string{"worker", "--join", address, "--workers", "1"}}
		w.start()
		workers = append(workers, w)
	}
	until := func(condition func() bool) {
		if !awaitChange(trainer, condition) {
			t.Fatalf("the trainer ended too early: %v\n%s", trainer.err, trainer.tail())
		}
	}
	records := func(folder string) int { return len(files(t, folder, "generations/*.json")) }
	until(func() bool {
		return records(folder) >= 3 && workers[0].said("joined") > 0 && workers[1].said("joined") > 0
	})
	for ok := false; !ok; {
		for _, command := range pageCommands(t, "docs/BACKUP.md", "Copy while the run trains", "runs/onitama", folder, "backup/onitama", copied) {
			ok = tryCommand(t, command)
		}
	}
	until(func() bool { return records(folder) >= records(copied)+2 })
	trainer.kill()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for _, command := range pageCommands(t, "docs/BACKUP.md", "Restore", "runs/onitama", folder, "backup/onitama", copied, "runs", live) {
		tryCommand(t, command)
	}
	trainer.start()
	for _, p := range []*child{trainer, alone} {
		if <-p.ended; p.err != nil {
			t.Fatalf("%s: %v\n%s", p.name, p.err, p.tail())
		}
	}
	for _, w := range workers {
		if w.said("joined") < 2 {
			t.Fatalf("%s has not rejoined:\n%s", w.name, w.tail())
		}
		if <-w.ended; w.err != nil {
			t.Fatalf("%s: %v\n%s", w.name, w.err, w.tail())
		}
	}
	compareRuns(t, plain, folder)
}

// backedUp returns the command line of a small run with these settings.
func backedUp(folder string, settings []string) []string {
	args := []string{"train", "tictactoe", "--run", folder, "--workers", "1"}
	for _, s := range append(settings, "network.channels=16", "network.blocks=1", "selfplay.lanes=4", "seed=5",
		"train.generations=14", "train.optimiser.batch=32", "train.warmup_steps=4", "gate.games=8", "gate.simulations=8") {
		args = append(args, "--set", s)
	}
	return args
}

// copyWhile copies the run in folder until it is complete, and returns the copies that are good.
// During every third copy, the run goes on for a while between two commands.
func copyWhile(t *testing.T, trainer *child, folder, dir string) (good []string) {
	t.Helper()
	states := func() []string { return files(t, folder, "trainer/*.safetensors") }
	awaitChange(trainer, func() bool { return len(files(t, folder, "generations/*.json")) > 0 })
	to, made, repeated := "", 0, 0
	for {
		if to == "" {
			to = filepath.Join(dir, fmt.Sprint("copy", made))
		}
		made++
		page := pageCommands(t, "docs/BACKUP.md", "Copy while the run trains", "runs/onitama", folder, "backup/onitama", to)
		ok := true
		for i, command := range page {
			if before := states(); made%3 == 0 && i > 1 && i < len(page)-1 {
				awaitChange(trainer, func() bool { return !slices.Equal(states(), before) })
			}
			if ok = tryCommand(t, command); !ok && i < len(page)-1 {
				t.Fatalf("%s: failed", command)
			}
		}
		if ok {
			good = append(good, to)
			to = ""
		} else {
			repeated++ // into the same folder, as the page says
		}
		select {
		case <-trainer.ended:
			if trainer.err != nil {
				t.Fatalf("the trainer: %v\n%s", trainer.err, trainer.tail())
			}
			if len(good) < 5 {
				t.Errorf("only %d of %d copies are good", len(good), made)
			}
			t.Logf("%d copies, of which %d had to be repeated", made, repeated)
			return good
		default:
		}
	}
}

// checkLedgers checks that the ledger of each copy has an entry for every shard in the copy that
// came from a worker.
func checkLedgers(t *testing.T, folder string, copies []string) {
	t.Helper()
	fromWorkers := 0
	whole, err := audit.Open(rundir.Folder(folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range copies {
		ledger, err := audit.Open(rundir.Folder(to))
		if err != nil {
			t.Fatal(err)
		}
		shards, err := rundir.Folder(to).Shards()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range shards {
			at := audit.Place{Generation: s.Generation, Number: s.Number}
			if _, ok := whole.Result(at); !ok {
				continue
			}
			fromWorkers++
			if _, ok := ledger.Result(at); !ok {
				t.Errorf("the ledger of %s has no entry for %s, which came from a worker", to, s.Path)
			}
		}
	}
	if fromWorkers == 0 {
		t.Error("no shard came from a worker")
	}
}

// awaitChange waits until changed returns true. It returns false if the program ends before.
func awaitChange(p *child, changed func() bool) bool {
	for !changed() {
		select {
		case <-p.ended:
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
	return true
}

// files lists the files of a folder that match a pattern.
func files(t *testing.T, folder, pattern string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// spreadOut returns at most n elements of all: the last n/2, and others that are evenly spread.
func spreadOut(all []string, n int) (some []string) {
	picked := map[int]bool{}
	for i := range min(n/2, len(all)) { // late copies have the most files
		picked[len(all)-1-i] = true
	}
	for i := range n / 2 {
		picked[i*len(all)/(n/2)] = true
	}
	for _, i := range slices.Sorted(maps.Keys(picked)) {
		some = append(some, all[i])
	}
	return some
}

// pageCommands returns the commands of the first code block below a heading of a document, with
// replacements for the folders in it.
func pageCommands(t *testing.T, path, heading string, replace ...string) (commands []string) {
	t.Helper()
	_, text, found := strings.Cut(contents(t, filepath.Join("..", path)), "\n## "+heading+"\n")
	block := codeBlock.FindStringSubmatch(text)
	if !found || block == nil {
		t.Fatalf("%s has no commands below %q", path, heading)
	}
	replacer := strings.NewReplacer(replace...)
	for line := range strings.Lines(strings.ReplaceAll(block[2], "\\\n", " ")) {
		commands = append(commands, replacer.Replace(strings.TrimSpace(line)))
	}
	return commands
}

// tryCommand runs a command of a page. It returns false if dojo verify says that the copy has to be
// repeated.
func tryCommand(t *testing.T, command string) bool {
	t.Helper()
	if words := strings.Fields(command); words[0] == "dojo" {
		r := dojo(t, "", words[1:]...)
		if r.status != exitDone && !droppedSamples.MatchString(r.stdout) {
			t.Fatalf("%s: %s\n%s", command, r.stderr, r.stdout)
		}
		return r.status == exitDone
	}
	const vanished = 24 // rsync's status if a file was removed while it worked
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	status := (*exec.ExitError)(nil)
	if err != nil && !(errors.As(err, &status) && status.ExitCode() == vanished) {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return true
}

// droppedSamples matches the only fault that a copy may have. It is in the list of missing files.
var droppedSamples = regexp.MustCompile(`(?m)^ *missing +samples/\S+: the next generation cannot be trained without it$`)

// installed returns the path of a program that a test needs. Without the program, the test is skipped,
// but not in CI.
func installed(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("%v; install it", err)
	} else if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}
