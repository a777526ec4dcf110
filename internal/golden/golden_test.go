package golden

import "testing"

func TestDifference(t *testing.T) {
	for _, c := range []struct {
		a, b string
		line int
	}{
		{"", "", 0},
		{"a\nb\n", "a\nb\n", 0},
		{"a\nb\n", "a\nc\n", 2},
		{"a\nb\n", "a\nb", 2},
		{"a", "a\nb", 1},
		{"", "a", 1},
		{"a\n", "a\n\n", 2},
	} {
		if line, _, _ := difference(c.a, c.b); line != c.line {
			t.Errorf("%q and %q differ in line %d, want %d", c.a, c.b, line, c.line)
		}
	}
}
