package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
)

// Only y and yes count as yes. Ctrl-C cancels the question.
func TestConfirm(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " Yes\n": true, "\n": false, "": false, "no\n": false, "yesterday\n": false} {
		var out strings.Builder
		if got, err := Confirm(t.Context(), strings.NewReader(answer), &out, "sure?"); err != nil || got != want || out.String() != "sure? [y/N] " {
			t.Errorf("answered %q: %v, %v, printed %q", answer, got, err, out.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never, writer := io.Pipe() // nothing is ever written to this pipe
	defer writer.Close()
	if _, err := Confirm(ctx, never, io.Discard, "sure?"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
