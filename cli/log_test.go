package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// If other machines can connect to a training run, it still prints its table, and writes its log to
// a file in the run's folder.
func TestTrainLogs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	r := dojo(t, "", append([]string{"train", "tictactoe", "--run", dir, "--listen", "0.0.0.0:0", "--insecure"}, small...)...)
	if r.status != exitDone || !strings.Contains(r.stderr, "\n  warning: connections are not encrypted: ") && !strings.HasPrefix(r.stderr, "  warning: connections are not encrypted: ") {
		t.Errorf("train: status %d, %q", r.status, r.stderr)
	}
	if strings.Contains(r.stderr, "level=") {
		t.Errorf("stderr has a line of the log besides the table:\n%s", r.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "cluster", "log.txt"))
	if err != nil || !strings.Contains(string(text), `level=WARN msg="connections are not encrypted`) {
		t.Errorf("the log is %q, %v", text, err)
	}
}
