package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/internal/balance"
	"dojo.example/internal/timing"
	"dojo.example/selfplay"
	"dojo.example/train"

	"github.com/nats-io/nats.go"
)

// poolTimes are the times of the workers in these tests. They look at the runs often.
var poolTimes = wire.Times{Request: 500 * time.Millisecond, Survey: 40 * time.Millisecond, Gone: time.Second}

// A pooledRun is one of several runs that share a server.
type pooledRun struct {
	*cluster.Hub
	opt   train.Options
	begin chan struct{} // when it is closed, the trainer may play games
	ended chan error    // receives the result of the training
	want  map[string]string
}

// startPooled starts a run with its own name and seed at the server s. Its trainer waits before it
// plays games.
func startPooled(t *testing.T, s *natsServer, name string, seed int, weight float64) *pooledRun {
	t.Helper()
	setting := fmt.Sprint("seed=", seed)
	want, err := alone(setting)
	if err != nil {
		t.Fatal(err)
	}
	opt, config, err := newRun(t.TempDir(), setting)
	if err != nil {
		t.Fatal(err)
	}
	r := &pooledRun{opt: opt, begin: make(chan struct{}), ended: make(chan error, 1), want: want}
	r.Hub, err = cluster.New(t.Context(), cluster.Options{
		Name: name, Config: config, Dir: opt.Folder.Path("cluster"), URL: s.ClientURL(), Weight: weight, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Attach(&r.opt, config); err != nil {
		t.Fatal(err)
	}
	waitFirst(&r.opt, r.begin)
	return r
}

// train trains the run in the background.
func (r *pooledRun) train(ctx context.Context) {
	go func() {
		err := loop(ctx, r.opt)
		r.Close(err == nil)
		r.ended <- err
	}()
}

// finish lets the trainer play, waits until the run is complete, and compares its files with those
// of the run alone.
func (r *pooledRun) finish(t *testing.T) {
	t.Helper()
	close(r.begin)
	if err := <-r.ended; err != nil {
		t.Fatal(err)
	}
	compareWith(t, string(r.opt.Folder), r.want, 2)
}

// A pooledWorker is a worker that serves several runs.
type pooledWorker struct {
	slog.Handler
	joined chan string            // receives the name of each run that the worker joins
	run    atomic.Pointer[string] // the run that it has joined last
	ended  chan error             // receives the result of worker.Work
	stop   context.CancelFunc
}

func (w *pooledWorker) Enabled(context.Context, slog.Level) bool { return true }

func (w *pooledWorker) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "joined" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "run" {
				run := a.Value.String()
				w.run.Store(&run)
				w.joined <- run
			}
			return true
		})
	}
	return nil
}

// startPoolWorker starts a worker at the server s. The worker does not send a result of a run before
// the run's channel in holds is closed.
func startPoolWorker(t *testing.T, s *natsServer, opt worker.Options, holds map[string]chan struct{}) *pooledWorker {
	t.Helper()
	w := &pooledWorker{Handler: quiet.Handler(), joined: make(chan string, 1000), ended: make(chan error, 1)}
	var ctx context.Context
	ctx, w.stop = context.WithCancel(t.Context())
	opt.Join, opt.Workers = s.ClientURL(), 1
	if opt.Log == nil {
		opt.Log = slog.New(w)
	}
	if opt.Times == (wire.Times{}) {
		opt.Times = poolTimes
	}
	if holds != nil {
		opt.Makers = map[string]worker.Maker{}
		for kind, maker := range worker.Makers {
			opt.Makers[kind] = func(l wire.Lot, files [2][]byte, workers int) (worker.Executor, error) {
				honest, err := maker(l, files, workers)
				return func(ctx context.Context, io worker.IO) error {
					send := io.Send
					io.Send = func(number int, content []byte, t selfplay.Totals) error {
						if hold := holds[*w.run.Load()]; hold != nil {
							select {
							case <-hold:
							case <-ctx.Done():
								return context.Cause(ctx)
							}
						}
						return send(number, content, t)
					}
					return honest(ctx, io)
				}, err
			}
		}
	}
	go func() { w.ended <- worker.Work(ctx, opt) }()
	return w
}

// endless makes executors that never complete a task: they get a task, keep it for a moment and
// return it to the hub.
var endless = map[string]worker.Maker{"shards": func(wire.Lot, [2][]byte, int) (worker.Executor, error) {
	return func(ctx context.Context, io worker.IO) error {
		io.Next()
		timing.Sleep(ctx, 50*time.Millisecond)
		return context.Cause(ctx)
	}, nil
}}

// await waits until a condition is true.
func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("still not true after a minute: %s", what)
		}
	}
}

// The workers of a server distribute themselves among its runs. When a run is complete, its workers
// help the others. The files of each run are the same as without workers. At the end, a worker with
// UntilDone ends, and another one stays.
func TestPool(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	runs := map[string]*pooledRun{"a": startPooled(t, s, "a", 5, 0), "b": startPooled(t, s, "b", 6, 0)}
	holds := map[string]chan struct{}{}
	for name, r := range runs {
		holds[name] = make(chan struct{})
		r.train(t.Context())
		await(t, "there are tasks", func() bool { return r.Free() > 0 })
	}
	patient := startPoolWorker(t, s, worker.Options{Name: "patient"}, holds)
	first := <-patient.joined
	other := startPoolWorker(t, s, worker.Options{Name: "other", UntilDone: true}, holds)
	second := <-other.joined
	if first == second {
		t.Fatalf("both workers joined run %s", first)
	}
	close(holds[first])
	runs[first].finish(t)
	if run := <-patient.joined; run != second {
		t.Errorf("the worker of the complete run %s joined %s, want %s", first, run, second)
	}
	await(t, "both workers are at one run", func() bool { return runs[second].Present() == 2 })
	close(holds[second])
	runs[second].finish(t)
	if err := <-other.ended; err != nil {
		t.Errorf("the worker that ends with the runs ended with %v", err)
	}
	select {
	case err := <-patient.ended:
		t.Errorf("the worker that waits for other runs ended with %v", err)
	default:
	}
	late := startPooled(t, s, "late", 5, 0)
	late.train(t.Context())
	if run := <-patient.joined; run != "late" {
		t.Errorf("the worker joined run %s, want the new run", run)
	}
	late.finish(t)
	patient.stop()
	if err := <-patient.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped worker ended with %v", err)
	}
}

// Workers that start at the same time end up at the runs as the weights of the runs want it.
func TestPoolWeights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		weights []float64
		want    []int
	}{
		{"two weights", []float64{2, 1}, []int{4, 2}},
		{"three equal runs", []float64{1, 1, 1}, []int{1, 1, 1}},
	} {
		s := startNATS(t)
		ctx, stop := context.WithCancel(t.Context())
		var runs []*pooledRun
		for i, weight := range c.weights {
			r := startPooled(t, s, fmt.Sprint(i), 5+i, weight)
			r.train(ctx)
			await(t, "there are tasks", func() bool { return r.Free() > 0 })
			runs = append(runs, r)
		}
		var workers []*pooledWorker
		for i := range sum(c.want) {
			workers = append(workers, startPoolWorker(t, s, worker.Options{Name: fmt.Sprint("w", i), Makers: endless}, nil))
		}
		await(t, c.what, func() bool {
			for i, r := range runs {
				if r.Present() != c.want[i] {
					return false
				}
			}
			return true
		})
		for _, w := range workers {
			w.stop()
			<-w.ended
		}
		stop()
		for _, r := range runs {
			<-r.ended
		}
	}
}

// A worker with Options.Run serves only this run, and with UntilDone it ends with it, although
// another run goes on.
func TestPoolOfOneRun(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	a, b := startPooled(t, s, "a", 5, 0), startPooled(t, s, "b", 6, 0)
	ctx, stop := context.WithCancel(t.Context())
	a.train(ctx)
	b.train(t.Context())
	await(t, "there are tasks", func() bool { return a.Free() > 0 && b.Free() > 0 })
	w := startPoolWorker(t, s, worker.Options{Name: "w", Run: "b", UntilDone: true}, nil)
	<-w.joined
	b.finish(t)
	if err := <-w.ended; err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	close(w.joined)
	for run := range w.joined {
		t.Errorf("the worker of run b joined run %s", run)
	}
	if a.Present() != 0 {
		t.Error("the worker of run b was at run a")
	}
	stop()
	<-a.ended
}

// If a trainer is killed, its worker helps another run although it holds a finished result, and the
// files of that run are right. The killed trainer may start again.
func TestPoolTrainerKilled(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	holds := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
	ctx, kill := context.WithCancel(t.Context())
	a := startPooled(t, s, "a", 5, 0)
	a.train(ctx)
	await(t, "there are tasks", func() bool { return a.Free() > 0 })
	w := startPoolWorker(t, s, worker.Options{Name: "w"}, holds)
	<-w.joined
	before := a.Free()
	await(t, "the worker holds a task", func() bool { return a.Free() < before })
	b := startPooled(t, s, "b", 6, 0)
	close(b.begin) // run b needs no worker, and has nothing to do yet
	kill()
	<-a.ended
	close(holds["a"]) // now the worker sends its result, but nobody answers
	if run := <-w.joined; run != "b" {
		t.Errorf("the worker joined run %s, want b", run)
	}
	b.train(t.Context())
	close(holds["b"])
	if err := <-b.ended; err != nil {
		t.Fatal(err)
	}
	compareWith(t, string(b.opt.Folder), b.want, 2)
	again := startPooled(t, s, "a", 5, 0)
	again.train(t.Context())
	if run := <-w.joined; run != "a" {
		t.Errorf("the worker joined run %s, want a", run)
	}
	again.finish(t)
}

// If the server restarts, a worker delivers the result that it has to the same trainer, although
// another run answers too.
func TestPoolServerRestarts(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	bystander := startPooled(t, s, "bystander", 6, 0) // has no tasks
	defer bystander.Close(false)
	a := startPooled(t, s, "a", 5, 0)
	a.train(t.Context())
	await(t, "there are tasks", func() bool { return a.Free() > 0 })
	hold, all := make(chan struct{}), a.Free()
	w := startPoolWorker(t, s, worker.Options{Name: "w", Times: wire.Times{Survey: 100 * time.Millisecond}}, map[string]chan struct{}{"a": hold})
	<-w.joined
	await(t, "the worker holds a task", func() bool { return a.Free() < all })
	s.stop()
	s.start(t)
	close(hold)
	await(t, "the trainer has the result", func() bool { return a.Accepted() > 0 })
	if len(w.joined) > 0 {
		t.Errorf("after the server's restart the worker joined run %s", <-w.joined)
	}
	a.finish(t)
	if run := <-w.joined; run != "bystander" {
		t.Errorf("when run a was complete the worker joined %s", run)
	}
	w.stop()
	<-w.ended
}

// A hub does not start if another hub of the server has the same run and settings.
func TestSameRunTwice(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	opt := cluster.Options{Name: "tiny", Config: config, URL: s.ClientURL(), Log: quiet}
	start := func(o cluster.Options) *cluster.Hub {
		t.Helper()
		hub, err := cluster.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { hub.Close(false) })
		return hub
	}
	first := start(opt)
	if _, err := cluster.New(t.Context(), opt); err == nil || !strings.Contains(err.Error(), `another trainer serves run "tiny"`) || strings.Contains(err.Error(), "\n") {
		t.Errorf("a second hub with the same run: %v", err)
	}
	another, once := opt, opt
	another.Name, once.Once = "other", true
	start(another)
	start(once)
	start(once)
	first.Kill()
	start(opt)
}

// fakeHub answers questions and hellos as a hub with another program does. It returns a function
// that removes it, and a channel that receives a value for each hello.
func fakeHub(t *testing.T, s *natsServer, w wire.Welcome) (remove func(), hellos chan struct{}) {
	t.Helper()
	c, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	hellos = make(chan struct{}, 1000)
	_, err = c.Subscribe("dojo.hello.*", func(m *nats.Msg) { _ = m.Respond(wire.JSON(w)) }) // a lost answer is repeated
	if err == nil {
		_, err = c.Subscribe("dojo."+w.Run+".hello.*", func(m *nats.Msg) {
			hellos <- struct{}{}
			refusal := w
			refusal.Error, refusal.Other = "it computes other results", true
			_ = m.Respond(wire.JSON(refusal)) // see above
		})
	}
	if err = errors.Join(err, c.Flush()); err != nil {
		t.Fatal(err)
	}
	return c.Close, hellos
}

// If a run needs another version of the program, the worker logs it once, tries it again from time to
// time, serves other runs meanwhile, and does not end.
func TestPoolOfVersions(t *testing.T) {
	t.Parallel()
	for what, protocol := range map[string]int{"another protocol": wire.Protocol + 1, "other results": wire.Protocol, "an old program": 0} {
		s := startNATS(t)
		_, config, err := newRun(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		remove, hellos := fakeHub(t, s, wire.Welcome{Name: "new", Run: "abc", Config: config, Protocol: protocol, Program: "v9", Load: balance.Load{Free: 100}})
		log := newTally()
		w := startPoolWorker(t, s, worker.Options{Name: "w", Log: slog.New(log), Times: wire.Times{Request: time.Second, Survey: 10 * time.Millisecond}}, nil)
		const says, joined = "the run needs another version of dojo; waiting for it or for other runs", "joined"
		await(t, says, func() bool { return log.count(says) > 0 })
		if protocol == wire.Protocol {
			for range 3 {
				<-hellos
			}
		}
		r := startPooled(t, s, "a", 5, 0)
		r.train(t.Context())
		await(t, "the worker has joined the other run", func() bool { return log.count(joined) == 1 })
		remove()
		r.finish(t)
		if n := log.count(says); n != 1 {
			t.Errorf("%s: the worker logged %d times that it waits", what, n)
		}
		if n := len(hellos); n > 0 && protocol != wire.Protocol {
			t.Errorf("%s: the worker said hello %d times", what, n)
		}
		select {
		case err := <-w.ended:
			t.Errorf("%s: the worker ended with %v", what, err)
		default:
		}
		w.stop()
		<-w.ended
	}
}

// A tally is a log handler that counts messages.
type tally struct {
	slog.Handler
	mu     sync.Mutex
	counts map[string]int // guarded by mu
}

func newTally() *tally { return &tally{Handler: quiet.Handler(), counts: map[string]int{}} }

func (l *tally) Enabled(context.Context, slog.Level) bool { return true }

func (l *tally) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[r.Message]++
	return nil
}

func (l *tally) count(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counts[message]
}

// A worker that other runs need gets no copy of a task on which somebody else works.
func TestFreshTasks(t *testing.T) {
	t.Parallel()
	s := startNATS(t)
	ctx, stop := context.WithCancel(t.Context())
	r := startPooled(t, s, "a", 5, 0)
	r.train(ctx)
	hoarder, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer hoarder.Close()
	entry := ask(t, hoarder, stranger)
	proof, err := worker.Proof(t.Context(), entry.Config)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]wire.Key{"first": wire.NewKey(), "second": wire.NewKey()}
	for name, key := range names {
		if w := helloAs(t, hoarder, NameOf(name, key), Hello(name, proof, Protocol, key)); !w.Admitted {
			t.Fatalf("the hub answers %+v", w)
		}
	}
	request := func(q wire.Request) bool {
		t.Helper()
		msg, err := hoarder.Request(NextSubject(entry.Run, q.Worker), wire.JSON(q), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		var a wire.Answer
		if err := json.Unmarshal(msg.Data, &a); err != nil || a.State != (wire.State{}) {
			t.Fatalf("the hub answers %s, %v", msg.Data, err)
		}
		return a.Task != nil
	}
	first, second := NameOf("first", names["first"]), NameOf("second", names["second"])
	await(t, "there are tasks", func() bool { return r.Free() > 0 })
	lot := cluster.FirstLot(entry.Config, r.opt.Name, r.opt.ProgramVersion)
	var held []int
	for r.Free() > 0 {
		n, ok, err := AskForTask(hoarder, entry.Run, first, lot, held...)
		if err != nil || !ok {
			t.Fatalf("%d tasks are free, but the worker gets none: %v", r.Free(), err)
		}
		held = append(held, n)
	}
	if request(wire.Request{Worker: second, Fresh: true}) {
		t.Error("a worker that wants no copy got one")
	}
	if !request(wire.Request{Worker: second}) {
		t.Error("a worker that nobody else needs got no copy")
	}
	all, err := wire.Survey(t.Context(), hoarder, wire.Hello{Worker: "w"}, poolTimes, 0)
	if err != nil || len(all) != 1 || all[0].Free != 0 || all[0].Workers != 2 || all[0].Protocol != wire.Protocol || all[0].Program == "" {
		t.Errorf("the hub answers a question with %+v, %v", all, err)
	}
	stop()
	<-r.ended
}
