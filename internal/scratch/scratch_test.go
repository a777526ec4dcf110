package scratch

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// The folder of a living process stays, those of killed ones go.
func TestFolder(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary) // on Windows
	living, removeLiving, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	folder := func(name string, age time.Duration) string {
		dir := filepath.Join(temporary, name)
		if err := os.MkdirAll(filepath.Join(dir, "deep"), 0o700); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(dir, then, then); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	killed := folder(".tmp-dojo-1", time.Minute)
	old := folder(".tmp-dojo-2", 2*abandoned)
	others := folder(".tmp-other-3", 2*abandoned)
	second, removeSecond, err := Folder()
	if err != nil {
		t.Fatal(err)
	}
	locks := runtime.GOOS != "windows" // without them the age decides
	for dir, want := range map[string]bool{living: true, second: true, killed: !locks, old: false, others: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
	removeLiving()
	removeSecond()
	for _, dir := range []string{living, second} {
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s is not removed", dir)
		}
	}
}
