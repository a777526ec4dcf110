package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// A run that was killed while it went back finishes that, says so, and ends with the
// models that it had before.
func TestRollbackIsFinished(t *testing.T) {
	f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if r := dojo(t, "", append([]string{"train", "tictactoe", "--run", string(f)}, small...)...); r.status != exitDone {
		t.Fatalf("train: %+v", r)
	}
	want, err := os.ReadFile(f.Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := f.OpenLedger()
	if err != nil {
		t.Fatal(err)
	}
	handed := rundir.Entry{Event: rundir.Handed, Worker: "box", Shard: 1, Hash: strings.Repeat("a", 64)}
	wrong := handed
	wrong.Event, wrong.Right, wrong.By = rundir.Wrong, strings.Repeat("b", 64), rundir.Trainer
	if err := ledger.Append(handed, wrong); err != nil {
		t.Fatal(err)
	}
	r := dojo(t, "", "train", "--run", string(f))
	if r.status != exitDone {
		t.Fatalf("train: %+v", r)
	}
	for _, says := range []string{"box was wrong: its shard 1 of generation 0 is aaaaaaaaaaaa…, and should be bbbbbbbbbbbb…", "cut off: box;", "0 now", f.RollbackPath(0)} {
		if !strings.Contains(r.stderr, says) {
			t.Errorf("%q does not say %q", r.stderr, says)
		}
	}
	if got, err := os.ReadFile(f.Model("000000")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("the model differs: %v", err)
	}
}
