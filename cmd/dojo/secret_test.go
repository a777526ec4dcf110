package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The token comes from a flag, a file or the environment, in this order.
func TestSecret(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one, empty, two := file("one", "filed\n"), file("empty", "\n"), file("two", "a\nb\n")
	t.Setenv("DOJO_TOKEN", "exported")
	for _, c := range []struct {
		flags      secretFlags
		want, says string
	}{
		{secretFlags{}, "exported", ""},
		{secretFlags{token: "typed"}, "typed", ""},
		{secretFlags{file: one}, "filed", ""},
		{secretFlags{file: empty}, "", "is not one line"},
		{secretFlags{file: two}, "", "is not one line"},
		{secretFlags{file: filepath.Join(dir, "none")}, "", "none"},
	} {
		got, err := c.flags.read()
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %q, %v; want %q, %q", c.flags, got, err, c.want, c.says)
		}
	}
}

// A trainer prints the token that it has drawn, and none that it was given; how workers join names
// no secret.
func TestJoinLineHasNoSecret(t *testing.T) {
	train := func(flags ...string) string {
		t.Helper()
		args := append([]string{"train", "tictactoe", "--run", filepath.Join(t.TempDir(), "run")}, small...)
		r := dojo(t, "", append(args, flags...)...)
		if r.status != exitDone {
			t.Fatalf("train %q: status %d, %q", flags, r.status, r.stderr)
		}
		return r.stderr
	}
	if said := train("--listen", "0.0.0.0:0", "--insecure"); !strings.Contains(said, "with the token in DOJO_TOKEN or a --token-file: ") || strings.Contains(said, "--token ") {
		t.Errorf("with a random token it says\n%s", said)
	}
	t.Setenv("DOJO_TOKEN", "xyzzy")
	if said := train("--listen", "127.0.0.1:0"); strings.Contains(said, "xyzzy") || !strings.Contains(said, "the trainer's token") {
		t.Errorf("with a token of the environment it says\n%s", said)
	}
}
