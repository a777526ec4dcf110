package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If a tuning's file has only the first iterations, the tuning continues after them and finds the
// same constants.
func TestTune(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tune.jsonl")
	args := []string{"tune", "box:tictactoe", "--constants", "cpuct=6,fpu_reduction", "--iterations", "6", "--games", "4", "--simulations", "8", "-o", path}
	first := done(t, "", append(args, "--workers", "2")...)
	if !strings.Contains(first, "cpuct") || !strings.Contains(first, "box:tictactoe#cpuct=6#fpu_reduction=0.18:8") {
		t.Errorf("it prints %q", first)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(lines[:4], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := done(t, "", append(args, "--workers", "1")...); again != first {
		t.Errorf("continued, it prints %q, not %q", again, first)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("continued, the file differs: %v\n%s\n%s", err, got, whole)
	}
}
