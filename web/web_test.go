package web_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dojo.example/web"
)

// What is committed is what the sources come to.
func TestBuild(t *testing.T) {
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("install what builds the pages with: npm install --prefix web --no-package-lock")
	}
	if out, err := exec.Command("node", "node_modules/typescript/bin/tsc").CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command("node", "build.mjs", dir).CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, out)
	}
	built := read(t, os.DirFS(dir))
	committed := read(t, web.Files())
	for name, text := range built {
		if !bytes.Equal(text, committed[name]) {
			t.Errorf("dist/%s is not what the sources come to: run npm run build in web", name)
		}
	}
	for name := range committed {
		if built[name] == nil {
			t.Errorf("dist/%s comes from no source", name)
		}
	}
}

func read(t *testing.T, files fs.FS) map[string][]byte {
	t.Helper()
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range entries {
		if all[e.Name()], err = fs.ReadFile(files, e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// most is how much a page may weigh, in bytes.
const most = 300_000

// The pages are light, and carry the policy that servers send; they keep it: no code
// or style stands in the page itself.
func TestPage(t *testing.T) {
	files := read(t, web.Files())
	for page, without := range map[string]string{"play": "runs.js", "runs": "table.js"} {
		weight := 0
		for name, text := range files {
			if name != without && name != "report.html" && name != "licenses.txt" {
				weight += len(text)
			}
		}
		if weight > most {
			t.Errorf("#%s weighs %d bytes, more than %d", page, weight, most)
		}
	}
	page := string(files["index.html"])
	if !strings.Contains(page, `content="`+web.Policy+`"`) {
		t.Errorf("index.html does not carry the policy %s", web.Policy)
	}
	for _, inline := range []string{"<style", " style=", "<script>", " onclick="} {
		if strings.Contains(page, inline) {
			t.Errorf("index.html has %s, which the policy forbids", inline)
		}
	}
}

// All packages are pinned to exact versions.
func TestPinned(t *testing.T) {
	for _, name := range []string{"package.json", "../export/web/independent/package.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexAny(text, "^~><*"); i >= 0 {
			t.Errorf("%s has a range of versions: %s", name, text[i:min(len(text), i+20)])
		}
	}
}
