package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/arena"
	"dojo.example/cli/measure"
	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// fakeRun makes the folder of a run of tic-tac-toe with some generations,
// each of a random network and one game.
func fakeRun(t *testing.T, generations int) string {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	config := configs.Default()
	config.Game = "tictactoe"
	text, err := configs.Frozen{Program: "test", Config: config}.Text()
	must(err)
	folder := rundir.Folder(dir)
	must(folder.Begin(text, nil))
	for g := range generations {
		name := rundir.ModelName(g)
		must(tiny(t, "tictactoe", name, uint64(g)).Save(folder.Model(name)))
		must(data.WriteShard(folder.Shard(g, 0), provenance(g), oneGame(g)))
		record, err := json.Marshal(train.Metrics{Generation: g, Best: name, Player: "uniform", Games: 1})
		must(err)
		_, err = folder.Commit(g, record)
		must(err)
		must(folder.SetBest(name))
	}
	return dir
}

func provenance(generation int) data.Provenance {
	return data.Provenance{Game: "tictactoe", SpecVersion: 1, Run: "test", Generation: generation, Model: "uniform", ProgramVersion: "test"}
}

// oneGame is the game a3 a2 b3 a1 c3.
func oneGame(generation int) []data.Row {
	positions := []string{".........", "x........", "x..o.....", "xx.o.....", "xx.o..o.."}
	actions := []int32{0, 3, 1, 6, 2}
	var rows []data.Row
	for i, p := range positions {
		rows = append(rows, data.Row{
			Run: "test", Generation: int32(generation), Ply: int32(i), Position: p, Mover: int32(i % 2),
			Action: actions[i], Policy: []data.Weight{{Action: actions[i], Weight: 1}},
			Value: 0.5, Outcome: 1, TurnsLeft: int32(len(positions) - i), Model: "uniform",
		})
	}
	return rows
}

func TestInspectRun(t *testing.T) {
	dir := fakeRun(t, 2)
	lines := strings.Split(strings.TrimSpace(done(t, "", "inspect", dir, "--json")), "\n")
	var head struct {
		Game, Best          string
		Generations, Shards int
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 || head.Game != "tictactoe" || head.Best != "000001" || head.Generations != 2 || head.Shards != 2 {
		t.Errorf("inspect --json of a run of 2 generations prints %q", lines)
	}
	for _, key := range []string{`"mcts":{"simulations":`, `"selfplay":{"games":`, `"final_learning_rate":`} {
		if !strings.Contains(lines[0], key) {
			t.Errorf("inspect --json prints %s, want the key %s of the YAML", lines[0], key)
		}
	}
	if text := done(t, "", "inspect", dir); !strings.Contains(text, "tictactoe") || !strings.Contains(text, "verdict") {
		t.Errorf("inspect prints %q, want the game and a table of generations", text)
	}
}

func TestInspectShard(t *testing.T) {
	path := rundir.Folder(fakeRun(t, 1)).Shard(0, 0)
	lines := strings.Split(strings.TrimSpace(done(t, "", "inspect", path, "--rows", "2", "--json")), "\n")
	var head struct {
		Stats data.Summary
	}
	if err := json.Unmarshal([]byte(lines[0]), &head); err != nil {
		t.Fatal(err)
	}
	if s := head.Stats; len(lines) != 3 || s.Games != 1 || s.Positions != 5 || s.FirstWins != 1 {
		t.Errorf("inspect --json of a shard of one game prints %q", lines)
	}
	for _, key := range []string{`"spec_version":1`, `"generation":0`} {
		if !strings.Contains(lines[0], key) {
			t.Errorf("inspect --json of a shard prints %s, want %s", lines[0], key)
		}
	}
	if !strings.Contains(lines[1], `"turns_left":5`) {
		t.Errorf("inspect --rows --json prints %s, want the names of the columns", lines[1])
	}
	text := done(t, "", "inspect", path, "--rows", "9")
	for _, want := range []string{
		"entropy", "xx.o..o..", "first 100.0 %",
		"game 0, ply 2, first to move, 3 actions to the end\n\n3 x..\n2 o..\n1 ...\n", "plays   b3\n", "policy  b3 100.0 %\n", "value   +0.50 for first; in the end first wins\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("inspect prints %q, want %q in it", text, want)
		}
	}
}

func TestInspectCheckpoint(t *testing.T) {
	path := checkpoint(t, "onitama")
	var got struct {
		Game, Name, Hash string
		Parameters       int
	}
	if err := json.Unmarshal([]byte(done(t, "", "inspect", path, "--json")), &got); err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, p := range tiny(t, "onitama", "tiny", 1).Params() {
		want += p.Size()
	}
	if got.Game != "onitama" || got.Name != "tiny" || got.Hash == "" || got.Parameters != want {
		t.Errorf("inspect --json prints %+v, want %d parameters", got, want)
	}
	if text := done(t, "", "inspect", path); !strings.Contains(text, got.Hash) {
		t.Errorf("inspect prints %q, want the hash %s in it", text, got.Hash)
	}
}

// TestRunStandsForItsBest: wherever a model is asked for, a run will do.
func TestRunStandsForItsBest(t *testing.T) {
	dir := fakeRun(t, 2)
	r := decode[arena.Summary](t, done(t, "", "evaluate", dir, "--against", "random", "--games", "2", "--simulations", "4", "--json"))[0]
	if want := filepath.Join(dir, "models", "000001.safetensors:4"); r.A != want {
		t.Errorf("evaluate of a run measures %q, want its best, %s", r.A, want)
	}
	if out := done(t, "xx.oo....\n", "bot", dir); out != "c3\n" {
		t.Errorf("a run as a bot answers %q, want c3", out)
	}
}

func TestEvaluateGenerations(t *testing.T) {
	dir := fakeRun(t, 5)
	args := []string{"evaluate", dir, "--generations", "3", "--games", "4", "--simulations", "4"}
	rungs := decode[arena.Rung](t, done(t, "", append(args, "--json")...))
	if len(rungs) != 3 {
		t.Fatalf("--generations 3 prints %d models", len(rungs))
	}
	for _, r := range rungs { // the second of three meets both others
		name := filepath.Base(r.Player)
		if zero := name == "000000.safetensors:4"; zero != (r.EloHigh == r.EloLow) || r.Model == "" || r.Group != 0 || r.Games < 1 || r.Games > 8 {
			t.Errorf("the ladder has %+v", r)
		}
		if name != "000000.safetensors:4" && name != "000002.safetensors:4" && name != "000004.safetensors:4" {
			t.Errorf("the ladder has %s", name)
		}
	}
	if text := done(t, "", args...); !strings.Contains(text, "000004") {
		t.Errorf("evaluate --generations prints %q, want a table of models", text)
	}
}

// Models of a run answer solved positions one after another; with a simulation for each
// the network's policy answers.
func TestSolvedByGenerations(t *testing.T) {
	dir, path := fakeRun(t, 5), filepath.Join(t.TempDir(), "solved.jsonl")
	text := `{"pos":"xx.oo....","moves":{"c3":"W1","c2":"D","a1":"L2","b1":"L2","c1":"L2"}}` + "\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"evaluate", dir, "--solved", path, "--generations", "3", "--simulations"}
	results := decode[measure.SolvedResult](t, done(t, "", append(args, "300", "--json")...))
	for i, r := range results {
		if want := fmt.Sprintf("00000%d", 2*i); r.Model != want || r.Simulations != 300 || r.Positions != 1 || r.Kept != 1 {
			t.Errorf("line %d is %+v, want %s with the one position kept", i, r, want)
		}
	}
	if len(results) != 3 {
		t.Errorf("--generations 3 prints %d models", len(results))
	}
	if out := done(t, "", append(args, "1")...); !strings.Contains(out, "simulations: 1\n") || !strings.Contains(out, "000004         1") {
		t.Errorf("evaluate --solved --generations prints %q, want a table of models with a position each", out)
	}
}
