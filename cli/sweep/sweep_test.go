package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/cli/sweep"
)

// planned is a plan.yaml with the costs of both arms (configurations), so that tests need no pilot
// runs.
const planned = `budget: 12ms
plies: 8
arms:
- name: base
  costs: {simulation: 1us, sample: 10us, game: 100us, play: 2us}
  generations: 2
- name: sparse
  costs: {simulation: 1us, sample: 10us, game: 100us, play: 2us}
  generations: 2
`

// tiny is the beginning of a sweep's YAML file. Its runs have two generations.
const tiny = `
preset: tictactoe
budget: 12ms
seeds: 2
simulations: 8
games: 8
move_time: 20us
timed_games: 4
points: 2
`

const (
	sizes = "network.channels=16, network.blocks=1, "
	small = "mcts.simulations=12, selfplay.games=16, selfplay.shard_games=8, train.optimiser.batch=32, gate.games=8, gate.simulations=8"
)

const (
	baseArm   = "- name: base\n  set: [" + sizes + small + "]\n"
	sparseArm = "- name: sparse\n  set: [network.kind=sparse, " + small + "]\n"
)

// read writes text to a file and reads it as a sweep's file.
func read(t *testing.T, text string) (sweep.File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return sweep.Read(path)
}

// options returns options for the sweep that text describes, in the folder dir and with the costs
// in planned.
func options(t *testing.T, dir, text string) sweep.Options {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "plan.yaml"), []byte(planned), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := read(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return sweep.Options{
		File: file, Dir: dir, Program: "test", Workers: 2,
		Progress: func(string, int) func(int) { return func(int) {} },
	}
}

func do(t *testing.T, opt sweep.Options) sweep.Report {
	t.Helper()
	r, err := sweep.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lasting returns those files of a sweep whose contents do not depend on time.
func lasting(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".parquet", ".safetensors", ".yaml"}, filepath.Ext(path)) && d.Name() != "games.jsonl" {
			return err
		}
		if strings.Contains(path, "trainer") { // contains times
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		files[name], err = os.ReadFile(path)
		if d.Name() == "games.jsonl" { // its order depends on when games ended
			files[name] = bytes.Join(slices.SortedFunc(bytes.Lines(files[name]), bytes.Compare), nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compare fails the test if a file in want is missing in got or differs there.
func compare(t *testing.T, got, want map[string][]byte) {
	t.Helper()
	for name, text := range want {
		if !bytes.Equal(got[name], text) {
			t.Errorf("%s differs", name)
		}
	}
}

// The plan has the expected number of generations. The result does not depend on the number of
// workers.
func TestSweep(t *testing.T) {
	text := tiny + "arms:\n" + baseArm + sparseArm
	opt := options(t, t.TempDir(), text)
	r := do(t, opt)
	if len(r.Arms) != 2 || len(r.Pairs) != 1 {
		t.Fatalf("%d arms and %d pairs, want 2 and 1", len(r.Arms), len(r.Pairs))
	}
	for _, a := range r.Arms {
		if a.Generations != 2 {
			t.Errorf("arm %s has %d generations, want the 2 of the plan", a.Arm, a.Generations)
		}
		if a.Timed.Simulations != 10 {
			t.Errorf("arm %s plays with %d simulations, want the 10 of 2 µs that 20 µs hold", a.Arm, a.Timed.Simulations)
		}
		if a.Used <= 0 || len(a.Equal.Runs) != 2 || len(a.Curve) != 2 {
			t.Errorf("arm %s: used %v s, %d runs, %d points of its curve; want more than 0, 2 and 2", a.Arm, a.Used, len(a.Equal.Runs), len(a.Curve))
		}
	}
	if zero := r.Arms[0].Equal.Elo; zero != 0 {
		t.Errorf("the first arm is at %v Elo, want 0", zero)
	}
	other := options(t, t.TempDir(), text)
	other.Workers = 1
	do(t, other)
	compare(t, lasting(t, other.Dir), lasting(t, opt.Dir))
}

// A sweep that is stopped at every third progress report, and then continued each time, has the
// same result as a sweep that is not stopped.
func TestStoppedSweepContinues(t *testing.T) {
	text := tiny + "arms:\n" + baseArm + sparseArm
	whole := options(t, t.TempDir(), text)
	do(t, whole)

	stopped := options(t, t.TempDir(), text)
	for stops := 0; ; stops++ {
		ctx, cancel := context.WithCancel(context.Background())
		left := 3
		count := func(int) {
			if left--; left == 0 {
				cancel()
			}
		}
		stopped.Progress = func(string, int) func(int) { count(0); return count }
		_, err := sweep.Run(ctx, stopped)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil {
			if stops < 4 {
				t.Errorf("the sweep was stopped %d times, too few to show anything", stops)
			}
			break
		}
	}
	compare(t, lasting(t, stopped.Dir), lasting(t, whole.Dir))
}

// If an arm (a configuration) or a seed is added to the file of a finished sweep, the same command
// extends the sweep.
func TestSweepGrows(t *testing.T) {
	dir := t.TempDir()
	do(t, options(t, dir, tiny+"arms:\n"+baseArm))
	before := lasting(t, dir)
	log := filepath.Join(dir, "games.jsonl")
	lines, err := os.ReadFile(log) // the games between the first two runs
	if err != nil {
		t.Fatal(err)
	}
	delete(before, "plan.yaml")
	delete(before, "games.jsonl")

	r := do(t, options(t, dir, strings.Replace(tiny, "seeds: 2", "seeds: 3", 1)+"arms:\n"+baseArm+sparseArm))
	if n := len(r.Arms[0].Equal.Runs); n != 3 || len(r.Arms) != 2 {
		t.Errorf("%d arms with %d seeds, want 2 with 3", len(r.Arms), n)
	}
	after := lasting(t, dir)
	compare(t, after, before)
	if now, err := os.ReadFile(log); err != nil || !bytes.HasPrefix(now, lines) || len(lines) == 0 {
		t.Error("games.jsonl does not begin with the matches that were played before")
	}
}

// The sweep measures costs that the plan does not have, once for all arms (configurations) of the
// same kind.
func TestCostsAreMeasured(t *testing.T) {
	arm := func(name, more string) string { return "- name: " + name + "\n  set: [" + more + small + "]\n" }
	text := tiny + "pilot: 1\narms:\n" +
		arm("base", sizes) + arm("slow", sizes+"train.learning_rate=0.001, ") + arm("sparse", "network.kind=sparse, ")
	opt := options(t, t.TempDir(), text)
	if err := os.Remove(filepath.Join(opt.Dir, "plan.yaml")); err != nil {
		t.Fatal(err)
	}
	r := do(t, opt)
	for _, a := range r.Arms {
		if c := a.Costs; c.Simulation <= 0 || c.Sample <= 0 || c.Game <= 0 || c.Play <= 0 {
			t.Errorf("arm %s has a cost that was not measured: %+v", a.Arm, c)
		}
	}
	if r.Arms[0].Costs != r.Arms[1].Costs {
		t.Errorf("arms that differ in the learning rate have costs %+v and %+v", r.Arms[0].Costs, r.Arms[1].Costs)
	}
	if r.Arms[0].Costs == r.Arms[2].Costs {
		t.Errorf("both kinds of networks have the same costs: %+v", r.Arms[0].Costs)
	}
	if _, err := os.Stat(filepath.Join(opt.Dir, "pilots")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the pilots are still there: %v", err)
	}
	plan := lasting(t, opt.Dir)["plan.yaml"]
	do(t, opt)
	if !bytes.Equal(lasting(t, opt.Dir)["plan.yaml"], plan) {
		t.Error("the plan changed when the sweep was run again")
	}
}

// A sweep fails if an arm (a configuration) or the budget has changed, or if another process uses
// the same folder.
func TestSweepRefuses(t *testing.T) {
	dir := t.TempDir()
	do(t, options(t, dir, tiny+"arms:\n"+baseArm))
	for _, c := range []struct{ name, text, want string }{
		{"other settings", tiny + "arms:\n" + strings.Replace(baseArm, "gate.games=8", "gate.games=10", 1), "was begun with other settings; give the changed arm another name"},
		{"other budget", strings.Replace(tiny, "12ms", "13ms", 1) + "arms:\n" + baseArm, "has a budget of 12ms, not 13ms"},
		{"reference", "reference: mcts:none" + tiny + "arms:\n" + baseArm, `player "mcts:none"`},
		{"margin without scores", tiny + "arms:\n" + strings.Replace(baseArm, "[", "[network.margin=5, ", 1), "arm base: network: margin: 5 is for a game with scores"},
		{"other game", tiny + "arms:\n" + baseArm + "- name: b\n  preset: onitama\n", "all arms of a sweep need the same game"},
	} {
		_, err := sweep.Run(context.Background(), options(t, dir, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	nested := options(t, dir, strings.Replace(tiny, "seeds: 2", "seeds: 3", 1)+"arms:\n"+baseArm)
	nested.Progress = func(string, int) func(int) {
		if _, err := sweep.Run(context.Background(), options(t, dir, tiny+"arms:\n"+baseArm)); err == nil || !strings.Contains(err.Error(), "another process is working on this sweep") {
			t.Errorf("a second sweep in the folder: error %v", err)
		}
		return func(int) {}
	}
	do(t, nested)
}

// If a sweep's file has a mistake, the error names it.
func TestReadRefuses(t *testing.T) {
	good := tiny + "arms:\n" + baseArm
	if _, err := read(t, good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"budget: 12ms", "budget: 0s", "budget: set the CPU time of a run"},
		{"budget: 12ms", "budged: 12ms", "budged"},
		{"seeds: 2", "seeds: 1", "seeds: 1 is not between 2 and 100"},
		{"seeds: 2", "seeds: 2.5", "seeds: 2.5 is not a whole number"},
		{"simulations: 8\n", "simulations: 0\n", "simulations: 0 is not between"},
		{"games: 8\n", "games: 7\n", "games: 7 is not an even number"},
		{"games: 8\n", "games: 4294967296\n", "games: 4294967296 is not an even number from 2 to 1000000"},
		{"timed_games: 4", "timed_games: 4294967296", "timed_games: 4294967296 is not an even number from 2 to 1000000"},
		{"seeds: 2", "seeds: 02", "write 2"},
		{"timed_games: 4", "timed_games: 1", "timed_games: 1 is not an even number"},
		{"move_time: 20us", "move_time: -1s", "move_time: -1s is not above 0"},
		{"points: 2", "points: 0", "points: 0 is not between 1 and 100"},
		{"points: 2\n", "points: 2\npilot: 0\n", "pilot: 0 is not between 1 and 1000"},
		{"name: base", "name: a/b", `the name "a/b" is not allowed`},
		{"preset: tictactoe", "reference: random", "arms: base has no preset"},
		{"arms:\n" + baseArm, "", "arms: name at least one arm"},
		{baseArm, baseArm + baseArm, "arms: two arms are called base"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%q is not in the file", c.old)
		}
		if _, err := read(t, text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.new, err, c.want)
		}
	}
}
