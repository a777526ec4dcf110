package rundir_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dojo.example/data/rundir"
)

// Runs given as arguments come before runs found inside a folder argument. Find lists no run twice.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{"a", "b", "c"} {
		if err := os.MkdirAll(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := rundir.Folder(at(name)).Freeze([]byte("game: tictactoe\n")); err != nil {
			t.Fatal(err)
		}
	}
	got, err := rundir.Find([]string{folder, at("c") + "/"})
	if want := []rundir.Folder{rundir.Folder(at("c")), rundir.Folder(at("a")), rundir.Folder(at("b"))}; err != nil || !slices.Equal(got, want) {
		t.Errorf("a folder of runs and one of them are %q, %v, want %q", got, err, want)
	}
}

// Find also lists a run that cannot be read, whether the argument is the run or its parent folder.
func TestUnreadableRuns(t *testing.T) {
	folder := t.TempDir()
	bad := rundir.Folder(filepath.Join(folder, "bad"))
	if err := os.MkdirAll(bad.ConfigPath(), 0o755); err != nil { // a folder where the file should be
		t.Fatal(err)
	}
	for _, arg := range []string{folder, string(bad)} {
		if got, err := rundir.Find([]string{arg}); err != nil || !slices.Equal(got, []rundir.Folder{bad}) {
			t.Errorf("in %s are the runs %q, %v", arg, got, err)
		}
	}
}

// A path without a run is an error, but Find still returns the other runs.
func TestFindNone(t *testing.T) {
	folder := t.TempDir()
	bad := rundir.Folder(filepath.Join(folder, "bad"))
	if err := os.MkdirAll(bad.ConfigPath(), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := rundir.Find([]string{t.TempDir(), folder})
	if !errors.Is(err, rundir.ErrNoRun) || !slices.Equal(got, []rundir.Folder{bad}) {
		t.Errorf("the runs are %q, %v; want %q and ErrNoRun", got, err, bad)
	}
}
