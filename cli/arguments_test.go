package cli

import (
	"strings"
	"testing"
)

// TestCarriedArguments checks that MODEL is optional in a program that carries a model.
func TestCarriedArguments(t *testing.T) {
	a := &app{carried: tiny(t, "tictactoe", "carried", 1)}
	root := a.root()
	for want, words := range map[string][]string{
		"dojo [MODEL]": nil, "evaluate [MODEL|RUN]": {"evaluate"}, "export [MODEL]": {"export"},
		"distil [TEACHER]": {"distil"}, "play [GAME [MODEL]]": {"play"}, "solve GAME [POSITION…]": {"solve"},
	} {
		cmd, _, err := root.Find(words)
		if err != nil || cmd.Use != want {
			t.Errorf("%q is used as %q (%v), want %q", words, cmd.Use, err, want)
			continue
		}
		if err := cmd.Args(cmd, nil); (err == nil) != (want != "solve GAME [POSITION…]") {
			t.Errorf("%s without arguments: %v", want, err)
		}
		if err := cmd.Args(cmd, []string{"a", "b", "c"}); (err == nil) != strings.HasSuffix(want, "…]") {
			t.Errorf("%s with three arguments: %v", want, err)
		}
	}
}
