package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the scripts in testdata/script. They have command lines and their expected
// output. In addition to the commands of package testscript, the scripts use these:
//
//	dojo WORD…                      runs a command line that must succeed
//	dojo WORD… <FILE                the same, with a file as stdin
//	! dojo WORD…                    runs a command line that must fail with status 1 and one line of error
//	misuse WORD…                    runs a wrong command line: status 2, one line of error, and no output
//	checkpoint FILE GAME [sparse]   writes a small network with random weights
//	fakerun DIR GENERATIONS         makes a run of tic-tac-toe with a random network for each generation
//
// Command lines run in this process, so that a script takes only some milliseconds.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Abs("testdata/script") // absolute, because scripts change the working directory
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 scripts,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"dojo": func(ts *testscript.TestScript, fails bool, words []string) {
				status := exitDone
				if fails {
					status = exitFailed
				}
				runLine(ts, status, words)
			},
			"misuse": func(ts *testscript.TestScript, _ bool, words []string) { runLine(ts, exitUsage, words) },
			"checkpoint": func(ts *testscript.TestScript, _ bool, words []string) {
				make := checkpoint
				if len(words) == 3 && words[2] == "sparse" {
					make = sparseCheckpoint
				}
				ts.Check(os.Rename(make(t, words[1]), ts.MkAbs(words[0])))
			},
			"fakerun": func(ts *testscript.TestScript, _ bool, words []string) {
				generations, err := strconv.Atoi(words[1])
				ts.Check(err)
				ts.Check(os.Rename(fakeRun(t, generations), ts.MkAbs(words[0])))
			},
		},
	})
}

// here is held by the script whose folder is the current working directory.
var here sync.Mutex

// runLine runs a command line in the script's folder. It checks the exit status and that the error
// is one line.
func runLine(ts *testscript.TestScript, status int, words []string) {
	var stdin []byte
	if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], "<") {
		stdin, words = []byte(ts.ReadFile(words[last][1:])), words[:last]
	}
	var stdout, stderr bytes.Buffer
	here.Lock()
	defer here.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	got := execute(context.Background(), words, bytes.NewReader(stdin), &stdout, &stderr)
	ts.Check(os.Chdir(before))
	ts.Stdout().Write(stdout.Bytes())
	ts.Stderr().Write(stderr.Bytes())
	if got != status {
		ts.Fatalf("dojo %q: status %d, want %d; stderr %q", words, got, status, stderr.String())
	}
	lines := slices.Collect(strings.Lines(stderr.String()))
	switch {
	case status == exitDone:
	case len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], "dojo: ") || len(lines[len(lines)-1]) > 1000:
		ts.Fatalf("dojo %q: stderr %q does not end in a short line that begins with \"dojo: \"", words, stderr.String())
	case status == exitUsage && (len(lines) > 1 || stdout.Len() > 0):
		ts.Fatalf("dojo %q: stdout %q, stderr %q; want one line on stderr", words, stdout.String(), stderr.String())
	}
}
