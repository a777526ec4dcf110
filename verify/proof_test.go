package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/run"
	"dojo.example/verify"
)

// zipped is a folder as a zip, as a liar would make it.
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

// A model is checked by the proof of its run alone, and each lie is found: another model, another
// chain, and a chain whose hashes were all made anew, if its generations are trained again.
func TestProof(t *testing.T) {
	honest := run.Folder(filepath.Join(t.TempDir(), "honest"))
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
		return verify.Model(t.Context(), file, proof, verify.Options{Until: 5, Workers: 2, Report: silent{}})
	}
	if r, err := check(file, proof); err != nil || len(r.Faults) > 0 || r.Trained != 3 || r.Files != 1 {
		t.Errorf("of an honest model: %+v, %v", r, err)
	}

	other, err := os.ReadFile(honest.Model("000000"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := check(other, proof); err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0], "the model is not models/") {
		t.Errorf("of another model: %+v, %v", r, err)
	}

	// A liar trains with another seed's samples, and makes all hashes anew.
	f := run.Folder(filepath.Join(t.TempDir(), "false"))
	if err := os.CopyFS(string(f), os.DirFS(string(honest))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Shard(1, 2), other, 0o644); err != nil {
		t.Fatal(err)
	}
	reseal(t, f)
	proof, err = verify.Proof(f)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := check(file, proof); err != nil || len(r.Faults) != 1 || r.Trained != 1 || !strings.Contains(r.Faults[0], "generation 1 is not") {
		t.Errorf("of a false chain: %+v, %v", r, err)
	}

	for name, c := range map[string]struct {
		spoil func() error
		err   string
	}{
		"a record changed": {func() error {
			text, err := os.ReadFile(f.Record(1))
			if err != nil {
				return err
			}
			return os.WriteFile(f.Record(1), bytes.Replace(text, []byte(`"positions":`), []byte(`"positions":1`), 1), 0o644)
		}, "seal"},
		"the listing gone":       {func() error { return os.RemoveAll(f.Path("generations")) }, "generation"},
		"the configuration gone": {func() error { return os.Remove(f.ConfigPath()) }, "run.yaml"},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := check(file, zipped(t, string(f))); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.err)
		}
		if err := os.RemoveAll(string(f)); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(string(f), os.DirFS(string(honest))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := check(file, []byte("PK")); err == nil {
		t.Error("what is no zip is taken for a proof")
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := verify.Model(stopped, file, proof, verify.Options{Until: 5, Workers: 2, Report: silent{}}); err == nil {
		t.Error("nobody heard that it was to stop")
	}
}
