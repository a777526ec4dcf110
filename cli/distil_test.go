package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/model"
)

// TestDistil distils a checkpoint. The result is an ordinary checkpoint, and an existing file is
// not replaced.
func TestDistil(t *testing.T) {
	teacher := checkpoint(t, "tictactoe")
	dir := t.TempDir()
	short := []string{"--positions", "5000", "--seed", "3"}
	out := filepath.Join(dir, "student")
	args := append([]string{"distil", teacher, "-o", out, "--columns", "32", "--value", "16"}, short...)
	if got := done(t, "", args...); !strings.Contains(got, "sparse: 32 columns, policy 32, value 16 and 16") || !strings.Contains(got, "to compare it with its teacher: ") {
		t.Errorf("distil prints\n%s", got)
	}
	r := dojo(t, "", args...)
	if r.status != exitFailed || !strings.Contains(r.stderr, "exists already") {
		t.Errorf("distil to a file that exists: status %d, %q", r.status, r.stderr)
	}
	again := decode[distilled](t, done(t, "", append(args, "--force", "--json")...))[0]
	student, err := model.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash != student.Hash() || again.Game != "tictactoe" || !strings.Contains(student.Origin, "the teacher's own games") {
		t.Errorf("distil --json: %+v; the student is %+v", again, student.Meta)
	}
	if got := done(t, "", "inspect", out); !strings.Contains(got, "distilled from model ") {
		t.Errorf("inspect of a student prints\n%s", got)
	}
	if _, err := os.Stat(out + ".partial"); err == nil {
		t.Error("the state of a distillation that is complete is still there")
	}
}

// TestDistilTried tests two problems with the output file. If it is not writable, the verb fails
// before training. If another process creates it during training, the trained student is not lost.
func TestDistilTried(t *testing.T) {
	teacher, dir := checkpoint(t, "tictactoe"), t.TempDir()
	args := []string{"distil", teacher, "-o", filepath.Join(dir, "no", "student"), "--positions", "1000000000"}
	if r := dojo(t, "", args...); r.status != exitFailed || !strings.Contains(r.stderr, "no such file or directory") {
		t.Errorf("distil to a folder that is not there: %+v", r)
	}
	out := filepath.Join(dir, "student")
	taken := make(chan error, 1)
	go func() {
		for t.Context().Err() == nil {
			if _, err := os.Stat(out + ".partial"); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		taken <- os.WriteFile(out, []byte("another's"), 0o644)
	}()
	r := dojo(t, "", "distil", teacher, "-o", out, "--positions", "20000")
	if err := <-taken; err != nil {
		t.Fatal(err)
	}
	if want := "another program in the meantime and was not replaced; the same command continues from " + out + ".partial"; r.status != exitFailed || !strings.Contains(r.stderr, want) {
		t.Errorf("distil to a place that is taken: %+v, want %q", r, want)
	}
	if _, err := os.Stat(out + ".partial"); err != nil {
		t.Errorf("what was learnt is lost: %v", err)
	}
}

// TestDistilFromARun trains a student on the positions of the teacher's run. If the run has no
// positions, that is an error.
func TestDistilFromARun(t *testing.T) {
	out := filepath.Join(t.TempDir(), "student")
	if got := done(t, "", "distil", fakeRun(t, 1), "-o", out, "--positions", "1000"); !strings.Contains(got, "from those of a run") {
		t.Errorf("distil of a run prints\n%s", got)
	}
	for want, args := range map[string][]string{
		"has no samples":                  {"--samples", t.TempDir()},
		"belongs to another distillation": {"--seed", "9"},
	} {
		if err := os.WriteFile(out+".partial", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if want == "belongs to another distillation" {
			interruptDistil(t, out)
		}
		args = append([]string{"distil", checkpoint(t, "tictactoe"), "-o", out, "--force"}, args...)
		r := dojo(t, "", args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: status %d, %q; want %q", args, r.status, r.stderr, want)
		}
		oneErrorLine(t, args, r)
	}
}

// interruptDistil interrupts a distillation, so that its state file is left next to out.
func interruptDistil(t *testing.T, out string) {
	t.Helper()
	if err := os.Remove(out + ".partial"); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	args := []string{"distil", checkpoint(t, "tictactoe"), "-o", out, "--force", "--positions", "1000000000"}
	var r result
	for after := 2 * time.Second; ; after *= 2 { // interrupt later each time, until it has begun to learn
		ctx, cancel := context.WithTimeoutCause(t.Context(), after, context.Canceled)
		var stdout, stderr bytes.Buffer
		status := execute(ctx, args, strings.NewReader(""), &stdout, &stderr)
		cancel()
		if r = (result{status, stdout.String(), stderr.String()}); !strings.Contains(r.stderr, "interrupted: positions to learn from") {
			break
		}
	}
	if r.status != exitFailed || !strings.HasPrefix(r.stderr, "dojo: interrupted; ") || !strings.Contains(r.stderr, "the same command continues from "+out+".partial") {
		t.Errorf("an interrupted distillation: status %d, %q", r.status, r.stderr)
	}
	oneErrorLine(t, args, r)
}

// TestCodinGameSource exports a small student, and checks that a student that is too large causes
// an error.
func TestCodinGameSource(t *testing.T) {
	dir := t.TempDir()
	student := func(columns string) string {
		out := filepath.Join(dir, "student"+columns)
		done(t, "", "distil", checkpoint(t, "onitama"), "-o", out, "--positions", "1024", "--columns", columns)
		return out
	}
	small := student("32")
	for _, form := range []string{"codingame-cpp", "codingame-go"} {
		out := filepath.Join(dir, form)
		done(t, "", "export", small, "--as", form, "--no-verify", "-o", out)
		text, err := os.ReadFile(out)
		if err != nil || !strings.Contains(string(text), "// model student of onitama") || !strings.Contains(string(text), "\n// distilled from model tiny") {
			t.Errorf("%s: %v, it begins with %.300q", form, err, text)
		}
	}
	for want, args := range map[string][]string{
		"512 columns, policy 32":    {"export", student("512"), "--as", "codingame-go", "-o", dir + "/x"},
		"is a residual network (16": {"export", checkpoint(t, "onitama"), "--as", "codingame-go", "-o", dir + "/x"},
	} {
		r := dojo(t, "", args...)
		if r.status != exitFailed || !strings.Contains(r.stderr, want) {
			t.Errorf("%q: status %d, %q; want %q", args, r.status, r.stderr, want)
		}
		oneErrorLine(t, args, r)
	}
}

// Because some steps of an export may take minutes, export announces each step on stderr, even if
// stderr is not a terminal.
func TestExportTellsSteps(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small")
	done(t, "", "distil", checkpoint(t, "onitama"), "-o", small, "--positions", "1024", "--columns", "32")
	t.Setenv("PATH", t.TempDir()) // without a compiler, the export ends after the first step
	for as, want := range map[string]string{
		"codingame-cpp":              "compile the program",
		"binary --os plan9 --arch 9": "build the program for plan9/9",
		"web":                        "build the pages and their program",
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"export", small, "-o", out, "--as"}, strings.Fields(as)...)
		r := dojo(t, "", args...)
		if want := out + ": " + want + "\ndojo: export: "; r.status != exitFailed || !strings.HasPrefix(r.stderr, want) || !strings.Contains(r.stderr, "is missing") {
			t.Errorf("%s without a compiler: status %d, %q; want %q", as, r.status, r.stderr, want)
		}
	}
}

// If export has to compile the program but the current directory is outside the module's sources,
// the error says where to run the command.
func TestExportOutsideTheSources(t *testing.T) {
	model := checkpoint(t, "tictactoe")
	t.Chdir(t.TempDir())
	r := dojo(t, "", "export", model, "--as", "web", "-o", "site")
	if want := "run this in the folder of the sources of dojo.example: go list "; r.status != exitFailed || !strings.Contains(r.stderr, want) {
		t.Errorf("status %d, %q; want %q", r.status, r.stderr, want)
	}
	if _, err := os.Stat("site"); err == nil {
		t.Error("a folder is left")
	}
}
