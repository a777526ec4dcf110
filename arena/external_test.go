package arena

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// script returns a player that runs lines as a shell script.
func script(t *testing.T, game engine.Game, protocol, lines string, c *Clock) Player {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "a program")
	if err := os.WriteFile(path, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := External(game, protocol+"sh '"+path+"'", c)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Make()
	p.NewGame(1)
	return p
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                             nil,
		" a  b\t":                      {"a", "b"},
		`'my bot' -x "it's" ""`:        {"my bot", "-x", "it's", ""},
		`C:\bots\a.exe --x=' y'z`:      {`C:\bots\a.exe`, "--x= yz"},
		`sh -c 'read x; echo a > b' &`: {"sh", "-c", "read x; echo a > b", "&"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("words(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
	if got, err := splitWords("a 'b"); err == nil {
		t.Errorf("an open quote gives %q", got)
	}
}

// An answer that is too long is rejected, and the error does not quote all of it.
func TestAnswerWithoutEnd(t *testing.T) {
	for says, lines := range map[string]string{
		"the line has more than":      "tr '\\0' x < /dev/zero",
		strings.Repeat("x", 80) + "…": "read p; head -c 60000 /dev/zero | tr '\\0' x; echo; read p",
	} {
		p := script(t, board, "", lines, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := p.Choose(ctx, board.Start(nil))
		if cancel(); err == nil || !strings.Contains(err.Error(), says) || len(err.Error()) > 500 {
			t.Errorf("%s: the error is %.500v, want %s in it", lines, err, says)
		}
	}
}

// With the codingame protocol, a blank and a message may follow the move, as CodinGame's referee
// allows. A trailing blank without a message is an error (rule 7 in engine/onitama/rules.md). With
// the text protocol, an answer contains only an action.
func TestMessageBehindTheMove(t *testing.T) {
	game := onitama.Classic.Game()
	start, err := game.Parse("bbBbb/...../...../...../wwWww 0 8,6 0,12 9")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		protocol, answer string
		ok               bool
	}{
		{"codingame:", "6 C1C2 hello", true}, {"codingame:", "6 c1c2", true}, {"codingame:", "6 C1C2 ", false},
		{"codingame:", "hello", false}, {"", "6 C1C2 hello", false}, {"", "6 C1C2 ", true},
	} {
		p := script(t, game, c.protocol, fmt.Sprintf("read x; echo '%s'; cat >/dev/null", c.answer), nil)
		a, err := p.Choose(t.Context(), start)
		if (err == nil) != c.ok || c.ok && start.ActionString(a) != "6 C1C2" {
			t.Errorf("%s%q: action %d, %v; want it accepted: %v", c.protocol, c.answer, a, err, c.ok)
		}
	}
}

// Killing a program also kills the processes that it has started.
func TestKilledWithItsChildren(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "child")
	p := script(t, board, "", fmt.Sprintf("sleep 300 & echo $! > '%s'; wait", path), &Clock{Turn: 300 * time.Millisecond})
	if _, err := p.Choose(t.Context(), board.Start(nil)); err == nil {
		t.Fatal("a program that says nothing has answered")
	}
	gone(t, path)
}

// When a match returns, all its programs have exited, even those that ignore the end of their
// input. The processes that these programs started have exited too.
func TestProgramsEndWithTheMatch(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip(err)
	}
	for name, lines := range map[string]string{
		"it ignores the end of its input": `echo $$ > '%s'; while true; do read p && echo "$p" | tr -d x | cut -c1 >/dev/null; echo a1; sleep 0.01; done`,
		"it leaves a child behind":        `sleep 300 >/dev/null & echo $! > '%s'; while read p; do echo a1; done`,
	} {
		path := filepath.Join(t.TempDir(), "process")
		bot, err := External(board, "sh -c "+quoted(fmt.Sprintf(lines, path)), &Clock{Turn: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		bot.Player = name
		if _, err := Match(t.Context(), Options{Game: board, A: bot, B: Random(), Games: 2, Workers: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		gone(t, path)
	}
}

// quoted returns a text in quotes, as one word of a program's command line.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `'"'"'`) + `"` }

// number reads a process id from a file.
func number(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ended reports whether a process no longer exists or is a zombie.
func ended(process int) bool {
	state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	return err != nil || strings.Contains(string(state), ") Z ")
}

// gone waits until the process whose id is in the file at path has exited.
func gone(t *testing.T, path string) {
	t.Helper()
	child := number(t, path)
	for range 100 {
		if ended(child) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d, which the program started, is still there", child)
}
