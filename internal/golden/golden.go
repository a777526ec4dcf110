// Package golden compares the output of a test with a golden file, which contains the expected
// output, reviewed by a person. With -update, a test first writes its output to the golden file:
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

// Compare compares got with the golden file at path. If they differ, the test fails and shows the
// first different line.
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

// difference finds the first line in which a and b differ. It returns the line number, counted from
// 1, and the line in a and in b. If a and b are equal, the number is 0.
func difference(a, b string) (line int, inA, inB string) {
	x, y := strings.SplitAfter(a, "\n"), strings.SplitAfter(b, "\n") // lines include their line feed, so a missing line feed at the end is a difference
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return i + 1, x[i], y[i]
		}
	}
	return 0, "", ""
}
