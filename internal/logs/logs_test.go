package logs

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An event on a worker is logged as a short line on the screen, and as a record with all its
// attributes in the file.
func TestNew(t *testing.T) {
	var screen bytes.Buffer
	file := filepath.Join(t.TempDir(), "cluster", "log.txt")
	log := New(&screen, file, Options{})
	log.Debug("nobody sees this")
	log.Info("worker joined", "worker", "box-1", "kernels", strings.Repeat("avx", 40))
	log.With("worker", "box-1", "task", 7).Warn("a result was dropped", "error", errors.New("it is\nlate"))
	log.Error("a shard was wrong", "name", "\x1b[2J")
	want := "  worker joined: worker box-1, kernels " + strings.Repeat("avx", 40) + "\n" +
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
