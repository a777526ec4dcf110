package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// open opens the ledger of a run. If that fails, the test fails.
func open(t *testing.T, f rundir.Folder) *Ledger {
	t.Helper()
	l, err := Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// handed returns the entry of a shard of generation g that worker w has sent.
func handed(w string, g, shard int) Entry {
	return Entry{Event: Handed, Generation: g, Shard: shard, Worker: w, Hash: "0"}
}

// as returns a copy of an entry with a different event, as if the trainer had added it.
func as(event Event, e Entry) Entry {
	e.Event, e.By = event, Trainer
	return e
}

// by returns the entry that is written when a worker confirms the shard of entry e.
func by(worker string, e Entry) Entry {
	e.Event, e.By = Confirmed, worker
	return e
}

// picked returns a copy of an entry that marks the result as one that must be recomputed.
func picked(e Entry) Entry {
	e.Picked = true
	return e
}

// other returns a copy of an entry with a different hash, as for a different result.
func other(e Entry) Entry {
	e.Hash = "2"
	return e
}

// gate returns a copy of an entry that describes a pair of gate games, instead of the shard with
// the same number.
func gate(e Entry) Entry {
	e.Gate = true
	return e
}

// When a worker has sent a wrong result, all results that it sent or confirmed are in doubt, except
// those that the trainer has confirmed. All other results are not in doubt.
func TestDoubted(t *testing.T) {
	a, b := "a", "b"
	for name, c := range map[string]struct {
		entries []Entry
		want    []Place
	}{
		"nobody is wrong":             {[]Entry{handed(a, 0, 0), as(Confirmed, handed(a, 0, 0))}, nil},
		"nothing was ever confirmed":  {[]Entry{handed(a, 0, 3), handed(b, 0, 1), handed(a, 1, 0), as(Wrong, handed(a, 1, 0))}, []Place{{0, 3, false}, {1, 0, false}}},
		"confirmed before":            {[]Entry{handed(a, 0, 3), handed(a, 1, 0), as(Confirmed, handed(a, 1, 0)), handed(a, 2, 1), as(Wrong, handed(a, 2, 1))}, []Place{{0, 3, false}, {2, 1, false}}},
		"confirmed after it":          {[]Entry{picked(handed(a, 0, 3)), handed(a, 0, 4), handed(a, 0, 5), as(Confirmed, handed(a, 0, 5)), as(Wrong, handed(a, 0, 3))}, []Place{{0, 3, false}, {0, 4, false}}},
		"nothing of it is in the run": {[]Entry{handed(a, 0, 3), as(Wrong, other(handed(b, 0, 3)))}, nil},
		"two at a time":               {[]Entry{handed(a, 4, 0), handed(b, 3, 7), handed(b, 4, 1), as(Wrong, handed(a, 4, 0)), as(Wrong, other(handed(b, 4, 0)))}, []Place{{3, 7, false}, {4, 0, false}, {4, 1, false}}},
		"a pair of a gate":            {[]Entry{handed(a, 1, 4), as(Confirmed, handed(a, 1, 4)), gate(handed(a, 1, 4)), as(Wrong, gate(handed(a, 1, 4)))}, []Place{{1, 4, true}}},
		"confirmed by a worker":       {[]Entry{handed(a, 0, 3), by(b, handed(a, 0, 3)), handed(a, 1, 0), as(Wrong, handed(a, 1, 0))}, []Place{{0, 3, false}, {1, 0, false}}},
		"its confirmations":           {[]Entry{handed(b, 0, 3), by(a, handed(b, 0, 3)), handed(b, 0, 4), as(Wrong, other(handed(a, 0, 4)))}, []Place{{0, 3, false}}},
		"another name of its key":     {[]Entry{handed("x-K", 0, 3), as(Wrong, other(handed("y-K", 1, 0)))}, []Place{{0, 3, false}}},
		"dropped since":               {[]Entry{handed(a, 0, 3), as(Wrong, handed(a, 0, 3)), as(Dropped, handed(a, 0, 3))}, nil},
		"gone back since":             {[]Entry{handed(a, 0, 3), gate(handed(a, 1, 3)), as(Wrong, handed(a, 0, 3)), {Event: Back}}, nil},
		"gone back to a later one":    {[]Entry{handed(a, 0, 3), handed(a, 1, 3), as(Wrong, handed(a, 1, 3)), {Event: Back, Generation: 1}}, []Place{{0, 3, false}}},
		"an older program went back":  {[]Entry{handed(a, 0, 3), handed(a, 0, 4), gate(handed(a, 0, 1)), as(Wrong, handed(a, 0, 3)), as(Confirmed, handed(a, 0, 4)), {Event: "rollback", Shards: []int{3}}}, nil},
		"an older program kept some":  {[]Entry{handed(a, 0, 3), handed(a, 0, 4), as(Wrong, handed(a, 0, 3)), {Event: "rollback", Shards: []int{3}}}, []Place{{0, 4, false}}},
	} {
		f := rundir.Folder(t.TempDir())
		l := open(t, f)
		for _, e := range c.entries {
			if err := l.Append(e); err != nil {
				t.Fatal(err)
			}
		}
		// The second ledger is what another process would read from the file.
		for i, l := range []*Ledger{l, open(t, f)} {
			var got []Place
			for _, e := range l.doubted() {
				got = append(got, e.Place())
			}
			if !slices.Equal(got, c.want) || l.Doubts() != (len(c.want) > 0) {
				t.Errorf("%s, read %d times: doubted are %v, want %v", name, i, got, c.want)
			}
		}
	}
}

// Settle drops results in doubt if their generation is not committed. If it is committed, the
// trainer recomputes them. If all of them turn out to be right, the run goes on. Otherwise it stops
// with an error that names the first generation with a wrong result.
func TestSettle(t *testing.T) {
	for name, c := range map[string]struct {
		committed int
		false     []Place // places of the results that turn out to be wrong when they are recomputed
		dropped   []Place
		spoiled   int // generation that the expected SpoiledError names; -1 if none is expected
		banned    int
	}{
		"nothing counts yet":           {0, nil, []Place{{0, 1, false}, {1, 2, false}, {1, 3, false}, {1, 4, true}}, -1, 1},
		"all that counts is right":     {1, nil, []Place{{1, 2, false}, {1, 3, false}, {1, 4, true}}, -1, 1},
		"what counts is wrong":         {1, []Place{{0, 1, false}}, nil, 0, 1},
		"a gate that counts is wrong":  {2, []Place{{1, 3, false}, {1, 4, true}}, nil, 1, 1},
		"so is what somebody confirms": {2, []Place{{1, 3, false}, {1, 2, false}}, nil, 1, 2},
	} {
		f := rundir.Folder(t.TempDir())
		l := open(t, f)
		a := "a"
		err := l.Append(handed("b", 0, 0), handed(a, 0, 1), handed(a, 1, 2), by("c", handed(a, 1, 2)), handed(a, 1, 3), gate(handed(a, 1, 4)),
			as(Wrong, handed(a, 1, 3)))
		if err != nil {
			t.Fatal(err)
		}
		var dropped []Place
		isDropped, err := l.Settle(t.Context(), c.committed, func(e Entry) error {
			dropped = append(dropped, e.Place())
			return nil
		}, func(_ context.Context, g int, results []Entry) (map[Place]string, error) {
			hashes := map[Place]string{}
			for _, e := range results {
				if e.Generation != g || g >= c.committed {
					t.Errorf("%s: %s is computed again, of generation %d", name, e.What(), g)
				}
				if hashes[e.Place()] = e.Hash; slices.Contains(c.false, e.Place()) {
					hashes[e.Place()] = "1"
				}
			}
			return hashes, nil
		})
		spoiled := -1
		if wrong := (*SpoiledError)(nil); errors.As(err, &wrong) {
			spoiled, err = wrong.Wrong[0].Generation, nil
			if !strings.Contains(wrong.Error(), fmt.Sprintf("generation %d was made with a wrong result", spoiled)) {
				t.Errorf("%s: %v", name, wrong)
			}
		}
		if err != nil || isDropped != (len(c.dropped) > 0) || !slices.Equal(dropped, c.dropped) || len(l.Banned()) != c.banned {
			t.Errorf("%s: dropped %v, want %v; banned are %v, want %d; %v", name, dropped, c.dropped, l.Banned(), c.banned, err)
		}
		// In these cases the results of generation 1 were dropped.
		if c.committed == 1 && spoiled < 0 || c.committed == 0 {
			if l.Doubts() || spoiled != c.spoiled {
				t.Errorf("%s: generation %d is wrong, want %d; still doubted: %v", name, spoiled, c.spoiled, l.doubted())
			}
		} else if spoiled != c.spoiled || !open(t, f).Doubts() {
			t.Errorf("%s: generation %d is wrong, want %d; the next process does not know it", name, spoiled, c.spoiled)
		}
	}
}

// A picked shard stays picked until it is confirmed, until it is dropped, or until the run goes
// back to an earlier generation.
func TestPending(t *testing.T) {
	for _, end := range []Entry{as(Confirmed, handed("a", 1, 2)), as(Dropped, handed("a", 1, 2)), {Event: Back}} {
		l := open(t, rundir.Folder(t.TempDir()))
		if err := l.Append(handed("a", 1, 1), picked(handed("a", 1, 2))); err != nil {
			t.Fatal(err)
		}
		if p := l.Select(Picked); len(p) != 1 || p[0].Shard != 2 {
			t.Errorf("pending are %+v, want shard 2", p)
		}
		if err := l.Append(end); err != nil {
			t.Fatal(err)
		}
		if p := l.Select(Picked); len(p) > 0 {
			t.Errorf("after %q %+v is pending", end.Event, p)
		}
	}
}

// An incomplete last line, which a killed process may leave, is ignored and later overwritten. A
// damaged line gives an error that names its position.
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
	if _, ok := l.Result(Place{Number: 1}); ok {
		t.Error("an incomplete line counts")
	}
	if err := l.Append(handed("a", 0, 2)); err != nil {
		t.Fatal(err)
	}
	l = open(t, f)
	for shard, want := range []bool{true, false, true} {
		if _, ok := l.Result(Place{Number: shard}); ok != want {
			t.Errorf("the ledger has shard %d: %v, want %v", shard, ok, want)
		}
	}
	if err := os.WriteFile(f.Ledger(), []byte(whole[0]+"{\n"+whole[1]), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f); err == nil || !strings.Contains(err.Error(), f.Ledger()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a damaged ledger: %v", err)
	}
}
