package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A tuning whose file is cut off behind an iteration goes on to the same constants; another one
// does not touch the file.
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
	for want, changed := range map[string][]string{
		"is of another tuning":  append(args, "--seed", "2"),
		"is none of cpuct":      {"tune", "box:tictactoe", "--constants", "sims", "-o", path},
		"not between 0.3 and 8": {"tune", "box:tictactoe", "--constants", "cpuct=9", "-o", path},
		"stands there twice":    {"tune", "box:tictactoe", "--constants", "cpuct,cpuct", "-o", path},
		"is not a number":       {"tune", "box:tictactoe", "--constants", "cpuct=x", "-o", path},
		"no such file or":       {"tune", "nothing.safetensors", "-o", path},
		"--output is missing":   {"tune", "box:tictactoe"},
		"--games 3 is odd":      {"tune", "box:tictactoe", "--games", "3", "-o", path},
		"1 is less than 2":      {"tune", "box:tictactoe", "--iterations", "1", "-o", path},
	} {
		if r := dojo(t, "", changed...); r.status == exitDone || !strings.Contains(r.stderr, want) {
			t.Errorf("dojo %q: status %d, %q; want %q", changed, r.status, r.stderr, want)
		}
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, whole) {
		t.Error("a refused command changed the file")
	}
}
