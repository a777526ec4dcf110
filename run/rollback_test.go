package run_test

import (
	"os"
	"path/filepath"
	"testing"

	"dojo/run"
)

// A rollback removes the answers of models that it removes, and no other line.
func TestUndoForgetsSolved(t *testing.T) {
	f := run.Folder(filepath.Join(t.TempDir(), "run"))
	if err := f.Begin([]byte("x"), nil); err != nil {
		t.Fatal(err)
	}
	const first, second, start = `{"model":"000000","share":0.5}` + "\n", `{"model":"000001","share":0.7}` + "\n", `{"model":"start"}` + "\n"
	for _, c := range []struct{ before, after string }{
		{first + second + start + "nonsense\n", first + start + "nonsense\n"},
		{first, first},
		{second, ""},
	} {
		if err := os.WriteFile(f.Solved(), []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := f.Undo(&run.Rollback{Generation: 1}); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(f.Solved()); err != nil || string(got) != c.after {
			t.Errorf("of %q a rollback left %q, want %q (%v)", c.before, got, c.after, err)
		}
	}
}
