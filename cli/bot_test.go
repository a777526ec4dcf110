package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dojo.example/engine"
)

// turn is one question that CodinGame's referee asked in a recorded game.
type turn struct {
	Player int
	In     []string
	Out    string
}

// dialogue returns a short game from the recorded transcripts of the referee.
func dialogue(t *testing.T) []turn {
	t.Helper()
	for line := range bytes.Lines(vectors(t, "codingame-transcripts.jsonl.gz")) {
		var game struct {
			Kind  string
			Plies int
			Turns []turn
		}
		if err := json.Unmarshal(line, &game); err != nil {
			t.Fatal(err)
		}
		if game.Kind == "random-vs-random" && game.Plies < 20 {
			return game.Turns
		}
	}
	t.Fatal("the transcripts hold no short game")
	return nil
}

// vectors reads and decompresses a file from the test data of package onitama.
func vectors(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "engine", "onitama", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestBotCodinGame gives the bot both players' questions from a recorded game, once with a limit on
// simulations and once with a time limit. Every answer must be in the referee's list of legal
// actions, and the bot must print nothing else.
func TestBotCodinGame(t *testing.T) {
	model := checkpoint(t, "onitama")
	for _, how := range [][]string{
		{"--simulations", "20"},
		{"--movetime", "3ms", "--first-movetime", "20ms"},
		{"--movetime", "1ns"},
	} {
		for player := range 2 {
			var stdin strings.Builder
			var lists [][]string
			for _, q := range dialogue(t) {
				if q.Player == player {
					stdin.WriteString(strings.Join(q.In, "\n") + "\n")
					lists = append(lists, q.In)
				}
			}
			out := done(t, stdin.String(), append([]string{"bot", model, "--protocol", "codingame"}, how...)...)
			answers := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if len(answers) != len(lists) {
				t.Fatalf("player %d: %d answers to %d questions: %q", player, len(answers), len(lists), out)
			}
			for i, a := range answers {
				if !slices.Contains(actionsOf(lists[i]), a) {
					t.Errorf("player %d, turn %d: answer %q is not on the referee's list", player, i, a)
				}
			}
		}
	}
}

// actionsOf returns the legal actions, which are listed at the end of a question.
func actionsOf(question []string) []string {
	for i, line := range question {
		if n := len(question) - 1 - i; n > 0 && line == strconv.Itoa(n) {
			return question[i+1:]
		}
	}
	return nil
}

func TestBotEndsWithinAQuestion(t *testing.T) {
	q := dialogue(t)[0].In
	r := dojo(t, strings.Join(q[:7], "\n")+"\n", "bot", checkpoint(t, "onitama"), "--protocol", "codingame")
	if r.status != exitFailed || r.stdout != "" {
		t.Errorf("half a question: status %d, stdout %q; want %d and nothing", r.status, r.stdout, exitFailed)
	}
	oneErrorLine(t, []string{"bot"}, r)
}

// By default the bot thinks for most of the time that the protocol allows per turn: 42 of 50 ms.
func TestShareOfTurn(t *testing.T) {
	for turn, want := range map[int]time.Duration{0: 42 * time.Millisecond, 50: 42 * time.Millisecond, 100: 84 * time.Millisecond} {
		if got := shareOf(engine.Protocol{Turn: turn}); got != want {
			t.Errorf("of %d ms a bot thinks for %v, want %v", turn, got, want)
		}
	}
}

// By default the bot thinks for most of the time that the referee allows for the first turn, which
// is one second.
func TestFirstTurn(t *testing.T) {
	second := engine.Protocol{FirstTurn: 1000}
	for _, c := range []struct {
		opt         botOptions
		protocol    engine.Protocol
		first, each time.Duration
	}{
		{botOptions{moveTime: 42 * time.Millisecond}, second, 800 * time.Millisecond, 42 * time.Millisecond},
		{botOptions{moveTime: 42 * time.Millisecond}, engine.Protocol{}, 42 * time.Millisecond, 42 * time.Millisecond},
		{botOptions{moveTime: 2 * time.Second}, second, 2 * time.Second, 2 * time.Second},
		{botOptions{moveTime: 42 * time.Millisecond, firstTime: 100 * time.Millisecond}, second, 100 * time.Millisecond, 42 * time.Millisecond},
		{botOptions{simulations: 200}, second, 0, 0},
	} {
		first, later := c.opt.budgets(c.protocol)
		if first.Time != c.first || later.Time != c.each || first.Visits != c.opt.simulations {
			t.Errorf("%+v: %+v and %+v", c.opt, first, later)
		}
	}
}
