package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"dojo.example/data/rundir"
)

// A trialOfLiars is a run of many generations on paper: real audits and a real ledger, and
// workers whose results are made up. One seed decides everything.
type trialOfLiars struct {
	t      *testing.T
	rng    *rand.Rand
	hub    *Hub
	shared *sharedLedger
	liars  liars

	workers []string               // that are not cut off
	store   map[int]map[int][]byte // results by generation and shard
	asked   []func(a *audit) error // answers that are on their way
	lies    int                    // false results that were handed in
	before  int                    // lies before the first one was found
	caught  bool
}

// liars says who lies, and how.
type liars struct {
	names int     // how many of the workers work together
	share float64 // of their results that are false
	from  int     // the first of their results that may be false
	fresh bool    // each result comes from a new key
}

const (
	liarWorkers = 8
	liarShards  = 32
)

func newTrialOfLiars(t *testing.T, seed uint64, verify float64, l liars) *trialOfLiars {
	t.Helper()
	folder := rundir.Folder(t.TempDir())
	ledger, err := folder.OpenLedger()
	if err != nil {
		t.Fatal(err)
	}
	x := &trialOfLiars{t: t, rng: rand.New(rand.NewPCG(seed, 1)), liars: l, shared: &sharedLedger{ledger: ledger}, store: map[int]map[int][]byte{}}
	x.hub = &Hub{opt: HubOptions{Verify: verify, Log: slog.New(slog.DiscardHandler)}, secretRand: rand.New(rand.NewPCG(seed, 2))}
	x.hub.picks = func(share float64, _ rundir.Entry) bool { return x.hub.chance() < share }
	x.hub.checksHere = func() bool { return x.hub.chance() < checkedHere }
	for i := range liarWorkers {
		kind := "honest"
		if i < l.names {
			kind = "liar"
		}
		x.workers = append(x.workers, fmt.Sprintf("%s-%d", kind, i))
	}
	return x
}

func truth(generation, shard int) []byte { return fmt.Appendf(nil, "true %d %d", generation, shard) }
func lie(generation, shard int) []byte   { return fmt.Appendf(nil, "false %d %d", generation, shard) }

func isLiar(worker string) bool { return worker[:2] == "li" }

// audit returns the audit of a generation.
func (x *trialOfLiars) audit(g int) *audit {
	if x.store[g] == nil {
		x.store[g] = map[int][]byte{}
	}
	return &audit{
		hub: x.hub, sharedLedger: x.shared, verified: x.hub.opt.Verify, generation: g, asked: map[int]inquiry{},
		read: func(shard int) ([]byte, error) {
			if content, ok := x.store[g][shard]; ok {
				return content, nil
			}
			return nil, fs.ErrNotExist
		},
		write:  func(shard int, content []byte) error { x.store[g][shard] = content; return nil },
		play:   func(_ context.Context, shard int) ([]byte, error) { return truth(g, shard), nil },
		ask:    func(shard int, of string, here bool) string { return x.ask(g, shard, of, here) },
		cutOff: func(e rundir.Entry) { x.cutOff(e.Worker) },
	}
}

func (x *trialOfLiars) cutOff(worker string) {
	if !x.caught {
		x.caught, x.before = true, x.lies
	}
	x.workers = slices.DeleteFunc(x.workers, func(w string) bool { return rundir.KeyOf(w) == rundir.KeyOf(worker) })
}

// ask asks the trainer or another worker, whose answer comes later.
func (x *trialOfLiars) ask(g, shard int, of string, here bool) (who string) {
	others := slices.DeleteFunc(slices.Clone(x.workers), func(w string) bool { return rundir.KeyOf(w) == rundir.KeyOf(of) })
	if who = rundir.Trainer; !here && len(others) > 0 {
		who = others[x.rng.IntN(len(others))]
	}
	x.asked = append(x.asked, func(a *audit) error {
		content := truth(g, shard)
		if isLiar(who) && isLiar(of) { // they know what they have sent
			content = slices.Clone(x.store[g][shard])
		}
		_, err := a.submit(x.t.Context(), who, shard, content)
		return err
	})
	return who
}

// play plays generation g until it is settled.
func (x *trialOfLiars) play(g int) error {
	a := x.audit(g)
	a.inquireAgain(time.Time{})
	for shard := range liarShards {
		if _, ok := x.store[g][shard]; ok {
			continue
		}
		from, content := rundir.Trainer, truth(g, shard)
		if n := x.rng.IntN(liarWorkers + 1); n < len(x.workers) {
			worker := x.workers[n]
			if isLiar(worker) {
				if x.liars.from--; x.liars.from < 0 && x.rng.Float64() < x.liars.share {
					content = lie(g, shard)
					x.lies++
				}
				if x.liars.fresh {
					worker = fmt.Sprintf("liar-%d", 1000+x.rng.IntN(1e9))
				}
			}
			from = worker
		}
		if _, err := a.submit(x.t.Context(), from, shard, content); err != nil {
			return err
		}
		for len(x.asked) > 0 && x.rng.IntN(2) == 0 {
			if err := x.answer(a); err != nil {
				return err
			}
		}
	}
	for len(x.asked) > 0 {
		if err := x.answer(a); err != nil {
			return err
		}
	}
	if done, err := a.isSettled(); err != nil || !done {
		return errors.Join(err, errors.New("something is not settled"))
	}
	return nil
}

// answer delivers an answer.
func (x *trialOfLiars) answer(a *audit) error {
	i := x.rng.IntN(len(x.asked))
	next := x.asked[i]
	x.asked = slices.Delete(x.asked, i, i+1)
	return next(a)
}

// rollBack does what train.Run does: it computes again what is doubted, and returns the generation
// from which the run goes on.
func (x *trialOfLiars) rollBack(g int) int {
	ledger := x.shared.ledger
	for again := true; again; {
		again = false
		for _, e := range ledger.Doubted() {
			if e.Event == rundir.Wrong {
				continue
			}
			again = true
			for _, e := range e.Judged(rundir.TextHash(truth(e.Generation, e.Shard))) {
				if x.append(e); e.Event == rundir.Wrong {
					x.cutOff(e.Worker)
				}
			}
		}
	}
	b := ledger.Owed()
	if b == nil {
		return g
	}
	x.append(rundir.Entry{Event: rundir.RolledBack, Generation: b.Generation, Shards: b.Shards, Number: b.Number})
	for _, shard := range b.Shards {
		delete(x.store[b.Generation], shard)
	}
	for later := b.Generation + 1; later <= g; later++ {
		delete(x.store, later)
	}
	return b.Generation
}

func (x *trialOfLiars) append(e rundir.Entry) {
	if err := x.shared.ledger.Append(e); err != nil {
		x.t.Fatal(err)
	}
}

// run plays all generations and returns how many false shards are in the run at its end.
func (x *trialOfLiars) run(generations int) (falsified int) {
	for g := 0; g < generations; {
		switch err := x.play(g); {
		case err == nil:
			g++
		case errors.As(err, new(*rundir.Rollback)):
			x.asked = nil
			g = x.rollBack(g)
		default:
			x.t.Fatal(err)
		}
	}
	for g, shards := range x.store {
		for shard, content := range shards {
			if string(content) != string(truth(g, shard)) {
				falsified++
			}
		}
	}
	return falsified
}

// Who lies, and with whom, is caught as docs/CLUSTER.md says: the numbers there are of
//
//	DOJO_LIARS=100 go test ./cluster -run TestLiars -v
func TestLiars(t *testing.T) {
	t.Parallel()
	trials, _ := strconv.Atoi(os.Getenv("DOJO_LIARS"))
	measured, generations := trials > 0, 4
	if measured {
		generations = 60
	}
	trials = max(trials, 1)
	for _, c := range []struct {
		name  string
		liars liars
	}{
		{"nobody lies", liars{}},
		{"one lies always", liars{names: 1, share: 1}},
		{"one lies in one of a hundred", liars{names: 1, share: 0.01}},
		{"one lies from its hundredth result on", liars{names: 1, share: 1, from: 100}},
		{"two confirm each other", liars{names: 2, share: 1}},
		{"two confirm each other, from their hundredth on", liars{names: 2, share: 1, from: 100}},
		{"four of eight confirm each other", liars{names: 4, share: 1}},
		{"a new key for each result", liars{names: 1, share: 1, fresh: true}},
	} {
		for _, verify := range []float64{0.02, 0.2, 1} {
			caught, clean, left, before := 0, 0, 0, []int(nil)
			for seed := range uint64(trials) {
				x := newTrialOfLiars(t, seed, verify, c.liars)
				n := x.run(generations)
				left += n
				if n == 0 {
					clean++
				}
				if x.caught {
					caught++
					before = append(before, x.before)
				}
				if verify == 1 && n > 0 && c.liars.names < 2 && !c.liars.fresh {
					t.Errorf("%s, seed %d: all is computed again, and %d false shards are in the run", c.name, seed, n)
				}
				if c.liars.names == 0 && x.caught {
					t.Errorf("%s, seed %d: somebody is cut off", c.name, seed)
				}
			}
			median := "–"
			if slices.Sort(before); len(before) > 0 {
				median = fmt.Sprint(before[len(before)/2])
			}
			if measured {
				t.Logf("%-48s %3.0f %%: caught in %d of %d runs, after %s lies; %d runs are true to the end, %.2f false shards in a run",
					c.name, 100*verify, caught, trials, median, clean, float64(left)/float64(trials))
			}
		}
	}
}
