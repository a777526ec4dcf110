package console

import "testing"

// Tab completes a line up to the first character at which the matching words differ.
func TestCompleted(t *testing.T) {
	words := []string{"6 C1C2", "6 C1D2", "8 A1A2", "quit", "save "}
	for line, want := range map[string]string{"6": "6 C1", "8": "8 A1A2", "QU": "quit", "s": "save ", "x": "x", "": ""} {
		if got := completed(line, words); got != want {
			t.Errorf("%q is completed to %q, want %q", line, got, want)
		}
	}
}
