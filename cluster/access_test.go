package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/cluster"
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
		flags      cluster.Secret
		want, says string
	}{
		{cluster.Secret{}, "exported", ""},
		{cluster.Secret{Token: "typed"}, "typed", ""},
		{cluster.Secret{File: one}, "filed", ""},
		{cluster.Secret{File: empty}, "", "is not one line"},
		{cluster.Secret{File: two}, "", "is not one line"},
		{cluster.Secret{File: filepath.Join(dir, "none")}, "", "none"},
	} {
		got, err := c.flags.Read()
		if got != c.want || (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %q, %v; want %q, %q", c.flags, got, err, c.want, c.says)
		}
	}
}
