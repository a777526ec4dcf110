package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// solvedLine is a tic-tac-toe position with a value for each action.
const solvedLine = `{"pos":"xx.oo....","moves":{"c3":"W1","c2":"H","a1":"L2","b1":"L2","c1":"D"}}` + "\n"

// If a verb waits for a pipe whose other end nobody has opened, an interrupt still stops it.
func TestPipesAreInterrupted(t *testing.T) {
	model, dir := checkpoint(t, "tictactoe"), t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"export", model, "--as", "onnx", "-o", pipe},
		{"export", model, "-o", pipe},
		{"evaluate", "--player", "random", "--game", "tictactoe", "--solved", pipe},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		interrupt()
		var stdout, stderr bytes.Buffer
		status := execute(ctx, args, strings.NewReader(""), &stdout, &stderr)
		if status != exitFailed || !strings.HasPrefix(stderr.String(), "dojo: interrupted") {
			t.Errorf("%v: status %d, %q", args, status, stderr.String())
		}
	}
}

// Solved positions can come from a pipe, but not from a device.
func TestSolvedFromPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(pipe, []byte(solvedLine), 0o600) }()
	args := []string{"evaluate", "--player", "random", "--game", "tictactoe", "--json", "--solved"}
	if out := done(t, "", append(args, pipe)...); !strings.Contains(out, `"positions":1`) {
		t.Errorf("through a pipe: %s", out)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
	if r := dojo(t, "", append(args, "/dev/zero")...); r.status != exitFailed || !strings.Contains(r.stderr, "not a regular file but a device") {
		t.Errorf("from a device: %+v", r)
	}
}
