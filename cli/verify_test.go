package cli

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/cli/verify"
	"dojo.example/data/rundir"
)

// The verb verify finds no faults in an unchanged run. If a file was changed, it names that file.
// It never writes to the run's folder.
func TestVerify(t *testing.T) {
	folder := rundir.Folder(trained(t))
	before := snapshot(t, string(folder))
	if out := done(t, "", "verify", string(folder), "--shards", "100%"); !strings.Contains(out, "no differences") {
		t.Errorf("verify says %q", out)
	}
	one := decode[verify.Result](t, done(t, "", "verify", folder.Model("000000"), "--training=false", "--seed", "3", "--json"))
	if len(one) != 1 || one[0].Generations != 1 || one[0].Trained != 0 || one[0].Drawn != 3 || one[0].Shards.Checked != 1 {
		t.Errorf("the first model: %+v", one)
	}
	best, err := folder.BestModel()
	if err != nil {
		t.Fatal(err)
	}
	bot := filepath.Join(t.TempDir(), "bot.safetensors")
	copyFile(t, best, bot)
	if r := dojo(t, "", "verify", bot); r.status != exitFailed || !strings.Contains(r.stderr, "has no proof") {
		t.Errorf("a model without a proof: %+v", r)
	}
	proof := strings.TrimSuffix(bot, ".safetensors") + ".proof.zip"
	done(t, "", "verify", string(folder), "-o", proof)
	if out := done(t, "", "verify", bot, "--generations", "1"); !strings.HasPrefix(out, "checked      1 of 2 generations retrained; the rest is not proven\n") || !strings.Contains(out, "no differences") {
		t.Errorf("a model with a proof: %s", out)
	}
	if err := os.WriteFile(bot, []byte("no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := dojo(t, "", "verify", bot); r.status != exitFailed {
		t.Errorf("a file that is no model with the proof: %+v", r)
	}
	copyFile(t, folder.Model("000000"), bot)
	if r := dojo(t, "", "verify", bot, "--generations", "0"); r.status != exitFailed || !strings.Contains(r.stdout, "the model differs from models/") {
		t.Errorf("another model with the proof: %+v", r)
	}
	if !maps.Equal(snapshot(t, string(folder)), before) {
		t.Error("verify changed the run")
	}
	if err := os.WriteFile(folder.Gate(1), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r := dojo(t, "", "verify", string(folder), "--training=false")
	if r.status != exitFailed || !strings.Contains(r.stdout, "gates/000001.jsonl differs from the file that generation 1 lists") {
		t.Errorf("a changed gate: %+v", r)
	}
	if r := dojo(t, "", "verify", folder.Path("models", "start.safetensors")); r.status != exitUsage {
		t.Errorf("a model that no generation trained: %+v", r)
	}
}

// If files are missing, the report begins with their names, the exit status is 1, and no proof is
// written. With --allow-missing, the report begins with the amount that was checked.
func TestVerifyMissing(t *testing.T) {
	folder := rundir.Folder(trained(t))
	if err := os.Remove(folder.Shard(0, 0)); err != nil {
		t.Fatal(err)
	}
	proof := filepath.Join(t.TempDir(), "x.proof.zip")
	r := dojo(t, "", "verify", string(folder), "--shards", "100%", "-o", proof)
	if _, err := os.Stat(proof); r.status != exitFailed || err == nil || strings.Contains(r.stdout, "no differences") ||
		!strings.HasPrefix(r.stdout, "missing      samples/gen-000000/shard-000000.parquet: ") || !strings.Contains(r.stderr, "--allow-missing") {
		t.Errorf("a shard is missing: %+v", r)
	}
	out := done(t, "", "verify", string(folder), "--shards", "100%", "--allow-missing", "-o", proof)
	if _, err := os.Stat(proof); err != nil || !strings.HasPrefix(out, "checked ") || !strings.Contains(out, "0 of 2 trainings\nmissing      samples/gen-000000/shard-000000.parquet") {
		t.Errorf("with --allow-missing: %s, %v", out, err)
	}
	r = dojo(t, "", "verify", string(folder), "--shards", "100%", "--json")
	all := decode[map[string]any](t, r.stdout)
	for _, key := range []string{"model", "checked", "of", "wrong", "confidence", "missing"} {
		if len(all) != 1 || all[0][key] == nil {
			t.Errorf("%s has no %q", r.stdout, key)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
