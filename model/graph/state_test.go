package graph

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Training that is saved and restored halfway gives bit-identical results to uninterrupted
// training.
func TestResumeBitForBit(t *testing.T) {
	n := networks["3x3 conv"]
	path := filepath.Join(t.TempDir(), "state.safetensors")
	steps := func(x *Trainer, from, to int) {
		for i := from; i < to; i++ {
			if _, err := x.Step(fill(x, uint64(i)), 1e-3); err != nil {
				t.Fatal(err)
			}
		}
	}
	whole := trainer(t, n, config(8), 2)
	steps(whole, 0, 10)
	first := trainer(t, n, config(8), 1)
	steps(first, 0, 5)
	if err := first.Save(path, map[string]string{"note": "half way"}); err != nil {
		t.Fatal(err)
	}
	second := trainer(t, n, config(8), 2)
	meta, err := second.Restore(path)
	if err != nil || meta["note"] != "half way" || second.StepCount() != 5 {
		t.Fatalf("restored %v at step %d: %v", meta, second.StepCount(), err)
	}
	steps(second, 5, 10)
	if !reflect.DeepEqual(second.state(), whole.state()) {
		t.Error("five steps, a restart and five more differ from ten")
	}
}

func TestStateMistakes(t *testing.T) {
	x := trainer(t, networks["3x3 conv"], config(8), 1)
	dir := t.TempDir()
	path := filepath.Join(dir, "state.safetensors")
	if _, err := x.Restore(path); !os.IsNotExist(unwrap(err)) {
		t.Errorf("a missing state: %v", err)
	}
	if err := x.Save(path, nil); err != nil {
		t.Fatal(err)
	}
	other := trainer(t, networks["5x5 conv"], config(8), 1)
	if _, err := other.Restore(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("the state of another network: %v", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 7, 100, len(whole) - 1} {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Restore(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%d bytes of a state: %v", n, err)
		}
	}
}

func unwrap(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || os.IsNotExist(err) {
			return err
		}
		err = u.Unwrap()
	}
}
