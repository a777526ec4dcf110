package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"dojo.example/data/rundir"
)

// A trialOfLiars simulates a run of many generations in which some workers send false results. The
// audits and the ledger are real. The results are invented. The seed determines everything that
// happens.
type trialOfLiars struct {
	t      *testing.T
	rng    *rand.Rand
	secret *rand.Rand
	ledger *Ledger
	verify float64
	liars  liars

	workers []string               // workers that are not banned
	store   map[int]map[int][]byte // stored results, by generation and number of the shard
	asked   []func(a *Audit) error // scheduled answers to requests to recompute a result
	lies    int                    // number of false results sent so far
	before  int                    // value of lies when the first false result was found
	caught  bool
	stopped bool // whether a committed generation turned out to be wrong
}

// liars describes how many workers lie and how often.
type liars struct {
	names int     // number of workers that lie and confirm each other's false results
	share float64 // share of the liars' results that are false
	from  int     // number of the liars' results before the first false one
	fresh bool    // whether the liars send each result with a new key
}

const (
	liarWorkers = 8
	liarShards  = 32
)

func newTrialOfLiars(t *testing.T, seed uint64, verify float64, l liars) *trialOfLiars {
	t.Helper()
	folder := rundir.Folder(t.TempDir())
	ledger, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	x := &trialOfLiars{t: t, rng: rand.New(rand.NewPCG(seed, 1)), secret: rand.New(rand.NewPCG(seed, 2)), ledger: ledger, verify: verify, liars: l, store: map[int]map[int][]byte{}}
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

// A liarsGeneration is one generation of a trialOfLiars. It implements Store and Crowd.
type liarsGeneration struct {
	*trialOfLiars
	g int
}

func (x liarsGeneration) Read(number int) ([]byte, error) {
	if content, ok := x.store[x.g][number]; ok {
		return content, nil
	}
	return nil, fs.ErrNotExist
}

func (x liarsGeneration) Write(number int, content []byte) error {
	x.store[x.g][number] = content
	return nil
}

func (x liarsGeneration) Picks(share float64, _ Entry) bool { return x.secret.Float64() < share }
func (x liarsGeneration) ChecksHere() bool                  { return x.secret.Float64() < CheckedHere }
func (x liarsGeneration) Works(worker string) bool          { return slices.Contains(x.workers, worker) }
func (x liarsGeneration) Ban(e Entry)                       { x.ban(e.Worker) }
func (x liarsGeneration) Mended(number int)                 { x.t.Errorf("the trainer was wrong about %d", number) }

func (x liarsGeneration) Another(than string) string {
	others := slices.DeleteFunc(slices.Clone(x.workers), func(w string) bool { return rundir.KeyOf(w) == rundir.KeyOf(than) })
	if len(others) == 0 {
		return ""
	}
	return others[x.rng.IntN(len(others))]
}

// Ask schedules an answer: the worker or trainer that is asked will later send its own result.
func (x liarsGeneration) Ask(who string, number int) {
	of, _ := x.ledger.Result(Place{Generation: x.g, Number: number})
	x.asked = append(x.asked, func(a *Audit) error {
		content := truth(x.g, number)
		if isLiar(who) && isLiar(of.Worker) { // liars confirm false results of other liars
			content = slices.Clone(x.store[x.g][number])
		}
		_, err := a.Submit(x.t.Context(), who, number, content)
		return err
	})
}

// audit returns the Audit of generation g.
func (x *trialOfLiars) audit(g int) *Audit {
	if x.store[g] == nil {
		x.store[g] = map[int][]byte{}
	}
	at := liarsGeneration{x, g}
	return &Audit{
		Ledger: x.ledger, Generation: g, Verified: x.verify, Store: at, Crowd: at,
		Play: func(_ context.Context, number int) ([]byte, error) { return truth(g, number), nil },
	}
}

func (x *trialOfLiars) ban(worker string) {
	if !x.caught {
		x.caught, x.before = true, x.lies
	}
	x.workers = slices.DeleteFunc(x.workers, func(w string) bool { return rundir.KeyOf(w) == rundir.KeyOf(worker) })
}

// play plays generation g until all picked results have been recomputed.
func (x *trialOfLiars) play(g int) error {
	a := x.audit(g)
	a.InquireAgain(time.Time{})
	for shard := range liarShards {
		if _, ok := x.store[g][shard]; ok {
			continue
		}
		from, content := Trainer, truth(g, shard)
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
		if _, err := a.Submit(x.t.Context(), from, shard, content); err != nil {
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
	if done, err := a.IsSettled(); err != nil || !done {
		return errors.Join(err, errors.New("something is not settled"))
	}
	return nil
}

// answer delivers a scheduled answer, chosen at random.
func (x *trialOfLiars) answer(a *Audit) error {
	i := x.rng.IntN(len(x.asked))
	next := x.asked[i]
	x.asked = slices.Delete(x.asked, i, i+1)
	return next(a)
}

// settle does what train.Run does before it continues with generation g after ErrDoubt.
func (x *trialOfLiars) settle(g int) error {
	x.asked = nil
	_, err := x.ledger.Settle(x.t.Context(), g, func(e Entry) error {
		delete(x.store[e.Generation], e.Shard)
		return nil
	}, func(_ context.Context, g int, results []Entry) (map[Place]string, error) {
		hashes := map[Place]string{}
		for _, e := range results {
			hashes[e.Place()] = rundir.TextHash(truth(g, e.Shard))
		}
		return hashes, nil
	})
	for worker := range x.ledger.Banned() { // Banned includes the workers that confirmed a wrong result
		x.ban(worker)
	}
	return err
}

// run plays the given number of generations, but returns early if the run stops because of a wrong
// result. It returns the number of false results that remain in the run.
func (x *trialOfLiars) run(generations int) (falsified int) {
	for g := 0; g < generations && !x.stopped; {
		err := x.play(g)
		if err == nil {
			g++
			continue
		}
		if !errors.Is(err, ErrDoubt) {
			x.t.Fatal(err)
		}
		if err = x.settle(g); errors.As(err, new(*SpoiledError)) {
			x.stopped = true
		} else if err != nil {
			x.t.Fatal(err)
		}
	}
	for g, results := range x.store {
		for number, content := range results {
			if string(content) != string(truth(g, number)) {
				falsified++
			}
		}
	}
	return falsified
}

// TestLiars checks that liars are caught as docs/VERIFICATION.md says. This command computed the
// figures in that document:
//
//	DOJO_LIARS=100 go test ./data/audit -run TestLiars -v
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
			caught, stopped, clean, left, before := 0, 0, 0, 0, []int(nil)
			for seed := range uint64(trials) {
				x := newTrialOfLiars(t, seed, verify, c.liars)
				n := x.run(generations)
				switch {
				case x.stopped:
					stopped++
				case n == 0:
					clean++
				default:
					left += n
				}
				if x.stopped && (n == 0 || verify == 1 && c.liars.names < 2 && !c.liars.fresh) {
					t.Errorf("%s, seed %d: the run has stopped, with %d false results in it", c.name, seed, n)
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
				t.Logf("%-48s %3.0f %%: caught in %d of %d runs, after %s lies; %d runs stopped, %d are true to the end, %d end with %d false results",
					c.name, 100*verify, caught, trials, median, stopped, clean, trials-stopped-clean, left)
			}
		}
	}
}
