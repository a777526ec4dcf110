package train_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"dojo.example/data/rundir"
	"dojo.example/internal/golden"
	"dojo.example/train"
)

// TestSignature trains a small run of two generations and compares a hash of its files with the
// expected one: shards, models, the tensors of trainer states, and metrics. CI runs it on amd64
// (with vector kernels, with portable kernels, and with GOAMD64=v3) and on arm64. If a commit must
// not change any bytes, its message quotes the line that this command prints:
//
//	go test ./train -run TestSignature -v
func TestSignature(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	opt, err := tiny(dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	opt.Train.Generations = 2
	r, err := train.Open(opt)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Loop(t.Context()); err != nil {
		t.Fatal(err)
	}
	metrics, err := train.ReadMetrics(rundir.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	nodes := 0
	for _, m := range metrics {
		nodes += int(math.Round(m.SimulationsPerSecond * m.SelfplaySeconds))
	}
	line := fmt.Sprintf("Bench: %d nodes %s\n", nodes, hash(results(t, dir)))
	t.Log(line)
	golden.Compare(t, "testdata/signature.txt", line)
}

// hash returns a short hash of the names and the contents of files.
func hash(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(name), len(files[name]))
		h.Write(files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
