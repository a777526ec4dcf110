package web_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// imported matches the file that an import statement in the sources names. It also matches imports
// of types only.
var imported = regexp.MustCompile(`(?:from |import\(|import )"(\.[^"]*)"`)

// No file imports itself, directly or through other files.
func TestNoCircle(t *testing.T) {
	sources := os.DirFS("src")
	// seen maps each visited file to false while its imports are being followed, and to true
	// afterwards.
	seen := map[string]bool{}
	var follow func(file string, way []string)
	follow = func(file string, way []string) {
		way = append(way, file)
		if done, ok := seen[file]; ok {
			if !done {
				t.Errorf("a circle of imports: %s", strings.Join(way, " → "))
			}
			return
		}
		seen[file] = false
		text, err := fs.ReadFile(sources, file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
			follow(resolve(t, sources, path.Join(path.Dir(file), m[1])), way)
		}
		seen[file] = true
	}
	files, err := fs.Glob(sources, "*/*.ts*")
	if err != nil || len(files) < 30 {
		t.Fatalf("the sources are %v, %v", files, err)
	}
	for _, file := range append(files, "app.tsx") {
		follow(file, nil)
	}
}

// No line is wider than 120 columns, with a tab width of two.
func TestWidth(t *testing.T) {
	for _, pattern := range []string{"*.mjs", "src/*.ts*", "src/*/*.ts*", "test/*.ts"} {
		files, err := fs.Glob(os.DirFS("."), pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if w := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "  ")); w > 120 {
					t.Errorf("%s:%d has %d columns", file, i+1, w)
				}
			}
		}
	}
}

// resolve returns the file that an import names.
func resolve(t *testing.T, sources fs.FS, name string) string {
	t.Helper()
	for _, end := range []string{".ts", ".tsx", "/index.ts", ""} {
		if _, err := fs.Stat(sources, name+end); err == nil {
			return name + end
		}
	}
	t.Fatalf("there is no source %s", name)
	return ""
}
