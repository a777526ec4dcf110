package web_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"dojo.example/serve/web"
)

// The sources of the pages have correct types and formatting, and building them reproduces the
// committed files in dist.
func TestBuild(t *testing.T) {
	npm(t, "run", "check")
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

// The unit tests cover the functions of the pages and the controller of the page for play.
func TestUnits(t *testing.T) { npm(t, "test") }

// npm runs a script of package.json.
func npm(t *testing.T, args ...string) {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("install what builds the pages with: npm install --prefix serve/web --no-package-lock")
	}
	if out, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		t.Errorf("npm %s: %v\n%s", strings.Join(args, " "), err, out)
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

// most is the largest permitted size of each page, in bytes.
const most = 300_000

// The pages are small. They contain the same content security policy that servers send, and they
// obey it: the HTML contains no code and no styles.
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

// All npm packages are pinned to exact versions.
func TestPinned(t *testing.T) {
	for _, name := range []string{"package.json", "../../export/web/independent/package.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := regexp.MustCompile(`: "[~^<>*].*`).Find(text); r != nil {
			t.Errorf("%s has a range of versions: %s", name, r)
		}
	}
}

// Each colour variable also has a plain value, for browsers that do not know light-dark().
func TestColoursWithoutLightDark(t *testing.T) {
	style, err := fs.ReadFile(web.Files(), "style.css")
	if err != nil {
		t.Fatal(err)
	}
	plain := regexp.MustCompile(`@supports \(color: light-dark\(#000,#fff\)\)\{:root\{[^{}]*\}\}`).ReplaceAllString(string(style), "")
	if strings.Contains(plain, "light-dark") {
		t.Error("light-dark() is used outside @supports: a browser that lacks it ignores the declaration")
	}
	for _, m := range regexp.MustCompile(`(--[a-z0-9-]+):\s*light-dark\(`).FindAllStringSubmatch(string(style), -1) {
		if !regexp.MustCompile(m[1] + `:\s*#`).MatchString(plain) {
			t.Errorf("%s has no value for browsers without light-dark()", m[1])
		}
	}
}

// The page claims to have been opened from a file only if that is true.
func TestWhyNothingStarts(t *testing.T) {
	page, err := fs.ReadFile(web.Files(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	// If a page is opened from a file, browsers load no modules. So boot.js, which explains why the
	// page does not work, must be a classic script, and it must come first.
	boot := strings.Index(string(page), `<script src="boot.js">`)
	if app := strings.Index(string(page), `<script type="module"`); boot < 0 || boot > app {
		t.Error("the script that knows why nothing starts is not a classic one before the modules")
	}
	for _, because := range []string{"server", "file", "browser"} {
		if strings.Count(string(page), `data-for="`+because+`"`) != 1 {
			t.Errorf("there is not one paragraph for %q", because)
		}
	}
}
