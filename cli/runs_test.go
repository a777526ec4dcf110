package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/configs"
	"dojo.example/data/rundir"
)

// run.yaml always has the version of the program that started the run, even if another version
// continues it.
func TestProgramThatBeganIsKept(t *testing.T) {
	dir := trained(t)
	path := rundir.Folder(dir).ConfigPath()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := sealed(strings.Replace(string(text), "program: ", "program: v0.1-of-old-", 1))
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--generations", "3"}} {
		done(t, "", append([]string{"train", "--run", dir}, more...)...)
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "program: v0.1-of-old-") {
			t.Errorf("after train %v run.yaml is %s, %v", more, text, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "generations: 3") {
		t.Errorf("a longer run has %s, %v", text, err)
	}
}

// If a process is killed while it creates a run, the same command can still start the run in the
// same folder.
func TestBeginningIsRecovered(t *testing.T) {
	for name, leave := range map[string][]string{
		"nothing":          {},
		"the old order":    {"lock", "samples/", "models/", "trainer/", "generations/"},
		"locks":            {"lock", "locks/players", "gates/"},
		"a temporary":      {".tmp-dojo-123"},
		"half a model":     {"lock", "models/.tmp-dojo-123"}, // left by an interrupted train --from
		"another's folder": nil,
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if leave == nil {
			leave = []string{"samples/thesis.txt"}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range leave {
			path := filepath.Join(dir, filepath.FromSlash(file))
			folder := filepath.Dir(path)
			if strings.HasSuffix(file, "/") {
				folder = path
			}
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Fatal(err)
			}
			if folder != path {
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir, "--for", "1ms"}, small...)...)
		if want := name != "another's folder"; (r.status == exitDone) != want {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// The run.yaml of a run is also a preset: it can start another run with the same configuration.
func TestRunYAMLIsAPreset(t *testing.T) {
	old := rundir.Folder(trained(t))
	folder := rundir.Folder(filepath.Join(t.TempDir(), "new"))
	done(t, "", "selfplay", old.ConfigPath(), "--run", string(folder), "--set", "seed=8")
	a, err := configs.Thaw(old)
	if err != nil {
		t.Fatal(err)
	}
	b, err := configs.Thaw(folder)
	if err != nil {
		t.Fatal(err)
	}
	a.Config.Seed = 8
	if a.Config != b.Config || b.Name != "new" {
		t.Errorf("the new run has %+v, want the configuration of %+v", b, a)
	}
}
