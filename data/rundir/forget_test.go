package rundir_test

import (
	"os"
	"slices"
	"testing"

	"dojo.example/data/rundir"
)

// A run that may later go back to an earlier generation keeps the trainer states of some
// generations.
func TestForgetKeepsSome(t *testing.T) {
	for every, want := range map[int][]int{0: {9, 10}, 4: {3, 7, 9, 10}} {
		f := rundir.Folder(t.TempDir())
		lock, err := f.LockStages()
		if err != nil {
			t.Fatal(err)
		}
		for g := range 11 {
			if err := os.WriteFile(f.TrainerState(g), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Forget(8, every); err != nil {
			t.Fatal(err)
		}
		var kept []int
		for g := range 11 {
			if _, err := os.Stat(f.TrainerState(g)); err == nil {
				kept = append(kept, g)
			}
		}
		if !slices.Equal(kept, want) {
			t.Errorf("every %d: kept are the states of %v, want %v", every, kept, want)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
