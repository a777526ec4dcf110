package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/data/audit"
	"dojo.example/data/rundir"
)

// The test adds a record that generation 0 of a run used a wrong result. Training then fails with
// an error that suggests the command for going back to generation 0. That command moves the old
// files aside and trains the same models again.
func TestBackTo(t *testing.T) {
	f := rundir.Folder(filepath.Join(t.TempDir(), "run"))
	if r := dojo(t, "", append([]string{"train", "tictactoe", "--run", string(f)}, small...)...); r.status != exitDone {
		t.Fatalf("train: %+v", r)
	}
	want, err := os.ReadFile(f.Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := audit.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	handed := audit.Entry{Event: audit.Handed, Worker: "box", Shard: 1, Hash: strings.Repeat("a", 64)}
	wrong := handed
	wrong.Event, wrong.Right, wrong.By = audit.Wrong, strings.Repeat("b", 64), audit.Trainer
	if err := ledger.Append(handed, wrong); err != nil {
		t.Fatal(err)
	}
	back := []string{"train", "--run", string(f), "--back-to", "0"}
	for _, c := range []struct {
		args []string
		says []string // on stderr
		done bool
	}{
		{[]string{"train", "--run", string(f)}, []string{"generation 0 was made with a wrong result: shard 1 of generation 0 of box is aaaaaaaaaaaa…, and should be bbbbbbbbbbbb…", "dojo " + strings.Join(back, " ")}, false},
		{[]string{"train", "--run", string(f), "--back-to", "3"}, []string{fmt.Sprintf("run %s cannot go back to generation 3: it has only 2", f)}, false},
		{[]string{"train", "--run", string(f) + "-new", "--back-to", "0"}, []string{"-new yet"}, false},
		{back, []string{"the run goes back to generation 0; the old files of this and later generations are in " + f.Aside(0)}, true},
		{[]string{"train", "--run", string(f)}, []string{"2 generations are complete"}, true},
	} {
		r := dojo(t, "", append(c.args, "--log-format", "screen")...)
		if c.done != (r.status == exitDone) {
			t.Fatalf("%v: %+v", c.args, r)
		}
		for _, says := range c.says {
			if !strings.Contains(r.stderr, says) {
				t.Errorf("%v: %q does not say %q", c.args, r.stderr, says)
			}
		}
	}
	for _, path := range []string{f.Model("000000"), filepath.Join(f.Aside(0), "models", "000000.safetensors")} {
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not the model that it was: %v", path, err)
		}
	}
}
