package scratch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The folder of a running process is kept, and the folder of a killed process is removed. A folder
// without a lock is kept for a day, because its process may have only just created it.
func TestFolder(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // Windows reads TMP instead of TMPDIR
	living, remove, err := Folder("test")
	if err != nil {
		t.Fatal(err)
	}
	folder := func(name string, age time.Duration, locked bool) string {
		dir := filepath.Join(temporary, name)
		if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		if locked { // a killed process leaves a lock file that nobody holds
			if err := os.WriteFile(filepath.Join(dir, lock), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	killed := folder("dojo-verify-1", 0, true)
	beginning := folder("dojo-verify-2", time.Minute, false)
	old := folder("dojo-verify-3", 2*abandoned, false)
	others := folder("other-verify-4", 2*abandoned, true)
	second, removeSecond, err := Folder("test")
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{living: true, second: true, killed: false, beginning: true, old: false, others: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
	for dir, remove := range map[string]func() error{living: remove, second: removeSecond} {
		if err := remove(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is not removed", dir)
		}
	}
}
