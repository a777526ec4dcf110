package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageKnowsTheGame builds this program for a browser, as "export --as web" does. The built
// program must answer a page's questions about Breakthrough, which this program registers.
func TestPageKnowsTheGame(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is missing")
	}
	dir := t.TempDir()
	program, page := filepath.Join(dir, "program.wasm"), filepath.Join(dir, "page.cjs")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const script = `globalThis.dojo_ready = () => { require("fs").writeSync(1, dojo_start('{"game": "breakthrough"}')); process.reallyExit(0); };`
	if err := os.WriteFile(page, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("node", "--stack-size=8192", "--require", page, "../../../../model/kernel/wasm/exec.cjs", program)
	out, err := run.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"xxxxxxxx/xxxxxxxx/......../......../......../......../oooooooo/oooooooo first"`) {
		t.Errorf("the page is told %.500s, %v", out, err)
	}
}
