package cli

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dojo.example/internal/logs"
)

// shownOn runs f with a terminal and returns what the terminal showed.
func shownOn(t *testing.T, width int, f func(terminal io.Writer)) string {
	t.Helper()
	user, program := terminalPair(t, width)
	var s screen
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&s, user) // ends when the program's end of the terminal is closed
	}()
	f(program)
	program.Close()
	<-read
	return s.all()
}

// On a terminal, training shows a table and bars, and no line of a log. A flag turns them into a
// log.
func TestTrainOnATerminal(t *testing.T) {
	for _, format := range []string{"", "text"} {
		args := append([]string{"train", "tictactoe", "--run", filepath.Join(t.TempDir(), "run"), "--listen", "127.0.0.1:0"}, small...)
		if format != "" {
			args = append(args, "--log-format", format)
		}
		shown := shownOn(t, 100, func(terminal io.Writer) {
			if status := execute(t.Context(), args, strings.NewReader(""), io.Discard, terminal); status != exitDone {
				t.Errorf("%q: status %d", args, status)
			}
		})
		isTable := regexp.MustCompile(`done +games/s(?s:.*) 2/2 (?s:.*)complete; `).MatchString(shown)
		bars, isLog := strings.Contains(shown, "2/2 train") && strings.Contains(shown, "% |"), strings.Contains(shown, "level=")
		if screen := format == ""; isTable != screen || bars != screen || isLog == screen {
			t.Errorf("%q shows\n%s", args, shown)
		}
	}
}

// On a terminal, a long line of the log is cut to the width of the table. In a pipe it is not.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("avx", 60)
	shown := shownOn(t, 100, func(terminal io.Writer) {
		logs.New(terminal, "", logs.Options{}).Info("worker joined", "kernels", long)
		logs.New(terminal, "", logs.Options{Format: logs.Text}).Info("in full", "kernels", long)
	})
	short, full, _ := strings.Cut(shown, "in full")
	if !strings.Contains(short, "worker joined: kernels avxavx") || !strings.Contains(short, "…") || strings.Contains(short, long) || !strings.Contains(full, long) {
		t.Errorf("the terminal shows\n%s", shown)
	}
}
