package hub_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dojo.example/arena"
	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/selfplay"
	"dojo.example/train"
)

// A trial is a run in which shards from workers are recomputed. A shard is a file of self-play
// games.
type trial struct {
	opt    train.Options
	config string
	want   map[string]string // the files of an undisturbed run
	hub    *cluster.Hub
	stops  []int // for each stop because of a wrong result: the generation of that result
	liar   wire.Key

	elsewhere atomic.Bool // if true, workers recompute shards; otherwise the trainer does

	workers sync.WaitGroup // the honest workers, which work until the run is complete
	liars   sync.WaitGroup // the lying workers, which work until they are banned
}

// newTrial creates a run and its hub. The trainer plays nothing until the channel gate is closed,
// so that workers get some shards. A worker's shard is recomputed if picks returns true for it.
func newTrial(t *testing.T, gate <-chan struct{}, picks func(audit.Entry) bool, settings ...string) *trial {
	t.Helper()
	x := &trial{liar: wire.NewKey()}
	var err error
	if x.opt, x.config, err = newRun(t.TempDir(), settings...); err != nil {
		t.Fatal(err)
	}
	if len(settings) == 0 {
		x.want, err = want()
	} else {
		x.want, err = alone(settings...)
	}
	if err != nil {
		t.Fatal(err)
	}
	x.join(t, gate, picks)
	return x
}

// join starts a hub for the run; see newTrial.
func (x *trial) join(t *testing.T, gate <-chan struct{}, picks func(audit.Entry) bool) {
	t.Helper()
	var err error
	x.hub, err = cluster.New(t.Context(), cluster.Options{
		Name: x.opt.Name, Config: x.config, Dir: x.opt.Folder.Path("cluster"), Listen: "127.0.0.1:0", Verify: 0.5, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	x.hub.SetPicks(picks, func() bool { return !x.elsewhere.Load() })
	if err := x.hub.Attach(&x.opt, x.config); err != nil {
		t.Fatal(err)
	}
	games := x.opt.Games
	x.opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		e := job.Evaluator
		job.Evaluator = model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
			select {
			case <-gate:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			return e.Evaluate(ctx, b)
		})
		return games(ctx, f, job)
	}
}

func always(audit.Entry) bool { return true }

// work runs a worker in the background until its run is complete.
func (x *trial) work(t *testing.T, name string) {
	t.Helper()
	joined := make(chan struct{}, 1)
	x.workers.Go(func() {
		err := worker.Work(t.Context(), worker.Options{
			Join: x.hub.Address(), Name: name, Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	<-joined
}

// patience is the timeout for an event that must happen. Usually the event happens within seconds.
const patience = 5 * time.Minute

// A liar is a worker that reverses the outcomes of games.
type liar struct {
	truths int32         // number of true shards that the liar sends before it lies
	from   int           // the first generation in which the liar lies
	once   bool          // the liar lies only once in each generation
	sent   atomic.Int32  // number of shards sent
	gen    atomic.Int32  // generation of the last shard
	truth  atomic.Value  // the hash of the first true shard
	lie    atomic.Value  // the hash of the first false shard
	lies   sync.Map      // the hashes of all false shards
	lied   chan struct{} // closed when the trainer has the first lie
	late   chan struct{} // closed when the trainer has the first lie of the second generation
	first  [2]sync.Once
}

func newLiar(truths int) *liar {
	return &liar{truths: int32(truths), lied: make(chan struct{}), late: make(chan struct{})}
}

// twist decides whether the liar lies about a shard, and returns the content that the liar sends.
func (l *liar) twist(shard []byte) ([]byte, error) {
	h, rows, err := data.DecodeShard("a shard", shard, data.Limits{})
	if err != nil {
		return nil, err
	}
	isNext := l.gen.Swap(int32(h.Generation)) != int32(h.Generation)
	if n := l.sent.Add(1); n > l.truths && h.Generation >= l.from && (!l.once || isNext || n == l.truths+1) {
		for i := range rows {
			rows[i].Value = -rows[i].Value
		}
		shard, err = data.EncodeShard(h, rows)
		l.lie.CompareAndSwap(nil, rundir.TextHash(shard))
		l.lies.Store(rundir.TextHash(shard), true)
		return shard, err
	}
	l.truth.CompareAndSwap(nil, rundir.TextHash(shard))
	return data.EncodeShard(h, rows)
}

// watch returns a function that does the same as picks, and also notices when the trainer has
// received a lie. Tests let the trainer play only after that. Otherwise it could do the same task
// first, and the lie would come too late.
func (l *liar) watch(picks func(audit.Entry) bool) func(audit.Entry) bool {
	return func(e audit.Entry) bool {
		if _, ok := l.lies.Load(e.Hash); ok {
			l.first[0].Do(func() { close(l.lied) })
			if e.Generation == 1 {
				l.first[1].Do(func() { close(l.late) })
			}
		}
		return picks(e)
	}
}

// isFirstTruth reports whether a result is the first true shard that the liar has sent.
func (l *liar) isFirstTruth(e audit.Entry) bool { return e.Hash == l.truth.Load() }

// isFirstLie reports whether a result is the first false shard that the liar has sent.
func (l *liar) isFirstLie(e audit.Entry) bool { return e.Hash == l.lie.Load() }

// lie runs a liar in the background. The test fails unless the hub bans it.
func (x *trial) lie(t *testing.T, l *liar) {
	t.Helper()
	joined := make(chan struct{}, 1)
	x.liars.Go(func() {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		err := Lie(ctx, worker.Options{
			Join: x.hub.Address(), Name: "liar", Key: x.liar, Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		}, l.twist)
		if !errors.Is(err, worker.ErrRefused) || !strings.Contains(err.Error(), "from liar-") {
			t.Errorf("a worker that lied ended with %v", err)
		}
	})
	<-joined
}

// end trains the run to its end, and compares its files with the files of an undisturbed run.
func (x *trial) end(t *testing.T) {
	t.Helper()
	err := loop(t.Context(), x.opt)
	for spoiled := (*audit.SpoiledError)(nil); errors.As(err, &spoiled); err = loop(t.Context(), x.opt) {
		x.stops = append(x.stops, spoiled.Wrong[0].Generation)
		if _, err := train.BackTo(t.Context(), x.opt, spoiled.Wrong[0].Generation); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	// Wait for the liars before the hub closes. A banned worker that joins again must learn from
	// the hub why it is banned; without a hub, it would try to join forever.
	x.liars.Wait()
	x.hub.Close(true)
	x.workers.Wait()
	compareWith(t, string(x.opt.Folder), x.want, x.opt.Train.Generations)
	if best, err := x.opt.Folder.Best(); err != nil || best == "" {
		t.Errorf("the best model is %q, %v", best, err)
	}
}

// ledger returns those entries of the run's ledger (the list of the workers' results) that record
// the given kind of event.
func (x *trial) ledger(t *testing.T, event audit.Event) (all []audit.Entry) {
	t.Helper()
	if err := audit.Read(x.opt.Folder, func(e audit.Entry) {
		if e.Event == event {
			all = append(all, e)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// lagging holds the settings of a run that already plays the next games while it trains.
var lagging = []string{"train.lag=1", "train.generations=3"}

// If all shards are recomputed, the hub bans a lying worker before the trainer learns from the
// false shards. The ban is permanent.
func TestLiar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		truths   int
		settings []string
	}{{0, nil}, {2, nil}, {2, lagging}} {
		l := newLiar(c.truths)
		x := newTrial(t, l.lied, l.watch(always), c.settings...)
		x.lie(t, l)
		x.end(t)
		if cut := x.ledger(t, audit.Wrong); len(cut) == 0 || cut[0].Worker != NameOf("liar", x.liar) || cut[0].Right == cut[0].Hash {
			t.Errorf("after %d truths the ledger says %+v", c.truths, cut)
		}
		if len(x.stops) > 0 {
			t.Errorf("after %d truths the run stopped: generations %d were wrong", c.truths, x.stops)
		}

		// The ban is permanent: the next hub of this run does not admit the liar either.
		x.join(t, l.lied, always)
		err := worker.Work(t.Context(), worker.Options{Join: x.hub.Address(), Name: "liar", Key: x.liar, Workers: 1, Log: quiet})
		if !errors.Is(err, worker.ErrRefused) {
			t.Errorf("a worker that had lied was let in again: %v", err)
		}
		x.hub.Close(false)
	}
}

// If only some shards are recomputed, a liar may be caught after one of its false shards has become
// part of a committed generation. Then the run stops, and goes back only when the user asks for it.
// A run with train.lag=1 plays games early, so it may reveal the lie earlier.
func TestLateLiar(t *testing.T) {
	t.Parallel()
	for _, settings := range [][]string{nil, lagging} {
		l := newLiar(1)
		l.once = true
		x := newTrial(t, l.lied, l.watch(func(e audit.Entry) bool { return l.isFirstTruth(e) || e.Generation > 0 }), settings...)
		x.leaveSecond(l.late)
		x.lie(t, l)
		x.end(t)
		if !slices.Equal(x.stops, []int{0}) && (settings == nil || len(x.stops) > 0) {
			t.Fatalf("with %v generations %d were wrong when the run stopped", settings, x.stops)
		}
		confirmed := x.ledger(t, audit.Confirmed)
		if len(confirmed) == 0 || confirmed[0].Worker != NameOf("liar", x.liar) {
			t.Errorf("confirmed are %+v", confirmed)
		}
	}
}

// leaveSecond makes the trainer leave the second generation to workers at first: it plays no game
// of it until the channel lied is closed.
func (x *trial) leaveSecond(lied <-chan struct{}) {
	games := x.opt.Games
	x.opt.Games = func(ctx context.Context, f rundir.Folder, job selfplay.Job) (selfplay.Totals, error) {
		if e := job.Evaluator; job.Generation == 1 {
			job.Evaluator = model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
				select {
				case <-lied:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
				return e.Evaluate(ctx, b)
			})
		}
		return games(ctx, f, job)
	}
}

// leavePairs makes the trainer leave gate matches to workers at first: it plays no game of a gate
// match until a worker has sent a pair of games.
func (x *trial) leavePairs(t *testing.T) {
	source, search := x.opt.GateSource, x.opt.Game.NewSearch
	var gate atomic.Bool
	x.opt.GateSource = func(match arena.Options, generation int) (arena.Source, error) {
		gate.Store(true)
		return source(match, generation)
	}
	isPair := func(e audit.Entry) bool { return e.Gate }
	x.opt.Game.NewSearch = func(c mcts.Config) mcts.Search {
		for gate.Load() && !slices.ContainsFunc(x.ledger(t, audit.Handed), isPair) && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		return search(c)
	}
}

// A liar may send true results before its first lie. These stay in the run, even if nobody
// confirmed them, because the trainer recomputes them and finds them right.
func TestTrueBefore(t *testing.T) {
	l := newLiar(0)
	l.from = 1
	handed := make(chan struct{})
	x := newTrial(t, handed, l.watch(func(e audit.Entry) bool { return e.Generation == 1 }))
	x.leaveSecond(l.lied)
	x.leavePairs(t)
	x.lie(t, l)
	x.workers.Go(func() {
		for end := time.Now().Add(patience); len(x.ledger(t, audit.Handed)) == 0 && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		close(handed)
	})
	x.end(t)
	if len(x.stops) > 0 || len(x.ledger(t, audit.Dropped)) == 0 {
		t.Errorf("generations %d were wrong; dropped are %+v", x.stops, x.ledger(t, audit.Dropped))
	}
	confirmed := map[bool]int{} // by Entry.Gate
	for _, e := range x.ledger(t, audit.Confirmed) {
		if e.Generation == 0 && e.By == audit.Trainer {
			confirmed[e.Gate]++
		}
	}
	if confirmed[false] == 0 || confirmed[true] == 0 {
		t.Errorf("of generation 0 %d shards and %d pairs are confirmed", confirmed[false], confirmed[true])
	}
}

// The hub also catches and bans a worker that lies only in gate matches.
func TestLiarInGates(t *testing.T) {
	x := newTrial(t, nil, always)
	x.opt.Games = nil // the trainer plays the self-play games, so that the liar gets only gate matches
	x.leavePairs(t)
	joined := make(chan struct{}, 1)
	x.liars.Go(func() {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		err := LieInGates(ctx, worker.Options{
			Join: x.hub.Address(), Name: "liar", Key: x.liar, Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
		})
		if !errors.Is(err, worker.ErrRefused) || !strings.Contains(err.Error(), "of the gate of generation") {
			t.Errorf("a worker that lied ended with %v", err)
		}
	})
	<-joined
	x.end(t)
	wrong := x.ledger(t, audit.Wrong)
	if len(wrong) == 0 || !wrong[0].Gate || wrong[0].Worker != NameOf("liar", x.liar) || len(x.stops) > 0 {
		t.Errorf("the ledger says %+v; generations %d were wrong", wrong, x.stops)
	}
}

// If workers verify each other's shards, a liar is caught when it is asked to recompute another
// worker's shard.
func TestVerifiedElsewhere(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	x := newTrial(t, gate, always)
	x.elsewhere.Store(true)
	for i := range 2 {
		x.work(t, fmt.Sprint("worker ", i))
	}
	byWorker := func() bool {
		return slices.ContainsFunc(x.ledger(t, audit.Confirmed), func(e audit.Entry) bool { return e.By != audit.Trainer && e.By != e.Worker })
	}
	x.workers.Go(func() {
		for end := time.Now().Add(patience); !byWorker(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Error("no worker has confirmed the shard of another one")
				break
			}
		}
		close(gate)
	})
	x.end(t)
	handed, confirmed := x.ledger(t, audit.Handed), x.ledger(t, audit.Confirmed)
	places := map[audit.Place]bool{} // a set, because both a worker and the trainer may confirm the same shard
	for _, e := range confirmed {
		places[e.Place()] = true
	}
	if len(handed) == 0 || len(places) != len(handed) || len(x.stops) > 0 {
		t.Errorf("of %d shards %d were confirmed; generations %d were wrong", len(handed), len(places), x.stops)
	}
}
