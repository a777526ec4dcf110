package cli

import (
	"maps"
	"os"
	"strings"
	"testing"

	"dojo.example/run"
	"dojo.example/verify"
)

// A run is found to be what it says, and a file that was changed is named. Nothing is written
// into the run's folder.
func TestVerify(t *testing.T) {
	folder := run.Folder(trained(t))
	before := snapshot(t, string(folder))
	if out := done(t, "", "verify", string(folder), "--shards", "100%"); !strings.Contains(out, "nothing differs") {
		t.Errorf("verify says %q", out)
	}
	one := decode[verify.Result](t, done(t, "", "verify", folder.Model("000000"), "--training=false", "--seed", "3", "--json"))
	if len(one) != 1 || one[0].Generations != 1 || one[0].Trained != 0 || one[0].Drawn != 3 || one[0].Shards.Checked != 1 {
		t.Errorf("the first model: %+v", one)
	}
	if !maps.Equal(snapshot(t, string(folder)), before) {
		t.Error("verify changed the run")
	}
	if err := os.WriteFile(folder.Gate(1), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := dojo(t, "", "verify", string(folder), "--training=false")
	if r.status != exitFailed || !strings.Contains(r.stdout, "gates/000001.jsonl is not the file that generation 1 lists") {
		t.Errorf("a changed gate: %+v", r)
	}
	if r := dojo(t, "", "verify", folder.Path("models", "start.safetensors")); r.status != exitUsage {
		t.Errorf("a model that no generation trained: %+v", r)
	}
}
