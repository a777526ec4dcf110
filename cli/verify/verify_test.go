package verify_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dojo.example/cli/verify"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// silent is a train.Reporter that shows nothing.
type silent struct{}

func (silent) Stage(int, string, int) func(int, string) { return func(int, string) {} }
func (silent) Generation(train.Metrics)                 {}

// small trains a run of three generations.
func small(t *testing.T, folder rundir.Folder, settings ...string) {
	t.Helper()
	p, err := configs.Prepare(configs.Request{Folder: folder, Preset: "tictactoe", Workers: 2, Settings: append([]string{
		"network.channels=16", "network.blocks=1", "mcts.simulations=16", "selfplay.games=48", "selfplay.shard_games=8",
		"train.generations=3", "train.optimiser.batch=32", "gate.games=16", "gate.simulations=8",
	}, settings...)})
	if err != nil {
		t.Fatal(err)
	}
	p.Options.Report = silent{}
	r, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Loop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// reseal updates the hashes in a run's listings and records to match its changed files, as a forger
// would.
func reseal(t *testing.T, f rundir.Folder) {
	t.Helper()
	records, err := f.Records()
	if err != nil {
		t.Fatal(err)
	}
	for g, record := range records {
		hash, err := f.List(g)
		if err != nil {
			t.Fatal(err)
		}
		record = regexp.MustCompile(`"seal":"\w*",`).ReplaceAll(record, nil)
		record = regexp.MustCompile(`"files":"\w*"`).ReplaceAll(record, []byte(`"files":"`+hash+`"`))
		if _, err := f.Commit(g, record); err != nil {
			t.Fatal(err)
		}
	}
}

// again copies a run and returns the copy.
func again(t *testing.T, of rundir.Folder) rundir.Folder {
	t.Helper()
	f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if err := os.CopyFS(string(f), os.DirFS(string(of))); err != nil {
		t.Fatal(err)
	}
	return f
}

// edit replaces the first match of pattern in the record of a generation, and updates all hashes,
// as a forger would.
func edit(t *testing.T, f rundir.Folder, generation int, pattern, to string) {
	t.Helper()
	text, err := os.ReadFile(f.Record(generation))
	if err != nil {
		t.Fatal(err)
	}
	at := regexp.MustCompile(pattern).FindIndex(text)
	if at == nil {
		t.Fatalf("no %s in %s", pattern, text)
	}
	record := slices.Concat(text[:at[0]], []byte(to), text[at[1]:])
	record = regexp.MustCompile(`"seal":"\w*",`).ReplaceAll(record, nil)
	if _, err := f.Commit(generation, record); err != nil {
		t.Fatal(err)
	}
	for g := generation + 1; g < 3; g++ {
		text, err := os.ReadFile(f.Record(g))
		if err == nil {
			_, err = f.Commit(g, regexp.MustCompile(`"seal":"\w*",`).ReplaceAll(text, nil))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// rewrite changes rows of a shard.
func rewrite(t *testing.T, path string, change func([]data.Row)) {
	t.Helper()
	h, rows, err := data.ReadShard(path, data.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	change(rows)
	if err := data.WriteShard(path, h, rows); err != nil {
		t.Fatal(err)
	}
}

// The check finds no fault in an honest run, and finds every forgery, even with updated hashes.
func TestRun(t *testing.T) {
	honest := rundir.Folder(filepath.Join(t.TempDir(), "honest"))
	small(t, honest)
	for name, c := range map[string]struct {
		spoil  func(t *testing.T, f rundir.Folder)
		resign bool     // whether the forger also updates all hashes
		faults []string // how the expected faults begin, in any order; none for an honest run
		err    string
	}{
		"honest": {spoil: func(*testing.T, rundir.Folder) {}},
		"a file changed": {spoil: func(t *testing.T, f rundir.Folder) {
			rewrite(t, f.Shard(1, 2), func(rows []data.Row) { rows[0].Value /= 2 })
		}, faults: []string{"samples/gen-000001/shard-000002.parquet differs from the file"}},
		"a record changed": {spoil: func(t *testing.T, f rundir.Folder) {
			text, err := os.ReadFile(f.Record(1))
			if err == nil {
				err = os.WriteFile(f.Record(1), bytes.Replace(text, []byte(`"positions":`), []byte(`"positions":1`), 1), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, err: "its seal does not match its text"},
		"a listing changed": {spoil: func(t *testing.T, f rundir.Folder) {
			if err := os.WriteFile(f.Listing(1), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}, err: "is not the listing"},
		"a false value": {spoil: func(t *testing.T, f rundir.Folder) {
			rewrite(t, f.Shard(1, 2), func(rows []data.Row) { rows[0].Value /= 2 })
		}, resign: true, faults: []string{"samples/gen-000001/shard-000002.parquet differs from the games that model", "models/000001.safetensors differs from the model that training gives"}},
		"a false model": {spoil: func(t *testing.T, f rundir.Folder) {
			c, err := model.Load(f.Model("000000"))
			if err != nil {
				t.Fatal(err)
			}
			c.Tensors[c.Params()[0].Name][0]++
			if err := c.Save(f.Model("000000")); err != nil {
				t.Fatal(err)
			}
		}, resign: true, faults: []string{"models/000000.safetensors differs from the model that training gives"}},
		"a false gate": {spoil: func(t *testing.T, f rundir.Folder) {
			text, err := os.ReadFile(f.Gate(1))
			if err == nil {
				_, rest, _ := bytes.Cut(text, []byte("\n"))
				err = os.WriteFile(f.Gate(1), rest, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, resign: true, faults: []string{"gates/000001.jsonl differs from the gate"}},
		"a false promotion": {spoil: func(t *testing.T, f rundir.Folder) { changeBest(t, f) }, resign: true, faults: []string{"gates/000002.jsonl differs from the gate"}},
		"false figures in records": {spoil: func(t *testing.T, f rundir.Folder) {
			edit(t, f, 0, `"points":[^,}]*`, `"points":15.5`)
			edit(t, f, 0, `"player":"uniform"`, `"player":"000000"`)
			edit(t, f, 1, `"elo":[^,]*`, `"elo":300`)
			edit(t, f, 2, `"wins":[^,]*`, `"wins":90`)
			edit(t, f, 2, `"policy_loss":[^,]*`, `"policy_loss":0.01`)
		}, faults: []string{
			"the record of generation 0 has 15.5 points in 16 games against uniform, but the match gives ",
			"the record of generation 0 differs from the results of its gate: player is 000000, not uniform",
			"the record of generation 1 differs from the results of its gate: gate.elo is 300, not ",
			"the record of generation 2 differs from the results of its gate: gate.wins is 90, not ",
			"the record of generation 2 differs from the results of training: fit.policy_loss is 0.01, not ",
		}},
		"a ladder without a match": {spoil: func(t *testing.T, f rundir.Folder) { edit(t, f, 0, `,"ladder":{.*}`, `}`) },
			faults: []string{"the record of generation 0 lacks the ladder match against uniform"}},
		"other times": {spoil: func(t *testing.T, f rundir.Folder) { edit(t, f, 1, `"seconds":[^,}]*`, `"seconds":77`) }},
		"Elo by a formula of another version": {spoil: func(t *testing.T, f rundir.Folder) {
			edit(t, f, 1, `"formulas":\d+,`, ``)
			edit(t, f, 1, `"elo":[^,]*`, `"elo":300`)
		}},
		"a shard that is not listed": {spoil: func(t *testing.T, f rundir.Folder) {
			if err := os.Remove(f.Shard(2, 0)); err != nil {
				t.Fatal(err)
			}
		}, resign: true, faults: []string{"generation 2 does not list samples/gen-000002/shard-000000.parquet"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := again(t, honest)
			c.spoil(t, f)
			if c.resign {
				reseal(t, f)
			}
			got, err := verify.Run(t.Context(), f, verify.Options{Share: 1, Training: true, Workers: 2, Report: silent{}})
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("the error is %v, want %q", err, c.err)
			}
			if (len(got.Faults) > 0) != (c.faults != nil) {
				t.Errorf("the faults are %q", got.Faults)
			}
			for _, want := range c.faults {
				if !strings.Contains("\n"+strings.Join(got.Faults, "\n"), "\n"+want) {
					t.Errorf("%q is not among the faults %q", want, got.Faults)
				}
			}
			if name == "honest" && (got.Shards != verify.Sample{Of: 18, Checked: 18} || got.Gates != verify.Sample{Of: 3, Checked: 3} ||
				got.Ladder.Of == 0 || got.Ladder.Checked != got.Ladder.Of || got.Trained != 3 || got.Sample != got.Shards || got.Confidence != 1 || !slices.Equal(got.Unchecked, []string{"times and speeds"})) {
				t.Errorf("an honest run: %+v", got)
			}
		})
	}
}

// If a selected file cannot be read, the check names it and, unless Options.Missing is set, checks
// nothing else. Shards that were not chosen at random, and shards that data.keep has removed, are
// not selected.
func TestMissing(t *testing.T) {
	honest := rundir.Folder(filepath.Join(t.TempDir(), "honest"))
	small(t, honest)
	kept := rundir.Folder(filepath.Join(t.TempDir(), "kept"))
	small(t, kept, "data.keep=2", "train.window_min=2", "train.window_max=2")
	remove := func(path func(f rundir.Folder) string) func(t *testing.T, f rundir.Folder) {
		return func(t *testing.T, f rundir.Folder) {
			if err := os.Remove(path(f)); err != nil {
				t.Fatal(err)
			}
		}
	}
	shard := func(f rundir.Folder) string { return f.Shard(0, 0) }
	for name, c := range map[string]struct {
		of      rundir.Folder
		spoil   func(t *testing.T, f rundir.Folder)
		share   float64
		missing string // the first
		trained int    // number of generations that are retrained if Options.Missing is set
	}{
		"a shard":             {honest, remove(shard), 1, "samples/gen-000000/shard-000000.parquet: ", 0},
		"a shard of the last": {honest, remove(func(f rundir.Folder) string { return f.Shard(2, 0) }), 1, "samples/gen-000002/shard-000000.parquet", 2},
		"a shard, and another model": {honest, func(t *testing.T, f rundir.Folder) {
			other, err := model.Load(f.Model("000002"))
			if err != nil {
				t.Fatal(err)
			}
			other.Tensors[other.Params()[0].Name][0]++
			if err := other.Save(f.Model("000002")); err != nil {
				t.Fatal(err)
			}
			remove(shard)(t, f)
			text, err := os.ReadFile(f.Listing(0)) // reseal leaves missing files out of the listing
			if err != nil {
				t.Fatal(err)
			}
			reseal(t, f)
			if err := os.WriteFile(f.Listing(0), text, 0o644); err != nil {
				t.Fatal(err)
			}
			edit(t, f, 0, `"files":"\w*"`, `"files":"`+rundir.TextHash(text)+`"`)
		}, 1, "samples/gen-000000/shard-000000.parquet", 0},
		"a shard that is a folder": {honest, func(t *testing.T, f rundir.Folder) {
			remove(shard)(t, f)
			if err := os.Mkdir(shard(f), 0o755); err != nil {
				t.Fatal(err)
			}
		}, 1, "samples/gen-000000/shard-000000.parquet: it is not a regular file", 0},
		"a model":     {honest, remove(func(f rundir.Folder) string { return f.Model("000001") }), 0.01, "models/000001.safetensors", 3},
		"a gate":      {honest, remove(func(f rundir.Folder) string { return f.Gate(1) }), 0.01, "gates/000001.jsonl", 3},
		"a listing":   {honest, remove(func(f rundir.Folder) string { return f.Listing(1) }), 1, "generations/000001.sha256", 1},
		"not drawn":   {honest, remove(shard), 0.01, "", 0},
		"dropped":     {kept, func(*testing.T, rundir.Folder) {}, 1, "", 0},
		"not dropped": {kept, remove(func(f rundir.Folder) string { return f.Shard(1, 0) }), 1, "samples/gen-000001/shard-000000.parquet", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := again(t, c.of)
			c.spoil(t, f)
			opt := verify.Options{Share: c.share, Seed: 2, Training: true, Workers: 2, Report: silent{}}
			got, err := verify.Run(t.Context(), f, opt)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.missing == "" && len(got.Missing) > 0:
				t.Errorf("missing: %q", got.Missing)
			case c.missing != "" && (len(got.Missing) != 1 || !strings.HasPrefix(got.Missing[0], c.missing) || got.Checked != 0 || got.Confidence != 0):
				t.Errorf("missing: %q, want %q; checked: %+v", got.Missing, c.missing, got.Sample)
			}
			opt.Missing = true
			got, err = verify.Run(t.Context(), f, opt)
			if err != nil || got.Trained != c.trained || got.Shards.Checked == 0 || name != "a shard, and another model" && len(got.Faults) > 0 {
				t.Errorf("with leave: %+v, %v", got, err)
			}
		})
	}
}

// If a run is not complete, the check names the first shard without which the run cannot go on,
// even if no shard is replayed. The trainer states decide which shards are needed.
func TestMissingForTheNextGeneration(t *testing.T) {
	run := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	small(t, run, "train.window_min=2", "train.window_max=2")
	p, err := configs.Prepare(configs.Request{Folder: run, Generations: 4})
	if err == nil {
		err = run.Freeze(p.Text)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		gone    []string
		missing []string
	}{
		{nil, nil},
		{[]string{run.Shard(1, 0)}, nil},
		{[]string{run.Shard(2, 5), run.Shard(2, 3)}, []string{"samples/gen-000002/shard-000003.parquet: the next generation cannot be trained without it"}},
		{[]string{run.TrainerState(2)}, nil},
		{[]string{run.TrainerState(2), run.Shard(1, 0)}, []string{"samples/gen-000001/shard-000000.parquet: the next generation cannot be trained without it"}},
	} {
		f := again(t, run)
		for _, path := range c.gone {
			name, err := filepath.Rel(string(run), path)
			if err == nil {
				err = os.Remove(f.Path(name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := verify.Run(t.Context(), f, verify.Options{Report: silent{}, Workers: 1})
		if err != nil || !slices.Equal(got.Missing, c.missing) || len(got.Faults) > 0 {
			t.Errorf("without %q: missing are %q, want %q; %v, %v", c.gone, got.Missing, c.missing, got.Faults, err)
		}
	}
}

// changeBest makes another model the best one after the last generation.
func changeBest(t *testing.T, f rundir.Folder) {
	t.Helper()
	all, err := train.ReadMetrics(f)
	if err != nil {
		t.Fatal(err)
	}
	m := all[2]
	m.Seal, m.Best = "", map[bool]string{true: "000001", false: "000002"}[m.Best == "000002"]
	record, err := json.Marshal(m)
	if err == nil {
		_, err = f.Commit(2, record)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Hidden agrees with simulated checks, which draw items at random. Bound is the smallest number of
// false items for which at most 5 % of these checks find none of them.
func TestHidden(t *testing.T) {
	s := verify.Sample{Of: 40, Checked: 8}
	rng := rand.New(rand.NewPCG(1, 1))
	const draws = 200_000
	for _, m := range []int{1, 5, 12} {
		hidden := 0
		for range draws {
			lowest := s.Of
			for _, n := range rng.Perm(s.Of)[:s.Checked] {
				lowest = min(lowest, n)
			}
			if lowest >= m { // this check found none of the false items 0 to m-1
				hidden++
			}
		}
		if got := s.Hidden(m); math.Abs(got-float64(hidden)/draws) > 0.005 {
			t.Errorf("%d false of %d stay hidden with %v, in %v of the draws", m, s.Of, got, float64(hidden)/draws)
		}
	}
	if b := s.Bound(); s.Hidden(b) > 0.05 || s.Hidden(b-1) <= 0.05 {
		t.Errorf("%d is not the bound: %v and %v", b, s.Hidden(b), s.Hidden(b-1))
	}
	if b := (verify.Sample{Of: 40, Checked: 40}).Bound(); b != 1 {
		t.Errorf("if all are checked, one false is found; the bound is %d", b)
	}
}
