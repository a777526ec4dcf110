// Package golden compares what a test writes with a file that a person has
// looked at. With -update the test writes the file instead:
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

// Compare reports the first line in which got differs from the file.
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

// difference is the first line, from 1, in which two texts differ, and that
// line in either; 0 if they are equal.
func difference(a, b string) (line int, inA, inB string) {
	if a == b {
		return 0, "", ""
	}
	for {
		line++
		nextA, restA, moreA := strings.Cut(a, "\n")
		nextB, restB, moreB := strings.Cut(b, "\n")
		if nextA != nextB || moreA != moreB {
			return line, nextA, nextB
		}
		a, b = restA, restB
	}
}
