package main

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What happens to workers is a short line beside the table of a training, and in full in a file.
func TestTableLogger(t *testing.T) {
	var screen bytes.Buffer
	file := filepath.Join(t.TempDir(), "cluster", "log.txt")
	log := (&app{stderr: &screen}).tableLogger(file)
	log.Debug("nobody sees this")
	log.Info("worker joined", "worker", "box-1", "kernels", strings.Repeat("avx", 40))
	log.With("worker", "box-1", "task", 7).Warn("a result was dropped", "error", errors.New("it is\nlate"))
	log.Error("a shard was wrong", "name", "\x1b[2J")
	want := "  worker joined: worker box-1, kernels " + strings.Repeat("avx", 13) + "a…\n" +
		"  warning: a result was dropped: worker box-1, task 7, error it is\\nlate\n" +
		"  error: a shard was wrong: name \\x1b[2J\n"
	if got := screen.String(); got != want {
		t.Errorf("the screen shows\n%swant\n%s", got, want)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if !strings.HasPrefix(line, "time=") || !strings.Contains(line, []string{strings.Repeat("avx", 40), "task=7", "level=" + slog.LevelError.String()}[i]) {
			t.Errorf("line %d of the file is %s", i, line)
		}
	}
}

// A training that others can reach keeps its table, and its log in the run's folder.
func TestTrainLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir, "--listen", "0.0.0.0:0", "--insecure"}, small...)...)
	if r.status != exitDone || !strings.Contains(r.stderr, "\n  warning: nothing is encrypted: ") && !strings.HasPrefix(r.stderr, "  warning: nothing is encrypted: ") {
		t.Errorf("train: status %d, %q", r.status, r.stderr)
	}
	if strings.Contains(r.stderr, "level=") {
		t.Errorf("a line of a log stands beside the table:\n%s", r.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt"))
	if err != nil || !strings.Contains(string(text), `level=WARN msg="nothing is encrypted`) {
		t.Errorf("the log is %q, %v", text, err)
	}
}
