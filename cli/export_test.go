package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dojo.example/internal/slow"

	"dojo.example/arena"
	"dojo.example/export/binary"
	library "dojo.example/play/bot"
)

// TestExportedBinary builds the program, exports a bot with it, and runs the bot.
func TestExportedBinary(t *testing.T) {
	slow.Test(t, "compiles exported programs")
	dir := t.TempDir()
	name := func(base string) string {
		if runtime.GOOS == "windows" {
			base += ".exe"
		}
		return filepath.Join(dir, base)
	}
	program, bot, again := name("dojo"), name("bot"), name("again")
	if out, err := exec.Command("go", "build", "-o", program, "../cmd/dojo").CombinedOutput(); err != nil {
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

	first, second := checkpoint(t, "tictactoe"), sparseCheckpoint(t, "onitama")
	if got := execute("", program, "export", first, "--as", "binary", "-o", bot, "--json"); !strings.Contains(got, `"game":"tictactoe","model":"tiny","hash":"`) {
		t.Errorf("export --json prints %q", got)
	}
	if got := execute("xx.oo....\n", bot, "--simulations", "100"); got != "c3\n" {
		t.Errorf("with a win in one at c3, the exported bot answers %q", got)
	}
	if got := execute("xx.oo....\n", bot, "--simulations", "100", "--protocol", "text"); got != "c3\n" {
		t.Errorf("told its protocol, the exported bot answers %q", got)
	}
	if got := execute("", bot, "analyse", "xx.oo....", "--simulations", "100"); !strings.Contains(got, "\nc3 ") {
		t.Errorf("with a win in one at c3, the exported program analyses %q", got)
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

	// The exported bot plays the same moves as package bot does with the same model and the same
	// number of simulations.
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

	damaged(t, program, bot, size(first))
	foreign := "windows"
	if runtime.GOOS == foreign {
		foreign = "linux"
	}
	whole, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	cut := name("cut")
	if err := os.WriteFile(cut, whole[:len(whole)-5000], 0o755); err != nil {
		t.Fatal(err)
	}
	for says, target := range map[string]binary.Target{
		"built for the system " + runtime.GOOS: {OS: foreign, Program: program},
		"damaged":                              {Program: cut},
	} {
		if _, err := target.Read(t.Context(), func(string) {}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a program that is not fit to be exported: %v, want %q", err, says)
		}
	}
	system := binary.Target{Program: program}
	if _, err := system.Read(t.Context(), func(string) {}); err != nil || system.OS != runtime.GOOS || system.Arch != runtime.GOARCH {
		t.Errorf("this program is one for %s/%s, %v", system.OS, system.Arch, err)
	}

	// A program that carries a model can export another model. The new program carries only the new
	// model.
	execute("", bot, "export", second, "--program", bot, "-o", again)
	question := strings.Join(dialogue(t)[0].In, "\n") + "\n"
	if got := execute(question, again, "--protocol", "codingame", "--simulations", "10"); strings.Count(got, "\n") != 1 {
		t.Errorf("the second exported bot answers %q", got)
	}
	if got, want := size(again), size(program)+size(second)+binary.Overhead; got != want {
		t.Errorf("the second exported bot has %d bytes, want %d: the program, one model and the tail", got, want)
	}
}

// damaged checks that a program whose appended model is damaged fails with a one-line error, and
// does not run as if it carried no model.
func damaged(t *testing.T, program, bot string, modelSize int64) {
	t.Helper()
	whole, err := os.ReadFile(bot)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[int64(len(whole))-binary.Overhead-modelSize/2] ^= 1
	for name, c := range map[string]struct {
		file []byte
		says string
	}{
		"without its last byte":      {whole[:len(whole)-1], "cut off"},
		"without half of its model":  {whole[:int64(len(whole))-modelSize/2], "cut off"},
		"without all that was added": {whole[:plain.Size()], "cut off"},
		"with a bit that is flipped": {flipped, "checksum"},
	} {
		path := bot + ".damaged.exe"
		if err := os.WriteFile(path, c.file, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err == nil || len(out) > 0 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("an exported bot %s: %v, printed %q and %q; want an error that says %q", name, err, out, stderr.String(), c.says)
		}
	}
}

// TestCheckProgram checks that export rejects a program that is damaged or for another system.
func TestCheckProgram(t *testing.T) {
	other, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	random := filepath.Join(dir, "random")
	if err := os.WriteFile(random, bytes.Repeat([]byte("random"), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	for program, says := range map[string]string{random: "the file is not a dojo program", other: "built from cmd/go"} {
		args := []string{"export", checkpoint(t, "tictactoe"), "--program", program, "--os", "windows", "-o", out}
		r := dojo(t, "", args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, says) {
			t.Errorf("export --program %s: status %d, %q, want %q", program, r.status, r.stderr, says)
		}
		oneErrorLine(t, args, r)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was exported")
	}
}
