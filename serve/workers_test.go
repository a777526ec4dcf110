package serve

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"dojo.example/data/rundir"
)

// The server reports changes in the list of workers. If the file of workers cannot be read, the
// server reports no workers.
func TestWorkers(t *testing.T) {
	f := smallRun(t)
	s := newServer(t, f)
	helpers := func() *rundir.Workers {
		s.again()
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.runs[0].snapshotSince(0).Workers
	}
	if w := helpers(); w != nil {
		t.Errorf("nobody helps, and the server tells of %+v", w)
	}
	path := f.Path(rundir.WorkersPath)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	want := rundir.Worker{Name: "east", System: "linux/arm64", Seen: time.Unix(1, 0).UTC(), Held: 2, Tasks: 3, GamesPerSecond: 4.5, Refused: "it lies"}
	if err := rundir.WriteWorkers(path, rundir.Workers{Time: time.Unix(2, 0).UTC(), Workers: []rundir.Worker{want}}); err != nil {
		t.Fatal(err)
	}
	before := s.runs[0].changed
	if w := helpers(); w == nil || len(w.Workers) != 1 || w.Workers[0] != want {
		t.Errorf("the server tells of %+v, want %+v", w, want)
	}
	if s.runs[0].changed == before {
		t.Error("clients are not told that somebody helps")
	}
	write(t, path, []byte("{"))
	if w := helpers(); w != nil {
		t.Errorf("of a broken file the server tells %+v", w)
	}
}
