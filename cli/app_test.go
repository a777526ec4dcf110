package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// roles are the programs that this test is when other tests start it with a role.
var roles = map[string]func(){"dojo": Main}

const roleVariable = "DOJO_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		role()
		return
	}
	os.Exit(m.Run())
}

// dojoProgram is the path of a program that is dojo when this test, or what it starts, runs it.
func dojoProgram(t *testing.T) string {
	t.Helper()
	t.Setenv(roleVariable, "dojo")
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func init() { console.Program = "dojo" } // and not the name of a test

// result is what a command line did.
type result struct {
	status         int
	stdout, stderr string
}

// dojo runs a command line with a text on stdin.
func dojo(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := execute(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return result{status, stdout.String(), stderr.String()}
}

// done is dojo for a command line that must succeed; it returns stdout.
func done(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := dojo(t, stdin, args...)
	if r.status != exitDone {
		t.Fatalf("dojo %s: status %d, stderr %q", strings.Join(args, " "), r.status, r.stderr)
	}
	return r.stdout
}

// decode reads the lines of JSON in text, which must hold nothing else.
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

// sparseCheckpoint writes a tiny random network of the sparse kind, which can play in 8
// bits, and returns its path.
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

// TestHelp compares the help of every verb with a file that people read.
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

func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{
		{"fly"},
		{"--fly"},
		{"rules", "fly"},
		{"rules", "show"},
		{"rules", "list", "tictactoe"},
		{"rules", "perft", "tictactoe", "start"},
		{"rules", "perft", "tictactoe", "start", "many"},
		{"rules", "perft", "tictactoe", "start", "-1"},
		{"match", "random"},
		{"match", "random", "random"},
		{"match", "random", "random", "--game", "tictactoe", "--games", "3"},
		{"match", "random", "random", "--game", "tictactoe", "--games", "two"},
		{"match", "random", "random", "--game", "tictactoe", "--simulations", "0"},
		{"bot"},
		{"bot", "m", "--simulations", "0"},
		{"bot", "m", "--simulations", "5", "--movetime", "5ms"},
		{"play"},
		{"evaluate"},
		{"evaluate", "m", "--generations", "1"},
		{"export", "m"},
		{"export", "m", "--as", "poem", "-o", "x"},
		{"export", "m", "--as", "codingame-go", "-o", "x", "--games", "3"},
		{"export", "m", "--as", "onnx", "-o", "x", "--os", "windows"},
		{"export", "m", "--as", "web", "-o", "x", "--program", "y"},
		{"export", "m", "--as", "binary", "-o", "x", "--no-verify"},
		{"export", "m", "--as", "web", "-o", "x", "--movetime", "5ms"},
		{"export", "m", "--as", "codingame-cpp", "-o", "x", "--games", "9"},
		{"export", "m", "--as", "codingame-cpp", "-o", "x", "--no-verify", "--games", "10"},
		{"distil"},
		{"distil", "m"},
		{"distil", "m", "-o", "x", "--columns", "100"},
		{"distil", "m", "-o", "x", "--positions", "0"},
		{"match", "random", "random", "--game", "tictactoe", "--first-clock", "1s"},
		{"match", "random", "random", "--game", "tictactoe", "--balanced", "1.5"},
		{"match", "random", "random", "--game", "tictactoe", "--balanced", "NaN"},
		{"match", "random", "random", "--game", "tictactoe", "--balanced", "0.1", "--listen", "127.0.0.1:0"},
		{"inspect"},
		{"inspect", "m", "--rows", "-1"},
		{"inspect", ".", "--rows", "1"},
		{"version", "now"},
		{"completion", "foo"},
		{"help", "foo"},
		{"match", "random", "random", "--game", "tictactoe", "--games", "1000000000000000000"},
		{"match", "random", "random", "--game", "tictactoe", "--games", "1e18"},
		{"match", "random", "random", "--game", "tictactoe", "--workers", "1000000"},
		{"match", "random", "random", "--game", "tictactoe", "--simulations", "9000000000000000000"},
		{"match", "random", "random", "--game", "tictactoe", "--clock", "1s"},
		{"bot", "m", "--simulations", "9000000000000000000"},
		{"bot", "m", "--first-movetime", "1s"},
		{"play", "tictactoe", "--simulations", "9000000000000000000"},
		{"evaluate", "m", "--against", ""},
		{"rules", "show", "tictactoe", "x........", "--seed", "3"},
		{"rules", "perft", "tictactoe", "x........", "2", "--seed", "3"},
		{"evaluate", "m", "--solved", "x", "--games", "2"},
		{"evaluate", "m", "--time", "1s"},
		{"solve", "onitama"},
		{"solve", "onitama", "--cards", "1,2,3,4"},
		{"solve", "onitama", "--cards", "1,2,3,4,16"},
		{"solve", "onitama", "--cards", "1,2,3,4,4"},
		{"solve", "onitama", "--cards", "1,2,3,4,5", "--men", "5"},
		{"solve", "onitama", "--cards", "1,2,3,4,5", "--plies", "5"},
		{"solve", "onitama", "--cards", "1,2,3,4,5", "--sample", "5"},
		{"solve", "oanquan"},
		{"solve", "oanquan", "--men", "3", "--sample", "5", "--json"},
		{"solve", "oanquan", "--sample", "-5", "--json"},
		{"evaluate", "m", "--solved", "x", "--time", "-1s"},
		{"evaluate", "m", "--solved", "x", "--time", "1s", "--simulations", "3"},
		{"evaluate", "m", "--solved", "x", "--player", "random"},
		{"evaluate", "m", "--solved", "x", "--game", "onitama"},
		{"evaluate", "--player", "random", "--game", "onitama", "--generations", "3"},
		{"evaluate", "--player", "random", "--game", "onitama", "--solved", "x", "--time", "1s"},
		{"evaluate", "--player", "random"},
		{"evaluate", "m", "--game", "onitama"},
		{"evaluate", "--ladder", "x", "--against", "random"},
		{"evaluate", "m", "--ladder", "x", "--solved", "y"},
	} {
		r := dojo(t, "", args...)
		if r.status != exitUsage || r.stdout != "" {
			t.Errorf("dojo %q: status %d, stdout %q; want %d and nothing", args, r.status, r.stdout, exitUsage)
		}
		oneErrorLine(t, args, r)
	}
}

// oneErrorLine checks the form that all errors have.
func oneErrorLine(t *testing.T, args []string, r result) {
	t.Helper()
	if len(r.stderr) > 1000 {
		t.Errorf("dojo %.100q: the error has %d characters", args, len(r.stderr))
	}
	if !strings.HasPrefix(r.stderr, "dojo: ") || strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		t.Errorf("dojo %q: stderr %q, want one line that begins with \"dojo: \"", args, r.stderr)
	}
}

func TestMistypedVerbIsExplained(t *testing.T) {
	if got, want := dojo(t, "", "mtch").stderr, "did you mean match"; !strings.Contains(got, want) {
		t.Errorf("dojo mtch says %q, want %q in it", got, want)
	}
}

// steps are the lines that tell where an export has got to.
var steps = regexp.MustCompile(`(?m)^\S+: build the program for .*\n`)

// TestBadInput: what cannot be done is one line that names it, status 1.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := checkpoint(t, "tictactoe")
	onitama := checkpoint(t, "onitama")
	sparse := sparseCheckpoint(t, "tictactoe")
	whole, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	foreign := file("foreign.safetensors", []byte("these are no tensors"))
	truncated := file("truncated.safetensors", whole[:len(whole)/2])
	shard := file("shard.parquet", []byte("PAR1 not quite"))
	solved := file("solved.jsonl", []byte(`{"pos":"xx.oo....","moves":{"c3":"X"}}`))
	for _, c := range []struct {
		name  string
		stdin string
		args  []string
		want  string // in the message
	}{
		{"malformed position", "", []string{"rules", "show", "tictactoe", "xxx"}, `"xxx"`},
		{"illegal action", "", []string{"rules", "show", "tictactoe", "x........", "a3"}, `"a3"`},
		{"a game that CodinGame does not have", "", []string{"export", good, "--as", "codingame-cpp", "-o", dir + "/x"}, "tictactoe; there are bots for CodinGame of onitama: codingame.Register adds a game's part, see section 1 of docs/ADDING_A_GAME.md"},
		{"a bot for CodinGame of another game", "", []string{"export", sparse, "--as", "codingame-cpp", "-o", dir + "/x"}, "tictactoe; there are bots for CodinGame of onitama"},
		{"a model too large for CodinGame", "", []string{"export", onitama, "--as", "codingame-go", "-o", dir + "/x"}, "train a small one to answer as it does: "},
		{"a distillation to nowhere", "", []string{"distil", good, "-o", filepath.Join(dir, "no", "student")}, "student"},
		{"a distillation of nothing", "", []string{"distil", filepath.Join(dir, "none"), "-o", dir + "/x"}, "none"},
		{"samples that are none", "", []string{"distil", onitama, "--samples", dir, "-o", dir + "/x"}, "no samples"},
		{"a system that Go does not know", "", []string{"export", good, "--os", "beos", "-o", dir + "/x"}, "beos"},
		{"a folder that cannot be", "", []string{"export", onitama, "--as", "onnx", "-o", foreign + "/x"}, "not a directory"},
		{"second action illegal", "", []string{"rules", "show", "tictactoe", "start", "a3", "a3"}, "action 2"},
		{"action after the end", "", []string{"rules", "show", "tictactoe", "xxxoo....", "c1"}, "after the end"},
		{"perft of nothing", "", []string{"rules", "perft", "tictactoe", "??", "3"}, `"??"`},
		{"missing checkpoint", "", []string{"bot", filepath.Join(dir, "none")}, "none"},
		{"foreign checkpoint", "", []string{"bot", foreign}, "foreign"},
		{"truncated checkpoint", "", []string{"bot", truncated}, "truncated"},
		{"run without a model", "", []string{"bot", dir}, dir},
		{"malformed question", "x.......\n", []string{"bot", good}, "question 1"},
		{"question without end", strings.Repeat("x", 1<<20), []string{"bot", good}, "a line of more than 65536 bytes"},
		{"long question", strings.Repeat("x", 60000) + "\n", []string{"bot", good}, strings.Repeat("x", 80) + `…"`},
		{"finished question", ".........\nxxxoo....\n", []string{"bot", good, "--simulations", "2"}, "question 2"},
		{"match in another game", "", []string{"match", onitama, "random", "--game", "tictactoe"}, "onitama"},
		{"match of a missing program", "", []string{"match", "cmd:no-such-bot", "random", "--game", "tictactoe"}, "no-such-bot"},
		{"play another game", "", []string{"play", "tictactoe", onitama}, "onitama"},
		{"generations of a file", "", []string{"evaluate", good, "--generations", "3"}, good},
		{"solved wrongly", "", []string{"evaluate", good, "--solved", solved}, "line 1"},
		{"export of nothing", "", []string{"export", filepath.Join(dir, "none"), "-o", filepath.Join(dir, "bot")}, "none"},
		{"export to nowhere", "", []string{"export", good, "-o", filepath.Join(dir, "no", "bot")}, "bot"},
		{"inspect nothing", "", []string{"inspect", filepath.Join(dir, "none")}, "none"},
		{"inspect no run", "", []string{"inspect", dir}, dir},
		{"inspect no shard", "", []string{"inspect", shard}, "shard.parquet"},
		{"inspect no checkpoint", "", []string{"inspect", foreign}, "foreign"},
	} {
		r := dojo(t, c.stdin, c.args...)
		if r.status != exitFailed {
			t.Errorf("%s: status %d, want %d", c.name, r.status, exitFailed)
		}
		r.stderr = steps.ReplaceAllString(r.stderr, "")
		oneErrorLine(t, c.args, r)
		if !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: %q does not name %q", c.name, r.stderr, c.want)
		}
	}
}

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullStdout: output that cannot be written is a failure of every verb.
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
	never, writer := io.Pipe() // nothing ever comes on it
	defer writer.Close()
	args := []string{"bot", checkpoint(t, "tictactoe")}
	if status := execute(ctx, args, never, &stdout, &stderr); status != exitFailed || !strings.HasPrefix(stderr.String(), "dojo: interrupted") {
		t.Errorf("interrupted bot: status %d, stderr %q", status, stderr.String())
	}
}

// TestPrintedCommands: what is printed to be typed runs as it stands.
func TestPrintedCommands(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my run")
	r := dojo(t, "", "train", "tictactoe", "--run", dir, "--for", "1ms")
	if quoted := command("train", "--run", dir); !strings.Contains(r.stderr, quoted+"\n") || !strings.Contains(quoted, `my run`) || quoted == "dojo train --run "+dir {
		t.Errorf("stderr %q, want %q in it", r.stderr, quoted)
	}
}

// TestCompletion: the shell is offered what an argument or a flag can be.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("runs/mine", 0o755); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join("runs", "mine")
	for _, c := range []struct {
		typed []string
		want  []string
	}{
		{[]string{"train", ""}, []string{"tictactoe", "onitama-quick"}},
		{[]string{"fit", "--run", ""}, []string{run}},
		{[]string{"play", ""}, []string{"tictactoe", "patchwork"}},
		{[]string{"play", "tictactoe", ""}, []string{run}},
		{[]string{"play", "tictactoe", "--first", ""}, []string{"human", "mcts:", run}},
		{[]string{"rules", "show", ""}, []string{"onitama"}},
		{[]string{"match", ""}, []string{"random", "mcts:", "alphabeta:", "cmd:", run}},
		{[]string{"match", "random", ""}, []string{"greedy", run}},
		{[]string{"match", "box:"}, []string{"box:onitama", "box:tictactoe"}},
		{[]string{"evaluate", "m", "--against", "box:on"}, []string{"box:onitama"}},
		{[]string{"match", "--game", ""}, []string{"onitama"}},
		{[]string{"evaluate", "m", "--against", ""}, []string{"greedy", run}},
		{[]string{"bot", ""}, []string{run}},
		{[]string{"bot", "m", "--protocol", ""}, []string{"text", "codingame"}},
		{[]string{"export", "m", "--as", ""}, []string{"onnx", "web"}},
	} {
		got := strings.Fields(done(t, "", append([]string{"__complete"}, c.typed...)...))
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("completing %q offers %q, and not %s", c.typed, got, want)
			}
		}
	}
}

func TestVersion(t *testing.T) {
	v := decode[struct {
		Version, Commit, Go, System, Kernels string
		Quant                                string `json:"kernels_int8"`
		Modified                             bool
	}](t, done(t, "", "version", "--json"))
	if len(v) != 1 || v[0].Version == "" || v[0].Go == "" || v[0].System == "" || v[0].Kernels == "" || v[0].Quant == "" {
		t.Errorf("version --json says %+v, want one object with all of it", v)
	}
	if text := done(t, "", "version"); !strings.Contains(text, v[0].Kernels) || !strings.HasPrefix(text, "dojo "+v[0].Version) {
		t.Errorf("version says %q, but with --json %+v", text, v[0])
	}
}

// TestExclusiveFlags: flags that exclude each other are named.
func TestExclusiveFlags(t *testing.T) {
	for want, args := range map[string][]string{
		"dojo: --games and --solved exclude each other (see ":         {"evaluate", "m", "--solved", "x", "--games", "2"},
		"dojo: --movetime and --simulations exclude each other (see ": {"bot", "m", "--movetime", "1s", "--simulations", "2"},
	} {
		if r := dojo(t, "", args...); r.status != exitUsage || !strings.HasPrefix(r.stderr, want) {
			t.Errorf("%q: status %d, %q; want %q", args, r.status, r.stderr, want)
		}
	}
}
