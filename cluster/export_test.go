package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"net"
	"slices"
	"time"

	"dojo.example/arena"
	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/data/rundir"
	"dojo.example/model"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/nats-io/nats.go"
)

// FirstLot is the lot of the games of a run's first generation, as results name it.
func FirstLot(config, run, program string) string {
	return wire.NewLot("shards", runSpec{Config: config, Models: [2]string{model.NoModel}, Run: run, Program: program}, [2][]byte{}).ID()
}

// Protocol is protocol, for tests outside the package.
const Protocol = wire.Protocol

// ResultSubject is where a worker sends its results.
func ResultSubject(run, worker string) string { return subjectOf(run, worker, wire.KindResult) }

// NextSubject is where a worker asks for tasks.
func NextSubject(run, worker string) string { return subjectOf(run, worker, wire.KindNext) }

func subjectOf(run, worker, kind string) string {
	return wire.Names{Run: run}.Subject(kind, wire.Identity(worker))
}

// HelloSubject is where a worker says hello.
func HelloSubject(run, worker string) string { return subjectOf(run, worker, wire.KindHello) }

// QuestionSubject is where a worker asks which run there is.
func QuestionSubject(worker string) string { return subjectOf("", worker, wire.KindQuestion) }

// StateSubject is where a hub speaks to all workers.
func StateSubject(run string) string { return wire.Names{Run: run}.State() }

// AskForTask asks for a task of a lot as a worker that holds some already; ok is false if there is none.
func AskForTask(c *nats.Conn, run, worker, lot string, held ...int) (number int, ok bool, err error) {
	msg, err := c.Request(NextSubject(run, worker), wire.JSON(wire.Request{Worker: worker, Lot: lot, Held: held}), wire.Usual.Request)
	if err != nil {
		return 0, false, err
	}
	var a wire.Answer
	if err := json.Unmarshal(msg.Data, &a); err != nil || a.Task == nil {
		return 0, false, err
	}
	t, err := wire.DecodeTask(a.Task)
	return t.Number, err == nil, err
}

// Lie is Work for a worker that sends other shards than it should: what twist makes of
// them.
func Lie(ctx context.Context, opt WorkerOptions, twist func(shard []byte) ([]byte, error)) error {
	w := newWorker(opt)
	w.makers = maps.Clone(executorMakers)
	w.makers["shards"] = func(l wire.Lot, files [2][]byte, workers int) (executor, error) {
		honest, err := runExecutor(l, files, workers)
		return func(ctx context.Context, b taskIO) error {
			send := b.send
			b.send = func(number int, content []byte, t selfplay.Totals) error {
				content, err := twist(content)
				if err != nil {
					return err
				}
				return send(number, content, t)
			}
			return honest(ctx, b)
		}, err
	}
	return w.run(ctx)
}

// LieInGates is Work for a worker that plays the games of gates with the models swapped.
func LieInGates(ctx context.Context, opt WorkerOptions) error {
	w := newWorker(opt)
	w.makers = maps.Clone(executorMakers)
	w.makers["gate"] = func(l wire.Lot, files [2][]byte, workers int) (executor, error) {
		return runExecutor(l, [2][]byte{files[1], files[0]}, workers)
	}
	return w.run(ctx)
}

// SetPicks makes the choice of the results that are computed again, and of who does that, one
// that a test knows. Results come in another order than they were sent in, so that picks goes by what
// was handed in.
func (h *Hub) SetPicks(picks func(audit.Entry) bool, here func() bool) {
	h.picks, h.checksHere = func(_ float64, e audit.Entry) bool { return picks(e) }, here
}

// Hello is the hello of a worker.
func Hello(worker, proof string, version int, key wire.Key) []byte {
	h := wire.Hello{Worker: worker, Protocol: version, Proof: proof}
	h.Sign(key)
	return wire.JSON(h)
}

// NameOf is the name that a worker has at a hub.
func NameOf(name string, key wire.Key) string { return wire.Identified(name, key.Public()) }

// Result is the header of a result, signed with a key.
func Result(worker string, key wire.Key, lot string, number int, content string) string {
	r := wire.Result{Worker: worker, Lot: lot, Number: number, Hash: rundir.TextHash([]byte(content))}
	r.Sign(key)
	return string(wire.JSON(r))
}

// ResultWith is a Result whose worker claims so many simulations and evaluations.
func ResultWith(worker string, key wire.Key, lot string, number int, content string, made int) string {
	r := wire.Result{Worker: worker, Lot: lot, Number: number, Hash: rundir.TextHash([]byte(content)), Claim: wire.Claim{Simulations: made, Evaluations: made}}
	r.Sign(key)
	return string(wire.JSON(r))
}

// PulseSubject is where a worker sends its heartbeats.
func PulseSubject(run, worker string) string { return subjectOf(run, worker, wire.KindPulse) }

// CheckShard is what a hub finds in a shard of a run's first generation.
func CheckShard(ctx context.Context, opt *train.Options, shard int, content []byte) (selfplay.Totals, error) {
	s := &shardStore{job: opt.Job(0, model.NoModel, opt.ProgramVersion, nil), run: opt}
	return s.check(ctx, shard, content)
}

// CheckPair is what a hub finds in a pair of a match.
func CheckPair(ctx context.Context, match arena.Options, pair int, content []byte) (selfplay.Totals, error) {
	s := &pairStore{pairs: arena.NewPairs(match)}
	return s.check(ctx, pair, content)
}

// ProofOf is the Proof of a program with other evaluators.
func ProofOf(ctx context.Context, config string, evaluator func(model.Evaluator) model.Evaluator) (string, error) {
	return prove(ctx, config, evaluator)
}

// Times are the times of a hub or a worker; see times. One that is 0 is as usual.
type Times struct{ Request, Outage, Gone time.Duration }

func (t Times) times() wire.Times {
	return wire.Times{Request: cmp.Or(t.Request, wire.Usual.Request), Outage: cmp.Or(t.Outage, wire.Usual.Outage), Gone: cmp.Or(t.Gone, wire.Usual.Gone)}
}

// WithTimes is opt with other times.
func (opt HubOptions) WithTimes(t Times) HubOptions {
	opt.times = t.times()
	return opt
}

// WithTimes is opt with other times.
func (opt WorkerOptions) WithTimes(t Times) WorkerOptions {
	opt.times = t.times()
	return opt
}

// Accepted is the number of results that the hub has accepted from workers.
func (h *Hub) Accepted() (n int) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for _, m := range h.roster.members {
		n += m.Tasks
	}
	return n
}

// Knows reports whether a worker has been let in.
func (h *Hub) Knows(worker string) bool { return h.roster.knows(worker) }

// Remembers is the number of workers of which the hub remembers something.
func (h *Hub) Remembers() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	return len(h.refused) + len(h.forgivable) + len(h.roster.members) + len(h.roster.byID) + len(h.roster.turned) + len(h.roster.awaited)
}

// Refused lists the workers that the roster shows as refused.
func (h *Hub) Refused() (all []string) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for name, m := range h.roster.members {
		if m.Refused != "" {
			all = append(all, name)
		}
	}
	return all
}

// Hoard is Work for a worker that takes all tasks it can get, and keeps them.
func Hoard(ctx context.Context, opt WorkerOptions, took func()) error {
	return HoardOver(ctx, opt, nil, took, func(ctx context.Context) { wire.Sleep(ctx, math.MaxInt64) })
}

// HoardOver is Work over connections that dial makes, for a worker that takes all tasks it can get, and
// does one of them after each pause. It calls took for each that it gets.
func HoardOver(ctx context.Context, opt WorkerOptions, dial func() (net.Conn, error), took func(), pause func(ctx context.Context)) error {
	w := newWorker(opt)
	if dial != nil {
		w.line = []nats.Option{nats.SetCustomDialer(dialer(dial))}
	}
	w.makers = map[string]executorMaker{}
	for kind, maker := range executorMakers {
		w.makers[kind] = func(l wire.Lot, files [2][]byte, workers int) (executor, error) {
			honest, err := maker(l, files, workers)
			return func(ctx context.Context, io taskIO) error { return hoard(ctx, honest, io, took, pause) }, err
		}
	}
	return w.run(ctx)
}

// hoard takes all tasks of a lot, and does one of them after each pause, until it has none.
func hoard(ctx context.Context, honest executor, io taskIO, took func(), pause func(ctx context.Context)) error {
	var mine []int
	for ctx.Err() == nil {
		for number, ok := io.next(); ok; number, ok = io.next() {
			took()
			mine = append(mine, number)
		}
		if len(mine) == 0 {
			return nil
		}
		pause(ctx)
		d, err := one(ctx, honest, mine[0])
		if err == nil {
			err = io.send(mine[0], d.Content, d.Totals)
		}
		if err != nil {
			return err
		}
		mine = mine[1:]
	}
	return context.Cause(ctx)
}

// noTasks is the store of a lot without tasks.
type noTasks struct{ store }

func (noTasks) missing() ([]int, error) { return nil, nil }

// OfferFile makes a file one that an open lot needs, until remove is called, and returns its name.
func (h *Hub) OfferFile(content []byte) (name string, remove func()) {
	name = rundir.TextHash(content)
	d := &dispatch{hub: h, lot: wire.Lot{Files: [2]string{name}}, files: [2][]byte{content}, store: noTasks{}, audit: &audit.Audit{Ledger: audit.NewLedger()}}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = append(h.open, d)
	return name, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.open = slices.DeleteFunc(h.open, func(o *dispatch) bool { return o == d })
	}
}

// ErrNoFile is errNoFile, for tests outside the package.
var ErrNoFile = errNoFile

// FetchFile reads one of the hub's files over a connection, as workers do.
func (h *Hub) FetchFile(ctx context.Context, conn *nats.Conn, worker WorkerOptions, name string) ([]byte, error) {
	s := &session{worker: newWorker(worker), name: worker.Name, names: h.names, conn: conn}
	return s.fetch(ctx, name)
}

// Kill ends the hub as if its process was killed: it tells nobody.
func (h *Hub) Kill() { h.Close(false) }

// A Done is the result of a task.
type Done struct {
	Content []byte
	selfplay.Totals
}

// A Doer does a task and returns what the worker sends; honest does the task as it should be done.
type Doer func(ctx context.Context, lot string, number int, honest func() (Done, error)) ([]Done, error)

// A dialer connects to a hub wherever it is.
type dialer func() (net.Conn, error)

func (d dialer) Dial(string, string) (net.Conn, error) { return d() }

// WorkOver is Work over connections that dial makes, for a worker whose tasks do does.
func WorkOver(ctx context.Context, opt WorkerOptions, dial func() (net.Conn, error), do Doer) error {
	w := newWorker(opt)
	w.line = []nats.Option{nats.SetCustomDialer(dialer(dial))}
	w.makers = map[string]executorMaker{}
	for kind, maker := range executorMakers {
		w.makers[kind] = func(l wire.Lot, files [2][]byte, workers int) (executor, error) {
			honest, err := maker(l, files, workers)
			return func(ctx context.Context, io taskIO) error {
				for {
					number, ok := io.next()
					if !ok {
						return context.Cause(ctx)
					}
					all, err := do(ctx, l.ID(), number, func() (Done, error) { return one(ctx, honest, number) })
					for _, d := range all {
						if err == nil {
							err = io.send(number, d.Content, d.Totals)
						}
					}
					if err != nil {
						return err
					}
				}
			}, err
		}
	}
	return w.run(ctx)
}

// one does a single task.
func one(ctx context.Context, do executor, number int) (d Done, err error) {
	waiting := true
	err = do(ctx, taskIO{
		next:     func() (int, bool) { defer func() { waiting = false }(); return number, waiting },
		send:     func(_ int, content []byte, t selfplay.Totals) error { d = Done{content, t}; return nil },
		progress: func(selfplay.Totals) {},
	})
	return d, err
}

// Unheard is opt for a hub whose server does not listen; workers reach it by Pipe.
func Unheard(opt HubOptions) HubOptions {
	opt.unheard = true
	return opt
}

// Pipe connects to the hub's server within the process.
func (h *Hub) Pipe() (net.Conn, error) { return h.server.InProcessConn() }
