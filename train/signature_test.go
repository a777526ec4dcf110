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

// A small fixed training gives the same bytes on every processor: two
// generations of shards, models, trainer's tensors and metrics. CI compares them on
// amd64 (with vector kernels, portable ones, and GOAMD64=v3) and arm64. A commit
// that is to change no bytes quotes the line in its message:
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

// hash is short and of files with their names.
func hash(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(name), len(files[name]))
		h.Write(files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
