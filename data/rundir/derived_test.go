package rundir_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"dojo.example/data/rundir"
)

// A program that keeps metrics.jsonl or the events file open sees them grow. After a return to an
// earlier generation, the events file has a new name, and metrics.jsonl has been replaced.
func TestDerivedFilesGrow(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	publish := func(metrics, events string) {
		t.Helper()
		if err := f.PublishMetrics([]byte(metrics)); err != nil {
			t.Fatal(err)
		}
		if err := f.PublishEvents([]byte(events)); err != nil {
			t.Fatal(err)
		}
	}
	open := func(path string) *os.File {
		t.Helper()
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = file.Close() }) // the error does not matter: the file was only read
		return file
	}
	rest := func(file *os.File) string {
		t.Helper()
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	events := f.Path("events.out.tfevents.dojo")
	publish("1\n", "head,1")
	tail, board := open(f.Metrics()), open(events)
	publish("1\n2\n", "head,1,2")
	if m, e := rest(tail), rest(board); m != "1\n2\n" || e != "head,1,2" {
		t.Errorf("readers see %q and %q", m, e)
	}
	publish("1\n2\n", "head,1,2") // a restart without a new generation
	torn(t, f.Metrics(), "{\"ge")
	torn(t, events, ",3")
	publish("1\n2\n3\n", "head,1,2,3,4") // the next generation, after the process was killed
	if m, e := read(t, f.Metrics()), rest(board); m != "1\n2\n3\n" || e != ",3,4" {
		t.Errorf("after a kill the lines are %q, and a reader sees the new events %q", m, e)
	}
	if runtime.GOOS == "windows" { // Windows cannot replace an open file
		_, _ = tail.Close(), board.Close()
	}
	publish("1\nb\n", "head,1,b") // after a return to an earlier generation
	if m, names := read(t, f.Metrics()), names(t, f); m != "1\nb\n" || !slices.Equal(names, []string{"events.out.tfevents.dojo.000001"}) {
		t.Errorf("after a return the lines are %q, and the events are in %q", m, names)
	}
	if err := f.Unpublish(); err != nil {
		t.Fatal(err)
	}
	publish("x\n", "new") // after the run went back to generation 0
	if names := names(t, f); !slices.Equal(names, []string{"events.out.tfevents.dojo.000002"}) || read(t, f.Path(names[0])) != "new" {
		t.Errorf("after a return to nothing the events are in %q", names)
	}
}

// torn appends text to a file, like a killed process that has written only the beginning of a line.
func torn(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = file.WriteString(text)
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// names lists the names of the events files.
func names(t *testing.T, f rundir.Folder) (all []string) {
	t.Helper()
	paths, err := filepath.Glob(f.Path("events*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		all = append(all, filepath.Base(p))
	}
	return all
}

// Every name that an events file can have is reserved for the run.
func TestEventsBelongToTheRun(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	if err := os.WriteFile(f.ConfigPath(), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"events.out.tfevents.dojo", "events.out.tfevents.dojo.000001"} {
		if rundir.Refuse(f.Path(name)) == nil {
			t.Errorf("%s may be overwritten", name)
		}
	}
}
