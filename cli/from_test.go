package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/train"
)

// settingsWithoutNetwork returns the settings in small, except those of the network.
func settingsWithoutNetwork() (settings []string) {
	for _, s := range small {
		if s != "--set" && !strings.HasPrefix(s, "network.") {
			settings = append(settings, "--set", s)
		}
	}
	return settings
}

// If a run starts from a model, its first generation plays with that model and continues to train
// its weights. The same command continues the run.
func TestTrainFrom(t *testing.T) {
	old := rundir.Folder(trained(t))
	model1 := old.Model("000001")
	c, err := model.Load(model1)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "further")
	again := append([]string{"train", "tictactoe", "--from", model1, "--run", dir}, settingsWithoutNetwork()...)
	done(t, "", again...)
	done(t, "", again...)
	all, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all[0].Player != rundir.StartModel {
		t.Errorf("the generations are %+v", all)
	}
	if all[0].Fit.New.Positions == 0 {
		t.Error("the model to begin with was not measured on the first games")
	}
	next, err := model.Load(rundir.Folder(dir).Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	if next.Parent != rundir.StartModel || next.Network != c.Network {
		t.Errorf("the first candidate has parent %q and %s; the run began with %s", next.Parent, next.Sizes(), c.Sizes())
	}

	// If the copy of the start model in the run's folder is replaced, the run cannot be continued.
	dir = filepath.Join(t.TempDir(), "begun")
	done(t, "", append([]string{"train", "tictactoe", "--from", model1, "--run", dir, "--for", "1ms"}, settingsWithoutNetwork()...)...)
	other, err := os.ReadFile(old.Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rundir.Folder(dir).Model(rundir.StartModel), other, 0o644); err != nil {
		t.Fatal(err)
	}
	if r := dojo(t, "", "train", "--run", dir); r.status != exitFailed || !strings.Contains(r.stderr, "is not the model that the run began with") {
		t.Errorf("with another model in the place of the first: %+v", r)
	}
}

// A run can start from the built-in bot, and can be continued like any other run.
func TestTrainFromBox(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "boxed")
	args := append([]string{"train", "tictactoe", "--from", "box:tictactoe", "--run", dir}, settingsWithoutNetwork()...)
	done(t, "", append(args, "--for", "1ms")...)
	done(t, "", args...)
	all, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil || len(all) != 2 || all[0].Player != rundir.StartModel {
		t.Errorf("the generations are %+v, %v", all, err)
	}
}

// Wrong use of --from causes a one-line error and starts no run.
func TestTrainFromMistakes(t *testing.T) {
	old := trained(t)
	missing := filepath.Join(t.TempDir(), "missing.safetensors")
	for _, c := range []struct {
		says string
		args []string
	}{
		{"no such file", []string{"tictactoe", "--from", missing}},
		{"plays tictactoe, but preset onitama-quick is for onitama", []string{"onitama-quick", "--from", old + "/models/000001.safetensors"}},
		{"but preset tictactoe is for tictactoe", []string{"tictactoe", "--from", "box:onitama"}},
		{"changes the network, but the network is that of --from", []string{"tictactoe", "--from", old + "/models/000001.safetensors", "--set", "network.blocks=3"}},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		r := dojo(t, "", append([]string{"train", "--run", dir}, c.args...)...)
		if r.status != exitFailed || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("train %v: %+v, want %q", c.args, r, c.says)
		}
		if _, err := os.Stat(filepath.Join(dir, "run.yaml")); err == nil {
			t.Errorf("train %v began a run", c.args)
		}
	}
	// An existing run cannot be given another start model.
	r := dojo(t, "", "train", "--run", old, "--from", old+"/models/000001.safetensors")
	if r.status != exitFailed || !strings.Contains(r.stderr, "was not begun with the weights of") {
		t.Errorf("--from on another run: %+v", r)
	}
}
