package rundir_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// open opens the ledger of a run.
func open(t *testing.T, f rundir.Folder) *rundir.Ledger {
	t.Helper()
	l, err := f.OpenLedger()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// handed is a shard of generation g that worker w handed in.
func handed(w string, g, shard int) rundir.Entry {
	return rundir.Entry{Event: rundir.Handed, Generation: g, Shard: shard, Worker: w, Hash: "0"}
}

// as is an entry with another event.
func as(event rundir.Event, e rundir.Entry) rundir.Entry {
	e.Event, e.By = event, rundir.Trainer
	return e
}

// by is the confirmation of a shard by a worker.
func by(worker string, e rundir.Entry) rundir.Entry {
	e.Event, e.By = rundir.Confirmed, worker
	return e
}

// picked is a shard that was chosen to be computed again.
func picked(e rundir.Entry) rundir.Entry {
	e.Picked = true
	return e
}

// gate is the pair of a gate that has a shard's number.
func gate(e rundir.Entry) rundir.Entry {
	e.Gate = true
	return e
}

// When a worker is found to be wrong, all is doubted that it handed in or confirmed, but for what
// the trainer has confirmed, and nothing of others.
func TestOwed(t *testing.T) {
	a, b := "a", "b"
	for name, c := range map[string]struct {
		entries    []rundir.Entry
		generation int // -1: nothing is owed
		shards     []int
	}{
		"nobody is wrong":             {[]rundir.Entry{handed(a, 0, 0), as(rundir.Confirmed, handed(a, 0, 0))}, -1, nil},
		"nothing was ever confirmed":  {[]rundir.Entry{handed(a, 0, 3), handed(b, 0, 1), handed(a, 1, 0), as(rundir.Wrong, handed(a, 1, 0))}, 0, []int{3}},
		"confirmed before":            {[]rundir.Entry{handed(a, 0, 3), handed(a, 1, 0), as(rundir.Confirmed, handed(a, 1, 0)), handed(a, 2, 1), handed(a, 2, 0), as(rundir.Wrong, handed(a, 2, 1))}, 0, []int{3}},
		"confirmed after it":          {[]rundir.Entry{picked(handed(a, 0, 3)), handed(a, 0, 4), handed(a, 0, 5), as(rundir.Confirmed, handed(a, 0, 5)), as(rundir.Wrong, handed(a, 0, 3))}, 0, []int{3, 4}},
		"nothing of it is in the run": {[]rundir.Entry{handed(a, 0, 3), as(rundir.Wrong, handed(b, 0, 3))}, -1, nil},
		"two at a time":               {[]rundir.Entry{handed(a, 4, 0), handed(b, 3, 7), handed(b, 4, 1), as(rundir.Wrong, handed(a, 4, 0)), as(rundir.Wrong, handed(b, 4, 0))}, 3, []int{7}},
		"a pair of a gate":            {[]rundir.Entry{handed(a, 1, 4), as(rundir.Confirmed, handed(a, 1, 4)), gate(handed(a, 1, 4)), handed(a, 2, 0), as(rundir.Wrong, gate(handed(a, 1, 4)))}, 1, nil},
		"a shard before a gate":       {[]rundir.Entry{handed(a, 1, 4), gate(handed(a, 1, 0)), as(rundir.Wrong, gate(handed(a, 1, 0)))}, 1, []int{4}},
		"confirmed in a gate":         {[]rundir.Entry{handed(a, 1, 4), gate(handed(a, 1, 0)), as(rundir.Confirmed, gate(handed(a, 1, 0))), handed(a, 3, 5), as(rundir.Wrong, handed(a, 3, 5))}, 1, []int{4}},
		"confirmed by a worker":       {[]rundir.Entry{handed(a, 0, 3), by(b, handed(a, 0, 3)), handed(a, 1, 0), as(rundir.Wrong, handed(a, 1, 0))}, 0, []int{3}},
		"its confirmations":           {[]rundir.Entry{handed(b, 0, 3), by(a, handed(b, 0, 3)), handed(b, 0, 4), handed(a, 1, 0), as(rundir.Wrong, handed(a, 1, 0))}, 0, []int{3}},
		"another name of its key":     {[]rundir.Entry{handed("x-K", 0, 3), handed("y-K", 1, 0), as(rundir.Wrong, handed("y-K", 1, 0))}, 0, []int{3}},
		"a gate undone already":       {[]rundir.Entry{gate(handed(a, 1, 4)), as(rundir.Wrong, gate(handed(a, 1, 4))), {Event: rundir.RolledBack, Generation: 1}}, -1, nil},
		"undone already":              {[]rundir.Entry{handed(a, 0, 3), as(rundir.Wrong, handed(a, 0, 3)), {Event: rundir.RolledBack, Shards: []int{3}}}, -1, nil},
	} {
		f := rundir.Folder(t.TempDir())
		l := open(t, f)
		for _, e := range c.entries {
			if err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		for i, l := range []*rundir.Ledger{l, open(t, f)} { // the second is as another process reads it
			switch b := l.Owed(); {
			case b == nil && c.generation < 0:
			case b == nil || b.Generation != c.generation || !slices.Equal(b.Shards, c.shards):
				t.Errorf("%s, read %d times: %+v, want generation %d and shards %v", name, i, b, c.generation, c.shards)
			}
		}
	}
}

// A shard that is picked is pending until it is confirmed, dropped or undone.
func TestPending(t *testing.T) {
	for _, end := range []rundir.Entry{as(rundir.Confirmed, handed("a", 1, 2)), as(rundir.Dropped, handed("a", 1, 2)), {Event: rundir.RolledBack, Generation: 0}} {
		l := open(t, rundir.Folder(t.TempDir()))
		if err := l.Append(handed("a", 1, 1), picked(handed("a", 1, 2))); err != nil {
			t.Fatal(err)
		}
		if p := l.Pending(); len(p) != 1 || p[0].Shard != 2 {
			t.Errorf("pending are %+v, want shard 2", p)
		}
		if err := l.Append(end); err != nil {
			t.Fatal(err)
		}
		if p := l.Pending(); len(p) > 0 {
			t.Errorf("after %q %+v is pending", end.Event, p)
		}
	}
}

// The line that a killed process left incomplete does not count, and is written over; one
// that is damaged is an error that says where.
func TestTornLedger(t *testing.T) {
	f := rundir.Folder(t.TempDir())
	if err := open(t, f).Append(handed("a", 0, 0), handed("a", 0, 1)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.Ledger())
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.SplitAfter(string(text), "\n")
	if err := os.WriteFile(f.Ledger(), []byte(whole[0]+whole[1][:40]), 0o644); err != nil {
		t.Fatal(err)
	}
	l := open(t, f)
	if _, ok := l.HandIn(rundir.Entry{Shard: 1}); ok {
		t.Error("an incomplete line counts")
	}
	if err := l.Append(handed("a", 0, 2)); err != nil {
		t.Fatal(err)
	}
	l = open(t, f)
	for shard, want := range []bool{true, false, true} {
		if _, ok := l.HandIn(rundir.Entry{Shard: shard}); ok != want {
			t.Errorf("the ledger has shard %d: %v, want %v", shard, ok, want)
		}
	}
	if err := os.WriteFile(f.Ledger(), []byte(whole[0]+"{\n"+whole[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := f.OpenLedger(); err == nil || !strings.Contains(err.Error(), f.Ledger()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a damaged ledger: %v", err)
	}
}

// A run that may go back keeps the trainer state of some generations.
func TestForgetKeepsSome(t *testing.T) {
	for every, want := range map[int][]int{0: {9, 10}, 4: {3, 7, 9, 10}} {
		f := rundir.Folder(t.TempDir())
		lock, err := f.LockStages()
		if err != nil {
			t.Fatal(err)
		}
		for g := range 11 {
			if err := os.WriteFile(f.TrainerState(g), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Forget(8, every); err != nil {
			t.Fatal(err)
		}
		var kept []int
		for g := range 11 {
			if _, err := os.Stat(f.TrainerState(g)); err == nil {
				kept = append(kept, g)
			}
		}
		if !slices.Equal(kept, want) {
			t.Errorf("every %d: kept are the states of %v, want %v", every, kept, want)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
