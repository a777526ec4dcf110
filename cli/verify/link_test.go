package verify

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// If symbolic links are not possible, as on Windows, link makes hard links or copies instead.
func TestLinkWithoutSymlinks(t *testing.T) {
	for name, link1 := range map[string]func(old, made string) error{
		"symbolic links": symlink,
		"none":           func(string, string) error { return errors.New("a required privilege is not held by the client") },
	} {
		t.Run(name, func(t *testing.T) {
			old := symlink
			symlink = link1
			defer func() { symlink = old }()
			from, to := t.TempDir(), filepath.Join(t.TempDir(), "samples")
			if err := os.MkdirAll(filepath.Join(from, "gen-000000"), 0o755); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"a", filepath.Join("gen-000000", "shard")} {
				if err := os.WriteFile(filepath.Join(from, path), []byte(path), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := link(from, to); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{"a", filepath.Join("gen-000000", "shard")} {
				if text, err := os.ReadFile(filepath.Join(to, path)); string(text) != path {
					t.Errorf("%s reads %q, %v", path, text, err)
				}
			}
		})
	}
}
