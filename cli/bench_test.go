package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"dojo.example/cli/bench"
	"dojo.example/model/kernel"
)

// The bench command prints a positive figure for each chosen benchmark, in a fixed output format.
func TestBench(t *testing.T) {
	out := done(t, "", "bench", "perft/tictactoe", "playout/tic", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []bench.Result{{Name: "perft/tictactoe", Unit: "nodes/s"}, {Name: "playout/tictactoe", Unit: "plies/s"}} {
		var m bench.Result
		if len(lines) != 2 {
			t.Fatalf("two benchmarks give %d lines", len(lines))
		}
		if err := json.Unmarshal([]byte(lines[i]), &m); err != nil || m.Value <= 0 {
			t.Errorf("%s: %v", lines[i], err)
		}
		m.Value, want.Kernels, want.Quant = 0, kernel.Name(), kernel.QuantName()
		if m != want {
			t.Errorf("line %d is %+v, want %+v", i, m, want)
		}
	}
}

// Each result is printed as soon as it is known. The test stops the command during the second
// benchmark and checks that the first result has already been printed.
func TestBenchPrintsAtOnce(t *testing.T) {
	for _, flags := range [][]string{nil, {"--json"}} {
		ctx, cancel := context.WithCancel(t.Context())
		out := &watched{word: "playout/tictactoe", seen: cancel}
		var stderr strings.Builder
		args := append([]string{"bench", "playout/tictactoe", "search/tictactoe"}, flags...)
		status := execute(ctx, args, strings.NewReader(""), out, &stderr)
		if status != exitFailed || strings.Contains(out.String(), "search/") || flags == nil && !strings.HasPrefix(out.String(), kernelNames()) || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: status %d, printed %q and %q", args, status, out, stderr.String())
		}
	}
}

// watched is a writer that calls seen whenever word occurs in a text that is written to it.
type watched struct {
	strings.Builder
	word string
	seen func()
}

func (w *watched) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.word) {
		w.seen()
	}
	return w.Builder.Write(p)
}
