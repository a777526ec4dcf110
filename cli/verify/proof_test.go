package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/cli/verify"
	"dojo.example/data/rundir"
	"dojo.example/model"
)

// zipped packs a folder into a zip file, as a forger of a proof would.
func zipped(t *testing.T, folder string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A model can be checked with the proof of its run, without the run's folder. The check detects the
// wrong model, the wrong chain and a file that is not a model of the run. It also detects a false
// chain with matching hashes, if it retrains the false generations.
func TestProof(t *testing.T) {
	honest := rundir.Folder(filepath.Join(t.TempDir(), "honest"))
	small(t, honest)
	best, err := honest.BestModel()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(best)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := verify.Proof(honest)
	if err != nil {
		t.Fatal(err)
	}
	if len(proof) > 20_000 {
		t.Errorf("the proof has %d bytes", len(proof))
	}
	check := func(file, proof []byte) (verify.Result, error) {
		return verify.Model(t.Context(), file, proof, verify.Options{Until: 3, Workers: 2, Report: silent{}})
	}
	r, err := check(file, proof)
	if err != nil || len(r.Faults) > 0 || r.Trained != 3 || r.Files != 1 || r.Confidence != 1 || len(r.Unchecked) != 1 {
		t.Errorf("of an honest model: %+v, %v", r, err)
	}

	other, err := os.ReadFile(honest.Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := check(other, proof); err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "the model differs from models/") {
		t.Errorf("of another model: %+v, %v", r, err)
	}

	if r, err := verify.Model(t.Context(), file, proof, verify.Options{Until: 4, Workers: 2, Report: silent{}}); err != nil || len(r.Missing) != 1 || !strings.Contains(r.Missing[0], "generation 3") || r.Trained != 0 {
		t.Errorf("of more generations than there are: %+v, %v", r, err)
	}
	if r, err := verify.Model(t.Context(), file, proof, verify.Options{Until: 2, Workers: 2, Report: silent{}}); err != nil || r.Trained != 2 || r.Of != 3 || r.Confidence != 0 || !strings.Contains(strings.Join(r.Unchecked, "\n"), "losses and statistics of the games of 1 generations") {
		t.Errorf("of two generations: %+v, %v", r, err)
	}

	// This forger trains on the samples of another seed and then updates all hashes.
	f := again(t, honest)
	if err := os.WriteFile(f.Shard(1, 2), other, 0o644); err != nil {
		t.Fatal(err)
	}
	reseal(t, f)
	proof, err = verify.Proof(f)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := check(file, proof); err != nil || len(r.Faults) != 1 || r.Trained != 1 || !strings.Contains(r.Faults[0], "generation 1 differs") {
		t.Errorf("of a false chain: %+v, %v", r, err)
	}

	for name, c := range map[string]struct {
		// spoil forges the run and returns the content of the model's file.
		spoil func(t *testing.T, f rundir.Folder) []byte
		err   string
		fault string
	}{
		"a record changed": {func(t *testing.T, f rundir.Folder) []byte {
			text, err := os.ReadFile(f.Record(1))
			if err == nil {
				err = os.WriteFile(f.Record(1), bytes.Replace(text, []byte(`"positions":`), []byte(`"positions":1`), 1), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			return file
		}, "seal", ""},
		"no model": {func(t *testing.T, f rundir.Folder) []byte {
			text := []byte("not a model")
			if err := os.WriteFile(f.Model(r.Best), text, 0o644); err != nil {
				t.Fatal(err)
			}
			reseal(t, f)
			return text
		}, "not a safetensors file", ""},
		"a model of another run": {func(t *testing.T, f rundir.Folder) []byte {
			c, err := model.Load(f.Model(r.Best))
			if err != nil {
				t.Fatal(err)
			}
			c.Seed++
			if err := c.Save(f.Model(r.Best)); err != nil {
				t.Fatal(err)
			}
			reseal(t, f)
			text, err := os.ReadFile(f.Model(r.Best))
			if err != nil {
				t.Fatal(err)
			}
			return text
		}, "", "the model says that it is " + r.Best + " of seed 2"},
		"a false loss": {func(t *testing.T, f rundir.Folder) []byte {
			edit(t, f, 1, `"policy_loss":[^,]*`, `"policy_loss":0.01`)
			return file
		}, "", "the record of generation 1 differs from the results of training from nothing: fit.policy_loss is 0.01, not"},
		"false points of the ladder": {func(t *testing.T, f rundir.Folder) []byte {
			edit(t, f, 0, `"points":[^,}]*`, `"points":15.5`)
			return file
		}, "", "the record of generation 0 has 15.5 points in 16 games against uniform, but the match gives"},
		"the listing gone": {func(t *testing.T, f rundir.Folder) []byte {
			if err := os.RemoveAll(f.Path("generations")); err != nil {
				t.Fatal(err)
			}
			return file
		}, "generation", ""},
		"the configuration gone": {func(t *testing.T, f rundir.Folder) []byte {
			if err := os.Remove(f.ConfigPath()); err != nil {
				t.Fatal(err)
			}
			return file
		}, "run.yaml", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := again(t, honest)
			file := c.spoil(t, f)
			got, err := check(file, zipped(t, string(f)))
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Fatalf("the error is %v, want %q", err, c.err)
			}
			if err == nil && (len(got.Faults) != 1 || !strings.HasPrefix(got.Faults[0], c.fault)) {
				t.Errorf("the faults are %q, want %q", got.Faults, c.fault)
			}
		})
	}
	if _, err := check(file, []byte("PK")); err == nil {
		t.Error("what is no zip is taken for a proof")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := verify.Model(stopped, file, proof, verify.Options{Until: 3, Workers: 2, Report: silent{}}); err == nil {
		t.Error("nobody heard that it was to stop")
	}
}
