package wire_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/cluster/wire"
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
		flags      wire.Secret
		want, says string
	}{
		{wire.Secret{}, "exported", ""},
		{wire.Secret{Token: "typed"}, "typed", ""},
		{wire.Secret{File: one}, "filed", ""},
		{wire.Secret{File: empty}, "", "is not one line"},
		{wire.Secret{File: two}, "", "is not one line"},
		{wire.Secret{File: filepath.Join(dir, "none")}, "", "none"},
	} {
		got, err := c.flags.Read()
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %q, %v; want %q, %q", c.flags, got, err, c.want, c.says)
		}
	}
}
