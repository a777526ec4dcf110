package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		s := Solving{Remarks: new(strings.Builder)}
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
