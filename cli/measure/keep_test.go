package measure

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dojo.example/internal/console"
)

const (
	positions = "2252576253462244111563365343671351441 -1\n23163416124767223154467471272416755633 0\n233377345754465174223731671122611552\n"
	keepers   = "2252576253462244111563365343671351441 -1 fg 2\n23163416124767223154467471272416755633 0 c 2\n233377345754465174223731671122611552 1 de 3\n"
)

// KeepColumns continues a file after any number of bytes, as a killed process leaves it.
func TestKeepContinues(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "positions.txt"), filepath.Join(folder, "positions.keep")
	if err := os.WriteFile(from, []byte(positions), 0o644); err != nil {
		t.Fatal(err)
	}
	for written := range len(keepers) + 1 {
		if err := os.WriteFile(to, []byte(keepers[:written]), 0o644); err != nil {
			t.Fatal(err)
		}
		s := Solving{Remarks: new(strings.Builder), Workers: 1 + written%3}
		if err := s.KeepColumns(t.Context(), from, to); err != nil {
			t.Fatalf("after %d bytes: %v", written, err)
		}
		if got, err := os.ReadFile(to); err != nil || string(got) != keepers {
			t.Fatalf("after %d bytes: %q, %v; want %q", written, got, err, keepers)
		}
	}
}

// An interrupt leaves only whole lines.
func TestKeepIsInterrupted(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "positions.txt"), filepath.Join(folder, "positions.keep")
	if err := os.WriteFile(from, []byte("23163416124767223154467471272416755633 0\n44\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := Solving{Remarks: new(strings.Builder)}
	if err := s.KeepColumns(ctx, from, to); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted, it returns %v", err)
	}
	if got, err := os.ReadFile(to); err != nil || len(got) > 0 && !strings.HasSuffix(string(got), "\n") || strings.Contains(string(got), "44 ") {
		t.Errorf("interrupted, it writes %q, %v", got, err)
	}
}

// The results have the order of the positions, for any number of workers. The first position takes
// longer than the others. An error of Each ends the solving.
func TestPositionsAreSolvedInOrder(t *testing.T) {
	list := []string{"44444455555566"}
	for range 20 {
		list = append(list, strings.Fields(positions)[0], strings.Fields(positions)[2])
	}
	solve := func(workers, most int) (texts []string, err error) {
		s := Solving{Workers: workers, Each: func(r console.Report) error {
			if len(texts) == most {
				return io.ErrShortWrite
			}
			texts = append(texts, r.Text)
			return nil
		}}
		return texts, s.SolveConnectFour(t.Context(), ConnectFour{Positions: list, Results: true})
	}
	want, err := solve(1, len(list))
	if err != nil || len(want) != len(list) {
		t.Fatalf("%d results, %v", len(want), err)
	}
	for _, workers := range []int{2, 5} {
		if got, err := solve(workers, len(list)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d workers: %q, %v; want %q", workers, got, err, want)
		}
		if got, err := solve(workers, 3); !errors.Is(err, io.ErrShortWrite) || !slices.Equal(got, want[:3]) {
			t.Errorf("%d workers, the fourth result cannot be written: %q, %v", workers, got, err)
		}
	}
}
