package train

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
	"dojo.example/search/mcts"
)

// A model without ranges of activations plays in floats, but only if the configuration allows
// floats. In a run with 8 bits, such a model causes an error that names the model and the setting.
func TestRunWithModelWithoutRanges(t *testing.T) {
	game := mcts.GameOf(tictactoe.Rules)
	c := model.NewCheckpoint(model.Meta{Game: game.Name, SpecVersion: game.Version, Name: "000003"}, model.Network{Body: model.DefaultResidual()}.For(game.Spec), rand.New(rand.NewPCG(1, 1)))
	opt := Options{Folder: rundir.Folder(t.TempDir()), Game: game, Network: c.Network, Train: Default()}
	path := opt.Folder.Model(c.Name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, err := opt.evaluator(c.Name); err == nil || !strings.Contains(err.Error(), "000003 has no ranges") || !strings.Contains(err.Error(), "run.yaml") {
		t.Errorf("a model without ranges in a run in 8 bits: %v", err)
	}
	opt.Train.Precision = model.Best
	if e, err := opt.evaluator(c.Name); err != nil {
		t.Error(err)
	} else if e.(*model.Net).Int8() {
		t.Errorf("a model without ranges plays as %s in 8 bits", model.Best)
	}
}
