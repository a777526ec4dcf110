package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dojo.example/internal/bounded"
	"dojo.example/play/analysis"
)

// The table of every game fits 80 columns, except the line with the position; it
// begins with the board and shows as many actions as are asked for.
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

// A game is analysed from its usual start unless --seed or a position says otherwise.
func TestAnalyseBegins(t *testing.T) {
	const usual = `"position":"10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0"`
	model := sparseCheckpoint(t, "oanquan")
	for _, c := range []struct {
		args  []string
		usual bool
	}{
		{[]string{"usual"}, true}, {[]string{"start", "--seed", "2"}, false},
	} {
		out := done(t, "", append([]string{"analyse", model, "--simulations", "5", "--json"}, c.args...)...)
		if begins := strings.Contains(out, usual); begins != c.usual {
			t.Errorf("analyse %q begins with the usual start: %v, want %v: %s", c.args, begins, c.usual, out)
		}
	}
	if out := done(t, "", "analyse", model, "--simulations", "5"); !strings.Contains(out, "10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0\n") {
		t.Errorf("without a position is analysed:\n%s", out)
	}
}

// What is proven is marked, finished games are said to be over, and actions are played
// before the search.
func TestAnalysePositions(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"xx.oo....", "--simulations", "100"}, []string{"first to move, value +1.00! for first", "model tiny: the game is proven", "+1.00!", "\nc3 "}},
		{[]string{"xx.oo....", "c3"}, []string{"over: first wins"}},
		{[]string{".........", "a1", "--movetime", "1ms"}, []string{"second to move", "the time is over"}},
		{[]string{".........", "--json", "--top", "2", "--simulations", "30"}, []string{`{"id":"","game":"tictactoe","position":".........","to_move":"first","outcome":"ongoing","value":`}},
	} {
		out := done(t, "", append([]string{"analyse", model}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("analyse %q prints\n%s, want %q", c.args, out, want)
			}
		}
	}
}

// Without a model, with the wrong one, and in a wrong position, analyse and review say so
// in one line.
func TestAnalyseMistakes(t *testing.T) {
	model, dir := checkpoint(t, "tictactoe"), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	record := file("record", "# dojo: a game of tictactoe\n.........\na1\nb1\n")
	for _, c := range []struct {
		args   []string
		want   string
		status int
	}{
		{[]string{"analyse"}, "a MODEL is missing, or --game", exitUsage},
		{[]string{"analyse", "--game", "oanquan-traditional"}, "no model of oanquan-traditional comes with this program: name a MODEL", exitFailed},
		{[]string{"analyse", "--game", "oanquan-traditional", "start"}, "no model of oanquan-traditional comes with this program", exitFailed},
		{[]string{"analyse", "box:chess"}, "no model of chess comes with this program", exitFailed},
		{[]string{"analyse", "--game", "chess"}, `"chess"`, exitUsage},
		{[]string{"analyse", "--game", "onitama", model}, "model tiny plays tictactoe, not onitama", exitFailed},
		{[]string{"analyse", model, "--movetime", "2h"}, "--movetime 2h0m0s is more than 1h0m0s", exitUsage},
		{[]string{"analyse", model, "--simulations", "0"}, "--simulations 0 is less than 1", exitUsage},
		{[]string{"analyse", model, "xxx"}, `"xxx"`, exitFailed},
		{[]string{"analyse", model, ".........", "a1", "a1"}, "action 2", exitFailed},
		{[]string{"analyse", model, ".........", "--seed", "3"}, "--seed deals", exitUsage},
		{[]string{"review", record, "box:onitama"}, "model box:onitama plays onitama, not tictactoe", exitFailed},
		{[]string{"review", file("bare", ".........\na1\n")}, "a MODEL is missing, or --game", exitUsage},
		{[]string{"review", filepath.Join(dir, "none"), model}, "none", exitFailed},
		{[]string{"review", file("empty", ".........\n"), model}, "nothing is played in it", exitFailed},
		{[]string{"review", file("wrong", ".........\na1\na1\n"), model}, "action 2", exitFailed},
		{[]string{"review", file("other", "# dojo: a game of onitama\nx"), model}, "model tiny plays tictactoe, not onitama", exitFailed},
	} {
		r := dojo(t, "", c.args...)
		if r.status != c.status || !strings.Contains(r.stderr, c.want) {
			t.Errorf("dojo %q: status %d, %q, want %d and %q", c.args, r.status, r.stderr, c.status, c.want)
		}
		oneErrorLine(t, c.args, r)
	}
}

// With --json queries are answered by the model, those of other games with an error.
func TestAnalyseQueries(t *testing.T) {
	queries := `{"id":"a","position":".........","simulations":20,"top":1}
{"id":"b","game":"onitama","position":"x"}
{"id":"c","game":"tictactoe","position":"x........"}
`
	out := done(t, queries, "analyse", checkpoint(t, "tictactoe"), "--json", "--simulations", "7")
	if n := strings.Count(out, "\n"); n != 3 || !strings.Contains(out, `{"id":"b","error":"game: model tiny plays tictactoe, not onitama"}`) ||
		!strings.Contains(out, `"visits":20,`) || !strings.Contains(out, `"visits":7,`) {
		t.Errorf("answers are\n%s", out)
	}
	queries += `{"id":"d","game":"oanquan-traditional","position":"x"}` + "\n"
	if out := done(t, queries, "analyse", "--json"); !strings.Contains(out, `{"id":"d","error":"no model of oanquan-traditional comes with this program: name a MODEL"}`) ||
		!strings.Contains(out, `{"id":"c","game":"tictactoe","position":"x........","to_move":"second","outcome":"ongoing",`) ||
		!strings.Contains(out, `{"id":"a","error":"game: it is missing"}`) {
		t.Errorf("without a model named answers are\n%s", out)
	}
}

// An interrupt ends a search and an engine that waits, for queries or for somebody to
// read its answers, at once.
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
		go io.WriteString(out, c.stdin) // and then nothing, without an end
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

// A review shows every action, marks the bad ones and counts them; with --json a line an
// action.
func TestReview(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record")
	if err := os.WriteFile(path, []byte("# dojo: a game of tictactoe\nxx.oo....\na1\nb1\nc3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"review", path, checkpoint(t, "tictactoe"), "--simulations", "2000"}
	want := `tictactoe, 3 actions, reviewed by model tiny
      player  action   value       loss  better
   1  first   a1       -1.00  ??  2.00!  c3
   2  second  b1       +1.00  ??  2.00!  c2
   3  first   c3       +1.00

first   ?? 1, ? 0, ?! 0 in 2 actions; mean loss 1.000
second  ?? 1, ? 0, ?! 0 in 1 actions; mean loss 2.000
`
	if got := done(t, "", args...); got != want {
		t.Errorf("the review is\n%s, want\n%s", got, want)
	}
	all := decode[analysis.Reviewed](t, done(t, "", append(args, "--json")...))
	if len(all) != 3 || all[0].Ply != 1 || all[0].Loss != 2 || all[0].Mark != "??" || !all[0].Exact || all[2].Mark != "" {
		text, _ := json.Marshal(all)
		t.Errorf("in JSON it is %s", text)
	}
}
