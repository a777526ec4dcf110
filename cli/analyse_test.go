package cli

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo.example/internal/bounded"
)

// For every game, the printed analysis begins with the board and lists as many actions as --top
// requests. All lines except the one with the position fit into 80 columns.
func TestAnalyseTable(t *testing.T) {
	for _, game := range []string{"tictactoe", "onitama", "wallonitama", "patchwork", "oanquan"} {
		for _, model := range []string{checkpoint(t, game), sparseCheckpoint(t, game)} {
			out := done(t, "", "analyse", model, "--simulations", "60", "--top", "3", "--seed", "2")
			position := strings.Split(done(t, "", "rules", "show", game, "--seed", "2"), "\n\n")
			if !strings.HasPrefix(out, position[0]) {
				t.Errorf("%s: the board is not drawn:\n%s", game, out)
			}
			_, table, found := strings.Cut(out, "visits   prior   value  then\n")
			if lines := strings.Count(table, "\n"); !found || lines < 2 || lines > 3 {
				t.Errorf("%s: %d of 3 actions are shown:\n%s", game, lines, out)
			}
			_, long, _ := strings.Cut(done(t, "", "rules", "show", game, "start", "--seed", "2", "--json"), `"position":"`)
			long, _, _ = strings.Cut(long, `"`)
			for line := range strings.Lines(out) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > bounded.LineWidth && !strings.Contains(line, long) {
					t.Errorf("%s: a line of %d columns: %s", game, n, line)
				}
			}
		}
	}
}

// An interrupt stops the command immediately: during a search, while the command waits for queries,
// and while it cannot write because nobody reads its output.
func TestAnalyseIsInterrupted(t *testing.T) {
	model := checkpoint(t, "onitama")
	query := `{"id":"a","position":"bbBbb/...../...../...../wwWww 0 8,6 0,12 9","simulations":1000000}` + "\n"
	stuck, nobody := io.Pipe()
	defer stuck.Close()
	for name, c := range map[string]struct {
		stdin  string
		stdout io.Writer
		args   []string
	}{
		"a search":    {"", io.Discard, []string{"analyse", model, "--simulations", "1000000"}},
		"a query":     {query, io.Discard, []string{"analyse", model, "--json"}},
		"no query":    {"", io.Discard, []string{"analyse", model, "--json"}},
		"no listener": {strings.Repeat("nonsense\n", 10), nobody, []string{"analyse", model, "--json"}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		in, out := io.Pipe()
		go io.WriteString(out, c.stdin) // write this text to stdin, then leave stdin open
		ended := make(chan int)
		go func() { ended <- execute(ctx, c.args, in, c.stdout, io.Discard) }()
		time.Sleep(200 * time.Millisecond)
		cancel()
		select {
		case status := <-ended:
			if status != exitFailed {
				t.Errorf("%s: status %d after the interrupt", name, status)
			}
		case <-time.After(time.Minute):
			t.Errorf("%s: it does not end", name)
		}
		out.Close()
	}
}
