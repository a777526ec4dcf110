package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// joinLine matches the line in which a verb tells the user how workers can join.
var joinLine = regexp.MustCompile(`workers join with: dojo (worker --join \S+)`)

// A joiner is used as a command's stderr. When the command prints how workers can join, the joiner
// starts a worker.
type joiner struct {
	work func(args []string)

	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
	done bool         // guarded by mu
}

func (j *joiner) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n, err := j.text.Write(p)
	if found := joinLine.FindSubmatch(j.text.Bytes()); found != nil && !j.done {
		j.done = true
		j.work(strings.Fields(string(found[1])))
	}
	return n, err
}

// helped runs a command line with --listen and lets a worker join. It returns the command's stdout.
func helped(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var worker sync.WaitGroup
	var stdout bytes.Buffer
	stderr := &joiner{work: func(args []string) {
		worker.Go(func() { execute(ctx, append(args, "--workers", "1"), strings.NewReader(""), io.Discard, io.Discard) })
	}}
	status := execute(ctx, append(args, "--listen", "127.0.0.1:0"), strings.NewReader(""), &stdout, stderr)
	cancel() // stop the worker: if it joined too late, it would wait forever
	worker.Wait()
	if status != exitDone || !stderr.done {
		t.Fatalf("dojo %s: status %d, stderr %q", strings.Join(args, " "), status, &stderr.text)
	}
	return stdout.String()
}

// A match and an evaluation print the same results with and without workers.
func TestMatchesWithWorkers(t *testing.T) {
	model, temporary := checkpoint(t, "tictactoe"), t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // for Windows
	for i, args := range [][]string{
		{"match", model, "uniform:8", "--games", "60", "--json"},
		{"match", "mcts:20", "alphabeta@200n", "--game", "onitama", "--games", "12", "--json"},
		{"match", "box:tictactoe", "box#float32:8", "--games", "20", "--simulations", "16", "--json"},
		{"evaluate", "--player", "box:8", "--game", "tictactoe", "--against", model, "--games", "20", "--json"},
		{"evaluate", model, "--against", "random,uniform:8", "--games", "40", "--json"},
		{"evaluate", model + "#float32", "--against", model, "--games", "20", "--json"},
	} {
		if testing.Short() && i%3 > 0 {
			continue // one match and one evaluation are enough for the race detector
		}
		if got, want := helped(t, args...), done(t, "", args...); got != want {
			t.Errorf("dojo %s with a worker prints\n%s, want\n%s", strings.Join(args, " "), got, want)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Workers can play the games that are missing in the --ladder file. The resulting file has the same
// lines as without workers.
func TestLadderWithWorkers(t *testing.T) {
	dir := t.TempDir()
	alone, shared := filepath.Join(dir, "alone"), filepath.Join(dir, "shared")
	evaluate := []string{"evaluate", checkpoint(t, "tictactoe"), "--against", "uniform:8", "--simulations", "8", "--json", "--games"}
	want := done(t, "", append(evaluate, "60", "--ladder", alone)...)
	done(t, "", append(evaluate, "20", "--ladder", shared)...)
	if got := helped(t, append(evaluate, "60", "--ladder", shared)...); got != want {
		t.Errorf("with a worker it prints\n%s, want\n%s", got, want)
	}
	a, err := os.ReadFile(alone)
	b, other := os.ReadFile(shared)
	sorted := func(text []byte) [][]byte { return slices.SortedFunc(bytes.Lines(text), bytes.Compare) } // pairs are written when they finish, so their order can differ
	if err != nil || other != nil || !slices.EqualFunc(sorted(a), sorted(b), bytes.Equal) {
		t.Errorf("the file has\n%s, want\n%s (%v, %v)", b, a, other, err)
	}
}

// A sweep gives the same result with and without workers.
func TestSweepWithWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have workers play the games of runs and of matches")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "two.yaml")
	if err := os.WriteFile(file, []byte(twoArms), 0o644); err != nil {
		t.Fatal(err)
	}
	alone, withHelp := filepath.Join(dir, "alone"), filepath.Join(dir, "helped")
	planTwoArms(t, alone)
	planTwoArms(t, withHelp)
	want := done(t, "", "sweep", file, "--out", alone, "--json")
	if got := helped(t, "sweep", file, "--out", withHelp, "--json"); got != want {
		t.Errorf("with a worker it prints\n%s, want\n%s", got, want)
	}
}

// If workers can join but cannot run one of the players, the command fails before any game is
// played.
func TestMatchesThatWorkersCannotPlay(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	for _, args := range [][]string{
		{"match", model + "@1ms", "random"},
		{"match", "alphabeta@1ms", "random", "--game", "tictactoe"},
		{"match", model, "cmd:./bot"},
		{"match", "box@1ms", "random", "--game", "tictactoe"},
		{"evaluate", "--player", model + "@1ms", "--against", "random"},
		{"evaluate", "--ladder", "x"},
		{"evaluate", model, "--against", "random,cmd:./bot"},
		{"match", model, "random", "--token", "x"},
		{"match", model, "random", "--tls-cert", "x", "--tls-key", "y"},
	} {
		listen := []string{"--listen", "127.0.0.1:0"}
		if strings.HasPrefix(args[len(args)-2], "--t") {
			listen = nil
		}
		if r := dojo(t, "", append(args, listen...)...); r.status != exitUsage || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("dojo %q: status %d, stderr %q, want one line on wrong usage", args, r.status, r.stderr)
		}
	}
}

// If the port is in use, the run's folder is not created.
func TestTakenPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", "train", "tictactoe", "--run", dir, "--listen", taken.Addr().String())
	if _, err := os.Stat(dir); r.status != exitFailed || !strings.Contains(r.stderr, "address already in use") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("status %d, stderr %q; the folder: %v", r.status, r.stderr, err)
	}
}
