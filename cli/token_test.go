package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A token on the command line takes precedence over one in a file, and a file takes precedence over
// the environment.
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
		flags      tokenSource
		want, says string
	}{
		{tokenSource{}, "exported", ""},
		{tokenSource{Token: "typed"}, "typed", ""},
		{tokenSource{File: one}, "filed", ""},
		{tokenSource{File: empty}, "", "must have exactly one line"},
		{tokenSource{File: two}, "", "must have exactly one line"},
		{tokenSource{File: filepath.Join(dir, "none")}, "", "none"},
	} {
		got, err := c.flags.read()
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %q, %v; want %q, %q", c.flags, got, err, c.want, c.says)
		}
	}
}

// If other machines can connect to a trainer, it requires either encryption or --insecure.
func TestPlainTextIsSaid(t *testing.T) {
	open := access{Listen: "0.0.0.0:0"}
	if err := open.check(); err == nil || !strings.Contains(err.Error(), "--insecure") {
		t.Errorf("a trainer that listens without a certificate: %v", err)
	}
}
