package train_test

import (
	"errors"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
	"dojo.example/train"
)

// Every model of a run stores search settings for those who later play with it (Options.Players).
// These settings change neither the games, nor the gates, nor the weights of the models: without
// them, all of these are the same, byte for byte. The search settings of self-play do not change
// how the models later play for users.
func TestPlayersAreKept(t *testing.T) {
	own := think.Players()
	own.CPuct = 0.9
	made := func(players mcts.Constants, settings ...string) map[string][]byte {
		dir := t.TempDir()
		opt, err := tiny(dir, 2, settings...)
		if err != nil {
			t.Fatal(err)
		}
		opt.Players = players
		r, err := train.Open(opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Loop(t.Context()), r.Close()); err != nil {
			t.Fatal(err)
		}
		for g := range opt.Train.Generations {
			c, err := model.Load(rundir.Folder(dir).Model(rundir.ModelName(g)))
			if err != nil {
				t.Fatal(err)
			}
			want := players
			if want == (mcts.Constants{}) {
				want = think.Players()
			}
			if got, err := think.Constants(c.Meta); err != nil || got.Constants != want || c.Search != think.Record(opt.Search.Constants) {
				t.Errorf("with %q model %s plays with %+v, %v, and was trained with %+v", settings, c.Name, got.Constants, err, c.Search)
			}
		}
		files := results(t, dir)
		for g := range opt.Train.Generations {
			name := "models/" + rundir.ModelName(g) + ".safetensors"
			files[name] = tensors(files[name])
		}
		return files
	}
	compare(t, made(own, "train.generations=2"), made(mcts.Constants{}, "train.generations=2"))
	made(own, "mcts.cpuct=1.51", "mcts.final=visits", "train.generations=1")
	made(mcts.Constants{}, "mcts.cpuct=1.51", "train.generations=1")
}
