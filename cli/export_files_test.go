package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportReplacesNothing: what stands where an export is to go stays,
// unless --force says otherwise.
func TestExportReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.onnx")
	export := []string{"export", checkpoint(t, "tictactoe"), "--as", "onnx", "-o", path}
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := dojo(t, "", export...)
	if r.status != exitFailed || !strings.Contains(r.stderr, "--force") {
		t.Errorf("over a file that exists: status %d, stderr %q", r.status, r.stderr)
	}
	oneErrorLine(t, export, r)
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
	done(t, "", append(export, "--force")...)
	if info, err := os.Stat(path); err != nil || info.Size() < 1000 {
		t.Errorf("with --force nothing is written: %v", err)
	}
	done(t, "", append(export[:len(export)-1], os.DevNull)...)
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v now, %v", os.DevNull, info.Mode(), err)
	}
}

// TestExportWebKeepsOtherThings: a page is not written among other files.
func TestExportWebKeepsOtherThings(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"export", checkpoint(t, "tictactoe"), "--as", "web", "--force", "-o", dir}
	r := dojo(t, "", args...)
	if r.status != exitFailed || !strings.Contains(r.stderr, "index.html") {
		t.Errorf("into a folder with a page: status %d, stderr %q", r.status, r.stderr)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("in the folder are %v, %v", left, err)
	}
}

// TestPlaySaveReplacesNothing is the same at the prompt of play.
func TestPlaySaveReplacesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "game")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := typed(t, []string{"a3", "save " + path}, "tictactoe", "--second", "human")
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" || !strings.Contains(out, "--force") {
		t.Errorf("the file is %q, %v; play said %q", text, err, out)
	}
	out = typed(t, []string{"a3", "save --force " + path}, "tictactoe", "--second", "human")
	if text, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(text), "\na3\n") || !strings.Contains(out, "saved to "+path) {
		t.Errorf("with --force the file is %q, %v; play said %q", text, err, out)
	}
}
