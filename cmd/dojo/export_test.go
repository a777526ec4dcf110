package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dojo/arena"
	library "dojo/bot"
)

// TestExportedBinary builds the program, lets it export a bot, and runs that.
func TestExportedBinary(t *testing.T) {
	dir := t.TempDir()
	name := func(base string) string {
		if runtime.GOOS == "windows" {
			base += ".exe"
		}
		return filepath.Join(dir, base)
	}
	program, bot, again := name("dojo"), name("bot"), name("again")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	execute := func(stdin, program string, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Stdin = strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %q: %v: %s", filepath.Base(program), args, err, stderr.String())
		}
		return string(out)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}

	first, second := checkpoint(t, "tictactoe"), checkpoint(t, "onitama")
	if got := execute("", program, "export", first, "--as", "binary", "-o", bot, "--json"); !strings.Contains(got, `"game":"tictactoe","model":"tiny","hash":"`) {
		t.Errorf("export --json prints %q", got)
	}
	if got := execute("xx.oo....\n", bot, "--simulations", "100"); got != "c3\n" {
		t.Errorf("with a win in one at c3, the exported bot answers %q", got)
	}
	if got := execute("xx.oo....\n", bot, "--simulations", "100", "--protocol", "text"); got != "c3\n" {
		t.Errorf("told its protocol, the exported bot answers %q", got)
	}
	if got := execute("quit\n", bot, "play"); !strings.Contains(got, "3 ...") {
		t.Errorf("the exported program's play shows %q, want its game's board", got)
	}
	if got := execute("", bot, "rules", "perft", "tictactoe", "start", "2"); got != "72\n" {
		t.Errorf("the exported program counts %q, want 72", got)
	}
	r := decode[arena.Summary](t, done(t, "", "match", "cmd:"+bot+" --simulations 50", "random", "--game", "tictactoe", "--games", "4", "--json"))[0]
	if r.Games != 4 || r.Wins <= r.Losses {
		t.Errorf("the exported bot as an external player against random: %+v, want it ahead", r)
	}

	// The library, with the same model at the same simulations, plays the same.
	b, err := library.Load(first)
	if err != nil {
		t.Fatal(err)
	}
	b.Simulations = 60
	for _, position := range []string{".........", "x...o....", "xo..x...o", "..x.o...."} {
		move, err := b.Move(t.Context(), position)
		if got := execute(position+"\n", bot, "--simulations", "60"); err != nil || got != move+"\n" {
			t.Errorf("in %s the exported bot plays %q, the library %q, %v", position, got, move, err)
		}
	}
	if got := execute("", bot, "version"); !strings.Contains(got, "model tiny of tictactoe, hash ") {
		t.Errorf("the exported bot's version is %q, want where its model is from", got)
	}

	// A bot that exports another leaves its own model out.
	execute("", bot, "export", second, "--program", bot, "-o", again)
	question := strings.Join(dialogue(t)[0].In, "\n") + "\n"
	if got := execute(question, again, "--protocol", "codingame", "--simulations", "10"); strings.Count(got, "\n") != 1 {
		t.Errorf("the second exported bot answers %q", got)
	}
	if got, want := size(again), size(program)+size(second)+tailSize; got != want {
		t.Errorf("the second exported bot has %d bytes, want %d: the program, one model and the tail", got, want)
	}
}

func TestDamagedPayload(t *testing.T) {
	var whole bytes.Buffer
	if err := writePayload(&whole, strings.NewReader("executable"), int64(len("executable")), []byte("model")); err != nil {
		t.Fatal(err)
	}
	text := whole.String()
	start, length, err := findPayload(strings.NewReader(text), int64(len(text)))
	if err != nil || text[start:start+length] != "model" {
		t.Errorf("payload of %q: %d bytes at %d, %v", text, length, start, err)
	}
	cut := text[len(text)-int(tailSize):] // the model is gone, its tail is not
	if _, _, err := findPayload(strings.NewReader(cut), int64(len(cut))); err == nil {
		t.Errorf("a program without the model that it says it carries is accepted")
	}
}
