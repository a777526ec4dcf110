package rundir_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/engine/tictactoe"
	"dojo.example/model"
)

// If a process is killed at any step of Begin, Begin can be called again: with the same start
// model, with another start model or with none. Each step creates one file or folder. A file is
// first created under a temporary name.
func TestBeginAgain(t *testing.T) {
	config := []byte("game: tictactoe\n")
	start, other := someModel("a", 1), someModel("b", 2)
	whole := rundir.Folder(filepath.Join(t.TempDir(), "whole"))
	if err := whole.Begin(config, start); err != nil {
		t.Fatal(err)
	}
	// made lists the names in the order in which Begin creates them. run.yaml is added at the end,
	// because Begin creates it last.
	var made []string
	err := filepath.WalkDir(string(whole), func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(string(whole), path)
		if err == nil && path != whole.ConfigPath() {
			made = append(made, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	made = append(made, "run.yaml")
	for n, last := range made {
		for _, temporary := range []bool{false, true} {
			if !temporary && last == "run.yaml" {
				continue // if run.yaml exists, Begin is complete and cannot be called again
			}
			for _, again := range []*model.Checkpoint{start, other, nil} {
				f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
				for _, name := range made[:n+1] {
					at := f.Path(name)
					if temporary && name == last {
						at = filepath.Join(filepath.Dir(at), ".tmp-dojo-1")
					}
					copyEntry(t, whole.Path(name), at)
				}
				if err := f.Begin(config, again); err != nil {
					t.Errorf("killed at %s (temporary: %v): %v", last, temporary, err)
					continue
				}
				if text, err := f.Config(); err != nil || string(text) != string(config) {
					t.Errorf("killed at %s: the configuration is %q, %v", last, text, err)
				}
				got, err := model.Load(f.Model(rundir.StartModel))
				if again == nil && err == nil || again != nil && (err != nil || got.Hash() != again.Hash()) {
					t.Errorf("killed at %s: the model is another than the one to begin with: %v", last, err)
				}
			}
		}
	}
}

func someModel(name string, seed uint64) *model.Checkpoint {
	spec := tictactoe.Rules.Spec
	n := model.Network{Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 1, ValueFeatures: 8}}.For(spec)
	return model.NewCheckpoint(model.Meta{Game: "tictactoe", SpecVersion: spec.Version, Name: name, ProgramVersion: "test"}, n, rand.New(rand.NewPCG(seed, 0)))
}

func copyEntry(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else if err == nil {
		var text []byte
		if text, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, text, 0o644)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
