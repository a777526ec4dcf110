package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"dojo.example/internal/slow"
)

// namedBlock matches a Markdown code block whose first line names the file to store the code in.
var namedBlock = regexp.MustCompile("(?s)```(?:python|javascript) (\\S+)\n(.*?)```\n")

// The example clients in docs/ANALYSIS.md work with the program exactly as they are printed there.
func TestDocumentedClients(t *testing.T) {
	slow.Test(t, "runs the programs of the documentation")
	text, err := os.ReadFile("../docs/ANALYSIS.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	name := "dojo"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Link(dojoProgram(t), filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
	blocks := namedBlock.FindAllSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Fatalf("docs/ANALYSIS.md has %d clients, want one in Python and one in JavaScript", len(blocks))
	}
	model, outputs := checkpoint(t, "onitama"), map[string]bool{}
	for _, m := range blocks {
		client := filepath.Join(dir, string(m[1]))
		if err := os.WriteFile(client, m[2], 0o644); err != nil {
			t.Fatal(err)
		}
		interpreter := "python3"
		if filepath.Ext(client) == ".mjs" {
			interpreter = "node"
		}
		if _, err := exec.LookPath(interpreter); err != nil {
			t.Logf("%s is not run: install %s", m[1], interpreter)
			continue
		}
		cmd := exec.Command(interpreter, client, model)
		cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Fatalf("%s: %v\n%s", m[1], err, stderr.String())
		}
		if n := strings.Count(string(out), " for first, best "); n != 4 || !strings.HasSuffix(strings.TrimSpace(string(out)), "pondering: cancelled") {
			t.Errorf("%s prints\n%s", m[1], out)
		}
		outputs[string(out)] = true
	}
	if len(outputs) > 1 {
		t.Errorf("the clients print different things: %v", outputs)
	}
}
