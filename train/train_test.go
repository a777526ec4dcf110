package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/configs"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/train"
)

// silent is a reporter that does nothing.
type silent struct{}

func (silent) Stage(int, string, int) func(int, string) { return func(int, string) {} }
func (silent) Generation(train.Metrics)                 {}

// tiny returns the options of a run of three generations, which takes a second or two. settings
// contains changes to its configuration, such as "train.lag=1".
func tiny(dir string, workers int, settings ...string) (train.Options, error) {
	c, err := configs.Load("tictactoe", append([]string{
		"network.channels=16", "network.blocks=1", "mcts.simulations=16",
		"selfplay.games=48", "selfplay.shard_games=8", "selfplay.lanes=3",
		"train.generations=3", "train.optimiser.batch=32", "train.warmup_steps=4",
		"gate.games=16", "gate.simulations=8", "seed=5"}, settings...)...)
	if err != nil {
		return train.Options{}, err
	}
	game, err := games.ByName(c.Game)
	if err != nil {
		return train.Options{}, err
	}
	return train.Options{
		Game: game.Game, Network: c.Network.Model().For(game.Spec),
		Search: c.MCTS, Selfplay: c.Selfplay, Train: c.Train, Gate: c.Gate, Seed: c.Seed,
		Folder: rundir.Folder(dir), Name: "tiny", ProgramVersion: "test", Workers: workers, Report: silent{},
	}, nil
}

// loop trains a tiny run with the given settings to its end.
func loop(ctx context.Context, dir string, workers int, settings ...string) error {
	opt, err := tiny(dir, workers, settings...)
	if err != nil {
		return err
	}
	r, err := train.Open(opt)
	if err != nil {
		return err
	}
	return errors.Join(r.Loop(ctx), r.Close())
}

// childDir and childSettings are the names of environment variables. If childDir is set to a
// folder, the test binary trains a run in this folder, so that a test can kill this process.
// childSettings holds settings for the run, separated by spaces.
const (
	childDir      = "DOJO_TEST_TRAIN_DIR"
	childSettings = "DOJO_TEST_TRAIN_SETTINGS"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := loop(context.Background(), dir, 2, strings.Fields(os.Getenv(childSettings))...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(childGames); dir != "" {
		if err := playGames(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// results returns the files of a run whose contents depend only on the settings and the seed: the
// shards, the models, the tensors of the trainer states, and the games of the gates. It adds an
// entry with important figures for each generation.
func results(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, sub := range []string{"samples", "models", "trainer", "gates"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			files[filepath.ToSlash(name)], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range files {
		if strings.HasPrefix(name, "trainer") {
			files[name] = tensors(files[name])
		}
	}
	all, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		name := fmt.Sprintf("generation %d", m.Generation)
		files[name] = fmt.Appendf(nil, "%s %s %d %d %d %d %v %v", m.Player, m.Best,
			m.Positions, m.Gate.Wins, m.Gate.Losses, m.Fit.Steps, m.Fit.PolicyLoss, m.Fit.ValueLoss)
	}
	return files
}

// tensors returns the part of a safetensors file after the header. The header is left out because
// it contains times.
func tensors(file []byte) []byte {
	var n uint64
	for i := range 8 {
		n |= uint64(file[i]) << (8 * i)
	}
	return file[8+n:]
}

func compare(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for name := range want {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if !bytes.Equal(got[name], want[name]) {
			t.Errorf("%s differs", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
	if len(want) < 20 {
		t.Errorf("only %d results were compared", len(want))
	}
}

// With the same seed, a run gives the same shards, weights and gate results with 1, 2 or 5 workers.
func TestWorkersDoNotMatter(t *testing.T) {
	dir := t.TempDir()
	want := filepath.Join(dir, "1")
	if err := loop(t.Context(), want, 1); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{2, 5} {
		got := filepath.Join(dir, fmt.Sprint(workers))
		if err := loop(t.Context(), got, workers); err != nil {
			t.Fatal(err)
		}
		compare(t, results(t, got), results(t, want))
	}
}

// If a run is killed twenty times at random moments and continued each time, it ends with the same
// files as an undisturbed run.
func TestKilledRunContinues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some ten seconds")
	}
	want := filepath.Join(t.TempDir(), "undisturbed")
	if err := loop(t.Context(), want, 2); err != nil {
		t.Fatal(err)
	}
	killed(t, results(t, want), 20)
}

// killed trains tiny runs in child processes. It kills wantKills processes in total. After each
// kill, it starts a new process that continues the run. When a run is complete, killed compares its
// results with want.
func killed(t *testing.T, want map[string][]byte, wantKills int, settings ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "killed")
	rng := rand.New(rand.NewPCG(1, 2))
	kills := 0
	for tries := 0; ; tries++ {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir, childSettings+"="+strings.Join(settings, " "))
		var stderr bytes.Buffer
		child.Stderr = &stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if kills < wantKills {
			// If the process has already exited, the kill is not counted.
			time.AfterFunc(time.Duration(20+rng.IntN(400))*time.Millisecond, func() { child.Process.Kill() })
		}
		err := child.Wait()
		if err == nil && kills >= wantKills {
			break
		}
		if err == nil { // the run ended before the kill, so start a new run
			compare(t, results(t, dir), want)
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			continue
		}
		// On Windows, Exited is also true for a killed process.
		if child.ProcessState.Exited() && stderr.Len() > 0 {
			t.Fatalf("a continued run failed: %v: %s", err, stderr.String())
		}
		kills++
		if tries > 500 {
			t.Fatal("the run never ends")
		}
	}
	compare(t, results(t, dir), want)
}

// A process may be killed after it has saved its candidate and before it removes old trainer
// states. Then one trainer state too many is left. The next process removes it.
func TestOldTrainerStatesAreForgotten(t *testing.T) {
	dir := t.TempDir()
	if err := loop(t.Context(), dir, 2); err != nil {
		t.Fatal(err)
	}
	want := results(t, dir)
	folder := rundir.Folder(dir)
	// Remove the record of the last generation, so that it is not committed.
	const g = 2
	for _, path := range []string{folder.Record(g), folder.Metrics()} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	state, err := os.ReadFile(folder.TrainerState(g))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.TrainerState(g-2), state, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := loop(t.Context(), dir, 2); err != nil {
		t.Fatal(err)
	}
	compare(t, results(t, dir), want)
}

// If the context of a run is cancelled, the run stops at a point from which it can continue.
func TestCancelledRunContinues(t *testing.T) {
	dir := t.TempDir()
	want, got := filepath.Join(dir, "want"), filepath.Join(dir, "got")
	if err := loop(t.Context(), want, 2); err != nil {
		t.Fatal(err)
	}
	for _, d := range []time.Duration{time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		if err := loop(ctx, got, 2); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		cancel()
	}
	if err := loop(t.Context(), got, 2); err != nil {
		t.Fatal(err)
	}
	compare(t, results(t, got), results(t, want))
}

// Two processes cannot open the same run at the same time.
func TestLock(t *testing.T) {
	opt, err := tiny(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := train.Open(opt); !errors.Is(err, rundir.ErrLocked) {
		t.Errorf("a second process was let in: %v", err)
	}
}

// A run can train the network to predict the margin only if the game has scores.
func TestMarginWithoutScores(t *testing.T) {
	opt, err := tiny(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	opt.Network.Margin = 5
	if _, err := train.Open(opt); err == nil || !strings.Contains(err.Error(), "tictactoe has none") {
		t.Errorf("a margin for tic-tac-toe gives %v", err)
	}
}

// If a file is damaged, the run returns a one-line error that names the file, and changes no files.
func TestBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	if err := loop(t.Context(), dir, 2); err != nil {
		t.Fatal(err)
	}
	before := results(t, dir)
	more := func() error {
		opt, err := tiny(dir, 1)
		if err != nil {
			return err
		}
		opt.Train.Generations++
		r, err := train.Open(opt)
		if err != nil {
			return err
		}
		return errors.Join(r.Loop(t.Context()), r.Close())
	}
	for _, c := range []struct{ file, says string }{
		{"trainer/000002.safetensors", "trainer/000002.safetensors"},
		{"samples/gen-000002/shard-000001.parquet", "shard-000001.parquet"},
		{"generations/000001.json", "000001.json"},
	} {
		path := filepath.Join(dir, filepath.FromSlash(c.file))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, whole[:len(whole)/2], 0o644); err != nil {
			t.Fatal(err)
		}
		err = more()
		if err == nil || !strings.Contains(err.Error(), filepath.FromSlash(c.says)) || strings.Contains(err.Error(), "\n") {
			t.Errorf("truncated %s: error %v should be one line that names it", c.file, err)
		}
		if err := os.WriteFile(path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	after := results(t, dir)
	for name := range before {
		if !bytes.Equal(before[name], after[name]) {
			t.Errorf("%s changed", name)
		}
	}
}

// The games of every gate match are stored. Replaying them gives the same result as in the record
// of the generation.
func TestGateGamesAreKept(t *testing.T) {
	dir := t.TempDir()
	if err := loop(t.Context(), dir, 2); err != nil {
		t.Fatal(err)
	}
	game, err := games.ByName("tictactoe")
	if err != nil {
		t.Fatal(err)
	}
	f := rundir.Folder(dir)
	all, err := train.ReadMetrics(f)
	if err != nil {
		t.Fatal(err)
	}
	for g, m := range all {
		text, err := os.ReadFile(f.Gate(g))
		if err != nil {
			t.Fatal(err)
		}
		var got train.GateResult
		for line := range strings.Lines(string(text)) {
			var x train.GateGame
			if err := json.Unmarshal([]byte(line), &x); err != nil {
				t.Fatal(err)
			}
			p, err := game.Parse(x.Opening)
			for _, text := range x.Actions {
				a, bad := engine.ParseAction(p, text)
				p, err = p.Play(a), errors.Join(err, bad)
			}
			if err != nil || int(p.Outcome().Value()) != x.Outcome || p.Outcome() == engine.Ongoing {
				t.Fatalf("generation %d: %s ends in %v, %v", g, line, p.Outcome(), err)
			}
			switch name := rundir.ModelName(g); {
			case x.Outcome == 0:
				got.Draws++
			case (x.First == name) == (x.Outcome == 1):
				got.Wins++
			default:
				got.Losses++
			}
		}
		if got.Wins != m.Gate.Wins || got.Losses != m.Gate.Losses || got.Draws != m.Gate.Draws {
			t.Errorf("generation %d: the games kept are +%d −%d =%d, the record has +%d −%d =%d",
				g, got.Wins, got.Losses, got.Draws, m.Gate.Wins, m.Gate.Losses, m.Gate.Draws)
		}
	}
}
