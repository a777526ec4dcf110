package rundir_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// The file called best may contain nothing but the name of a model of the run.
func TestBest(t *testing.T) {
	for text, want := range map[string]string{
		"000012":                   "models/000012.safetensors",
		"1000000":                  "models/1000000.safetensors",
		"000014":                   "best names a model that is missing",
		"uniform":                  "no model has beaten",
		"../../other/000012":       "does not hold the name of a model",
		"12":                       "does not hold the name of a model",
		"":                         "does not hold the name of a model",
		"000013\n":                 "models/000013.safetensors", // an editor may add a line feed
		"-00012":                   "does not hold the name of a model",
		"/tmp/model":               "does not hold the name of a model",
		"0012345":                  "does not hold the name of a model",
		strings.Repeat("0", 1<<17): "longer than",
	} {
		f := rundir.Folder(t.TempDir())
		if err := os.WriteFile(f.Path("best"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"000012", "1000000", "000013"} {
			if err := os.MkdirAll(f.Path("models"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.Model(name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		path, err := f.BestModel()
		if err == nil && filepath.Dir(path) != f.Path("models") {
			t.Errorf("best %q is outside the run: %s", text, path)
		}
		got := filepath.ToSlash(path)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || strings.Contains(got, "\n") {
			t.Errorf("best %.20q gives %s, want %s", text, got, want)
		}
	}
}
