package kernel

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// If the environment variable names a level, that level must be in use. This test ensures that a
// test run meant for the level relaxed does not silently test other kernels.
func TestLevelAskedFor(t *testing.T) {
	if want := os.Getenv(Environment); cmp.Or(want, QuantName()) != QuantName() {
		t.Errorf("%s asks for %s, which this engine lacks or computes wrong; in use is %s", Environment, want, QuantName())
	}
}

// The modules can still access the memory of the Go program after this memory has grown and moved.
func TestMemoryGrows(t *testing.T) {
	levels(t, func(t testing.TB) {
		run := func() []float32 {
			rng := rand.New(rand.NewPCG(1, 1))
			q := NewConv8(5, 5, 32, 32, 3)
			q.Pack(random(rng, 9*32*32), random(rng, 32), positive(rng, 32))
			got := make([]float32, 25*32)
			q.Run(&Output{Floats: got}, activations(rng, 25*32), nil, 1, false)
			return got
		}
		before := run()
		for range 3 {
			grown = append(grown, make([]byte, 48<<20))
			if !slices.Equal(run(), before) {
				t.Fatal("after the memory has grown a layer has other results")
			}
		}
		grown = nil
	})
}

var grown [][]byte
