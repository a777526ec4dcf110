package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/golden"
	"dojo.example/model"

	"github.com/spf13/cobra"
)

// roles lets this test binary act as other programs, so that a test can start them as child
// processes. The environment variable roleVariable names the program, and roles maps that name to
// the program's main function.
var roles = map[string]func(){"dojo": Main}

const roleVariable = "DOJO_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		role()
		return
	}
	os.Exit(m.Run())
}

// dojoProgram returns the path of the test binary and sets up the environment so that the binary
// acts as dojo when this test or one of its child processes starts it.
func dojoProgram(t *testing.T) string {
	t.Helper()
	t.Setenv(roleVariable, "dojo")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func init() { console.Program = "dojo" } // otherwise commands would show the name of the test binary

// result is the exit status and the output of a command line.
type result struct {
	status         int
	stdout, stderr string
}

// dojo runs a command line with the text stdin as its standard input.
func dojo(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// done runs a command line that must succeed, and returns its stdout.
func done(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := dojo(t, stdin, args...)
	if r.status != exitDone {
		t.Fatalf("dojo %s: status %d, stderr %q", strings.Join(args, " "), r.status, r.stderr)
	}
	return r.stdout
}

// decode parses text, in which each line is a JSON value. It fails the test if a line is anything
// else.
func decode[T any](t *testing.T, text string) []T {
	t.Helper()
	var all []T
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	for d.More() {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%q is not JSON as expected: %v", text, err)
		}
		all = append(all, v)
	}
	return all
}

// checkpoint writes a tiny random network for a game and returns its path.
func checkpoint(t *testing.T, game string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), game+".safetensors")
	if err := tiny(t, game, "tiny", 1).Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func tiny(t *testing.T, game, name string, seed uint64) *model.Checkpoint {
	t.Helper()
	g, err := games.ByName(game)
	if err != nil {
		t.Fatal(err)
	}
	n := model.Network{Body: model.Residual{Channels: 16, Blocks: 1, PolicyPlanes: 2, ValuePlanes: 1, ValueFeatures: 8}}.For(g.Spec)
	meta := model.Meta{Game: g.Name, SpecVersion: g.Version, Name: name, Seed: seed, ProgramVersion: "test"}
	return model.NewCheckpoint(meta, n, rand.New(rand.NewPCG(seed, 0)))
}

// sparseCheckpoint writes a tiny random sparse network, which can compute in 8 bits, and returns
// its path.
func sparseCheckpoint(t *testing.T, game string) string {
	t.Helper()
	g, err := games.ByName(game)
	if err != nil {
		t.Fatal(err)
	}
	sizes := model.DefaultSparse()
	sizes.Columns = 32
	n := model.Network{Body: sizes}
	rng := rand.New(rand.NewPCG(1, 1))
	meta := model.Meta{Game: g.Name, SpecVersion: g.Version, Name: "sparse", ProgramVersion: "test"}
	c := model.NewCheckpoint(meta, n.For(g.Spec), rng)
	seen := engine.FeatureInput(g.Planes, g.PerAction)
	for at := g.Start(rng); seen.Rows() < 256; {
		seen.Append(at)
		legal := at.Legal(nil)
		if at = at.Play(legal[rng.IntN(len(legal))]); at.Outcome() != engine.Ongoing {
			at = g.Start(rng)
		}
	}
	c.Calibrate(seen)
	path := filepath.Join(t.TempDir(), game+"-sparse.safetensors")
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHelp compares the help of all verbs with testdata/help.txt.
func TestHelp(t *testing.T) {
	var all strings.Builder
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		if len(path) > 0 && (path[0] == "help" || path[0] == "completion") {
			return
		}
		all.WriteString("$ " + strings.TrimSpace("dojo "+strings.Join(path, " ")) + " --help\n")
		all.WriteString(done(t, "", append(path, "--help")...) + "\n")
		if len(path) > 0 && cmd.Runnable() && !cmd.HasSubCommands() && cmd.Example == "" {
			t.Errorf("the help of %q shows no example", cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	visit((&app{}).root())
	for line := range strings.Lines(all.String()) {
		if n := utf8.RuneCountInString(line); n > bounded.LineWidth+1 && !strings.Contains(line, "  dojo ") {
			t.Errorf("a line of %d columns is no example: %s", n, line)
		}
	}
	golden.Compare(t, "testdata/help.txt", all.String())
}

// oneErrorLine checks that the command printed one short error line that begins with "dojo: ".
func oneErrorLine(t *testing.T, args []string, r result) {
	t.Helper()
	if len(r.stderr) > 1000 {
		t.Errorf("dojo %.100q: the error has %d characters", args, len(r.stderr))
	}
	if !strings.HasPrefix(r.stderr, "dojo: ") || strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("dojo %q: stderr %q, want one line that begins with \"dojo: \"", args, r.stderr)
	}
}

// TestBadInput checks that a truncated file or an endless line causes a one-line error that names
// the problem.
func TestBadInput(t *testing.T) {
	good := checkpoint(t, "tictactoe")
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	truncated := filepath.Join(t.TempDir(), "truncated.safetensors")
	if err := os.WriteFile(truncated, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin, model string
		want               string // text that the error message must contain
	}{
		{"truncated checkpoint", "", truncated, "truncated"},
		{"question without end", strings.Repeat("x", 1<<20), good, "the line has more than 65536 bytes"},
		{"long question", strings.Repeat("x", 60000) + "\n", good, strings.Repeat("x", 80) + `…"`},
	} {
		args := []string{"bot", c.model}
		r := dojo(t, c.stdin, args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: status %d, %q does not name %q", c.name, r.status, r.stderr, c.want)
		}
		oneErrorLine(t, args, r)
	}
}

// full is a writer that always fails, like a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullStdout checks that every verb fails if it cannot write its output.
func TestFullStdout(t *testing.T) {
	good := checkpoint(t, "tictactoe")
	folder := fakeRun(t, 2)
	for _, args := range [][]string{
		{"--help"}, {"help", "match"}, {"--version"}, {"completion", "bash"},
		{"version"}, {"rules", "list"}, {"rules", "show", "tictactoe"}, {"rules", "perft", "tictactoe", "start", "2"},
		{"match", "random", "random", "--game", "tictactoe", "--games", "2"},
		{"evaluate", good, "--against", "random", "--games", "2", "--simulations", "2"},
		{"evaluate", folder, "--generations", "2", "--games", "2", "--simulations", "2"},
		{"inspect", good}, {"inspect", folder}, {"inspect", rundir.Folder(folder).Shard(0, 0)},
		{"play", "tictactoe", "--first", "random", "--second", "random"},
		{"bot", good}, {"bench", "playout/tictactoe"}, {"version", "--json"},
	} {
		var stderr bytes.Buffer
		status := execute(t.Context(), args, strings.NewReader(".........\n"), full{}, &stderr)
		r := result{status, "", stderr.String()}
		if status != exitFailed || !strings.Contains(r.stderr, "no space left") {
			t.Errorf("dojo %q into a full disk: status %d, stderr %q", args, status, r.stderr)
			continue
		}
		oneErrorLine(t, args, r)
	}
}

func TestInterruptIsNamed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	never, writer := io.Pipe() // nothing is ever written to this pipe
	defer writer.Close()
	args := []string{"bot", checkpoint(t, "tictactoe")}
	if status := execute(ctx, args, never, &stdout, &stderr); status != exitFailed || !strings.HasPrefix(stderr.String(), "dojo: interrupted") {
		t.Errorf("interrupted bot: status %d, stderr %q", status, stderr.String())
	}
}

// TestPrintedCommands checks that the commands that dojo prints work in a shell, even if a path
// contains a space.
func TestPrintedCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my run")
	r := dojo(t, "", "train", "tictactoe", "--run", dir, "--for", "1ms", "--log-format", "screen")
	if quoted := command("train", "--run", dir, "--log-format", "screen"); !strings.Contains(r.stderr, quoted+"\n") || !strings.Contains(quoted, `my run`) || strings.Contains(quoted, "--run "+dir) {
		t.Errorf("stderr %q, want %q in it", r.stderr, quoted)
	}
}
