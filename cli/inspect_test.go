package cli

import (
	"encoding/json"
	"testing"

	"dojo.example/configs"
	"dojo.example/data"
	"dojo.example/data/rundir"
	"dojo.example/train"
)

// fakeRun creates the folder of a tic-tac-toe run in which each generation has a random network and
// one game.
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

// oneGame returns the rows of a tic-tac-toe game with the actions a3, a2, b3, a1 and c3.
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
