package train_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// childGames is the name of an environment variable. If it is set to the folder of a run, the test
// binary plays the games of the run's next generation and prints how many games it has played.
const childGames = "DOJO_TEST_SELFPLAY_DIR"

// playGames is the main function of the child process. It plays the games of the next generation of
// the run in dir.
func playGames(dir string) error {
	opt, err := tiny(dir, 2)
	if err != nil {
		return err
	}
	opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		played, err := train.PlayHere(ctx, f, job)
		fmt.Println(played.Games)
		return played, err
	}
	err = train.Selfplay(context.Background(), opt)
	if errors.Is(err, train.ErrComplete) { // no game is left to play, because the run is complete
		fmt.Println(0)
		return nil
	}
	return err
}

// A player is a child process that plays games of a run.
type player struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

func startPlayer(t *testing.T, dir string) *player {
	t.Helper()
	p := &player{cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), childGames+"="+dir)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// games waits until the process has exited, and returns the number of games that it has played.
func (p *player) games(t *testing.T) int {
	t.Helper()
	err := p.cmd.Wait()
	n, bad := strconv.Atoi(strings.TrimSpace(p.stdout.String()))
	if err != nil || bad != nil {
		t.Fatalf("a process that plays games: %v: %s%s", err, p.stdout.String(), p.stderr.String())
	}
	return n
}

// samples returns the contents of a run's shards. The keys are the paths of the shards inside the
// run's folder.
func samples(t *testing.T, dir string) map[string]string {
	t.Helper()
	shards, err := rundir.Folder(dir).Shards()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, s := range shards {
		text, err := os.ReadFile(s.Path)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(dir, s.Path)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	return all
}

// equal fails the test unless two runs have the same shards.
func equal(t *testing.T, dir, want string) {
	t.Helper()
	a, b := samples(t, dir), samples(t, want)
	if len(a) != len(b) {
		t.Errorf("%d shards, want %d", len(a), len(b))
	}
	for name, text := range b {
		if a[name] != text {
			t.Errorf("%s differs", name)
		}
	}
}

// Processes that play the same generation divide its shards among themselves. Each shard is played
// once, and the files have the same bytes as with a single process.
func TestProcessesShareAGeneration(t *testing.T) {
	dir := t.TempDir()
	alone, shared := filepath.Join(dir, "alone"), filepath.Join(dir, "shared")
	if n := startPlayer(t, alone).games(t); n != 48 {
		t.Fatalf("one process alone played %d games, want 48", n)
	}
	var players []*player
	for range 3 {
		players = append(players, startPlayer(t, shared))
	}
	sum := 0
	for _, p := range players {
		sum += p.games(t)
	}
	if sum != 48 {
		t.Errorf("three processes played %d games together, want 48", sum)
	}
	equal(t, shared, alone)
}

// If other processes have locked all missing shards, a process waits until the file of a shard
// appears or a lock becomes free. A lock becomes free if its process dies.
func TestWaitsForClaims(t *testing.T) {
	dir := t.TempDir()
	alone, shared := filepath.Join(dir, "alone"), filepath.Join(dir, "shared")
	startPlayer(t, alone).games(t)

	f := rundir.Folder(shared)
	players, err := f.LockPlayers(t.Context()) // also creates the folders
	if err != nil {
		t.Fatal(err)
	}
	defer players.Close()
	claim := func(shard int) *rundir.Lock {
		l, err := f.ClaimShard(0, shard)
		if l == nil {
			t.Fatalf("shard %d cannot be claimed: %v", shard, err)
		}
		return l
	}
	dies, publishes := claim(0), claim(3)
	p := startPlayer(t, shared)
	waitFor(t, "four shards", func() bool { return len(samples(t, shared)) == 4 })
	if err := dies.Close(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the shard whose claim was given back", func() bool { return len(samples(t, shared)) == 5 })
	h, rows, err := data.ReadShard(rundir.Folder(alone).Shard(0, 3), data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := data.WriteShard(f.Shard(0, 3), h, rows); err != nil {
		t.Fatal(err)
	}
	if n := p.games(t); n != 40 {
		t.Errorf("the process played %d games, want the 40 of the five shards that it could have", n)
	}
	if err := publishes.Close(); err != nil {
		t.Fatal(err)
	}
	equal(t, shared, alone)
}

// waitFor waits until done returns true, because another process has done something. If this takes
// longer than a minute, the test fails.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s did not appear", what)
		}
	}
}

// If other processes play games of a run while a trainer trains it, the results of the training are
// the same.
func TestPlayersBesideTraining(t *testing.T) {
	dir := t.TempDir()
	want, got := filepath.Join(dir, "alone"), filepath.Join(dir, "beside")
	if err := loop(t.Context(), want, 2); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childDir+"="+got)
	var stderr bytes.Buffer
	child.Stderr = &stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	trained := make(chan error)
	go func() { trained <- child.Wait() }()
	for {
		select {
		case err := <-trained:
			if err != nil {
				t.Fatalf("training beside others: %v: %s", err, stderr.String())
			}
			compare(t, results(t, got), results(t, want))
			return
		default:
			if done, err := train.ReadMetrics(rundir.Folder(got)); err == nil && len(done) < 3 {
				startPlayer(t, got).games(t)
			}
		}
	}
}
