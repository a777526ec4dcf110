package graph

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"dojo.example/internal/golden"
	"dojo.example/internal/safetensors"
	"dojo.example/model"
)

// The results of training are bit-identical on every processor, for every kind of network. The test
// takes a few steps and hashes the losses, weights, moments and running averages. Then it
// calibrates the averaged network, and hashes the ranges and the outputs in 8 bits and in floats.
// CI runs the test on amd64 with all kernels and with GOAMD64=v3, on arm64 and in WebAssembly.
func TestBits(t *testing.T) {
	const batch = 9
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(networks)) {
		h := sha256.New()
		add := func(data any) {
			if err := binary.Write(h, binary.LittleEndian, data); err != nil {
				t.Fatal(err)
			}
		}
		n := networks[name]
		x := trainer(t, n, config(batch), 2)
		var b *Batch
		for i := range 3 {
			b = fill(x, uint64(i))
			losses, err := x.Step(b, 3e-3)
			if err != nil {
				t.Fatal(err)
			}
			for _, head := range slices.Sorted(maps.Keys(losses.Heads)) {
				add(losses.Heads[head])
			}
			add([]float32{losses.Entropy, losses.ValueError, losses.GradNorm})
		}
		for _, array := range slices.SortedFunc(slices.Values(x.state()), func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) }) {
			add(array.Data)
		}
		c := &model.Checkpoint{Network: n, Tensors: x.Average()}
		c.Calibrate(b.Input)
		add(c.Ranges)
		quant, err := model.NewNet8(c)
		if err != nil {
			t.Fatal(err)
		}
		for _, evaluator := range []model.Evaluator{quant, model.NewNet(c)} {
			e := played(b, n)
			if err := evaluator.Evaluate(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			add(e.Logits)
			add(e.Values)
		}
		fmt.Fprintf(&lines, "%s: %x\n", name, h.Sum(nil)[:8])
	}
	golden.Compare(t, "testdata/bits.txt", lines.String())
}
