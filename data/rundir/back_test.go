package rundir_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dojo.example/data/rundir"
)

// A return to an earlier generation moves only those lines of solved.jsonl that are about removed
// models.
func TestAnswersGoAside(t *testing.T) {
	f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if err := f.Begin([]byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	const first, second, start = `{"model":"000000","share":0.5}` + "\n", `{"model":"000001","share":0.7}` + "\n", `{"model":"start"}` + "\n"
	for i, c := range []struct{ before, after, aside string }{
		{first + second + start + "nonsense\n", first + start + "nonsense\n", second},
		{first, first, ""},
		{second, "", second},
	} {
		if err := os.WriteFile(f.Solved(), []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second call is like a call after the process was killed
			if err := f.PutAside(t.Context(), rundir.Return{Number: i, Generation: 1}); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(f.Solved()); err != nil || string(got) != c.after {
			t.Errorf("of %q a return left %q, want %q (%v)", c.before, got, c.after, err)
		}
		if got, err := os.ReadFile(filepath.Join(f.Aside(i), "solved.jsonl")); string(got) != c.aside || err != nil && c.aside != "" {
			t.Errorf("of %q a return put %q aside, want %q (%v)", c.before, got, c.aside, err)
		}
	}
}

// PutAside keeps every file that it moves: in the return's folder, each file has a path of its own.
func TestPutAside(t *testing.T) {
	f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if err := f.Begin([]byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	moved := []string{f.Record(2), f.Record(3), f.Gate(2), f.Model("000002"), f.TrainerState(2), f.Shard(2, 0), f.Shard(2, 1), f.Shard(3, 0)}
	kept := []string{f.Record(0), f.Record(1), f.Gate(1), f.Model("000001"), f.TrainerState(1), f.Shard(1, 0), f.Model(rundir.StartModel)}
	for _, path := range slices.Concat(moved, kept) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(path), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	b := rundir.Return{Number: 4, Generation: 2, Committed: 4}
	if err := errors.Join(f.BeginReturn(b), f.PutAside(t.Context(), b)); err != nil {
		t.Fatal(err)
	}
	if got, begun, err := f.Begun(4); err != nil || !begun || got.Generation != 2 || got.Committed != 4 || got.Time.IsZero() {
		t.Errorf("the return is %+v, %v, %v", got, begun, err)
	}
	if _, begun, err := f.Begun(5); begun || err != nil {
		t.Errorf("another is begun: %v, %v", begun, err)
	}
	for _, path := range moved {
		name, err := filepath.Rel(string(f), path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(f.Aside(4), name)); err != nil || string(got) != path {
			t.Errorf("%s is %q aside, %v", name, got, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still in the run: %v", name, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
