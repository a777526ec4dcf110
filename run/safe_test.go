package run_test

import (
	"os"
	"testing"

	"dojo/internal/output"
	"dojo/run"
)

// No result is written over a file of a run or beside those that it will have.
func TestNothingElseIsWrittenIntoARun(t *testing.T) {
	f := run.Folder(t.TempDir())
	if err := os.WriteFile(f.ConfigPath(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		f.ConfigPath(), f.Metrics(), f.Events(), f.Path("best"), f.Path("locks", "stages"), f.Model("000001"), f.Trainer(1),
		f.Gate(1), f.Record(1), f.Shard(1, 0), f.Student("hash", "kind"),
	} {
		if _, err := output.Open(path, output.Policy{Force: true}); err == nil {
			t.Errorf("a result may be written to %s", path)
		}
	}
}
