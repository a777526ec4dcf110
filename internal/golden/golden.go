// Package golden compares the output of a test with a file that a person has reviewed. With -update
// the test first writes the file:
//
//	go test ./engine/onitama -update
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files instead of comparing with them")

// Compare reports the first line in which got differs from the file at path.
func Compare(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if line, g, w := difference(got, string(want)); line > 0 {
		t.Errorf("%s:%d differs; -update rewrites it, then look at the diff\n got %q\nwant %q", path, line, g, w)
	}
}

// difference returns the number, from 1, of the first line in which a and b differ, and that line
// of each. line is 0 if a and b are equal.
func difference(a, b string) (line int, inA, inB string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n") // lines keep their line feed, so that a missing one at the end is a difference
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i + 1, x[i], y[i]
		}
	}
	return 0, "", ""
}
