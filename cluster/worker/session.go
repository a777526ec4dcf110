package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/balance"
	"dojo.example/internal/bounded"
	"dojo.example/internal/natsclient"
	"dojo.example/internal/timing"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
)

// A session is the time from one hello of a worker to the next. During a session the worker is
// connected to one hub.
type session struct {
	worker *worker
	run    string // the name of the run
	names  wire.Names
	conn   *nats.Conn
	stop   context.CancelCauseFunc // ends the session
	news   timing.Signal           // signals that there may be tasks
	// asking is full while a request for a task is pending. So a new request is sent only after the
	// answer to the previous one has updated held.
	asking chan struct{}
	// sending is held while a result travels in pieces.
	sending sync.Mutex

	pool       *pool       // nil if the worker serves only this hub
	leaving    atomic.Bool // the worker finishes its tasks and then goes to another run
	idle       atomic.Bool // the hub has no task for the worker
	fresh      atomic.Bool // another run has free tasks; see wire.Request
	unanswered atomic.Bool // the hub does not answer, although the server does

	mu      sync.Mutex
	held    map[int]bool            // the numbers of the tasks that the worker works on; guarded by mu
	lot     string                  // the id of the lot (batch of tasks) on which the worker works; guarded by mu
	stopLot context.CancelCauseFunc // ends the work on that lot; guarded by mu
}

// These are reasons why a session ends.
var (
	errComplete    = errors.New("the run is complete")
	errUnknown     = errors.New("the trainer does not know this worker")
	errUnreachable = errors.New("the server cannot be reached")
	errMoves       = errors.New("another run needs the worker more")
)

// errLotDone ends the work on a lot (a batch of tasks) because all of its tasks are done, by this
// worker or by others.
var errLotDone = errors.New("the lot is done")

// session connects to the hub, requests admission, and does tasks. It returns nil when the run is
// complete. Otherwise it returns the reason why the session has ended. If the worker is part of a
// pool, session serves all runs of the server, in one session after another.
func (w *worker) session(ctx context.Context) error {
	conn, err := w.connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	w.pooled = !w.embedded && strings.Contains(w.opt.Join, "://")
	if w.pooled {
		return (&pool{worker: w, conn: conn, look: timing.NewSignal(), refused: balance.Refusals{}}).serveAll(ctx)
	}
	entry, err := w.requestAdmission(ctx, conn)
	if err != nil || entry.Complete {
		return err
	}
	w.once = entry.Once
	if err = w.serve(ctx, conn, entry, nil); errors.Is(err, errComplete) {
		return nil
	}
	return err
}

// serve does tasks for the hub that has admitted the worker with the answer entry, until the session
// ends, and returns the reason. p is nil if the worker serves only this hub.
func (w *worker) serve(ctx context.Context, conn *nats.Conn, entry wire.Welcome, p *pool) error {
	s := &session{worker: w, pool: p, run: entry.Name, names: wire.Names{Run: entry.Run}, conn: conn, news: timing.NewSignal(), asking: make(chan struct{}, 1), held: map[int]bool{}}
	ctx, s.stop = context.WithCancelCause(ctx)
	defer s.stop(nil)
	conn.SetReconnectHandler(func(c *nats.Conn) {
		w.noteContact()
		if err := natsclient.CheckPayload(c, wire.LeastPayload); err != nil {
			s.stop(err)
		}
	})
	conn.SetClosedHandler(func(*nats.Conn) { s.stop(fmt.Errorf("%w: %w", errUnreachable, nats.ErrConnectionClosed)) })
	states, err := conn.Subscribe(s.names.State(), func(m *nats.Msg) {
		var now wire.State
		if bounded.Unmarshal(m.Data, &now) == nil && (now.CutOff == "" || now.CutOff == s.worker.name) {
			s.hear(now)
			s.news.Give()
		}
	})
	if err != nil {
		return err
	}
	defer func() { _ = states.Unsubscribe() }() // fails only if the connection is closed
	w.noteContact()
	w.opt.Monitor.note(func(a *Activity) { a.Serves, a.Waits = s.run, "" })
	defer w.opt.Monitor.note(func(a *Activity) { a.Serves = "" })
	w.opt.Log.Info("joined", "run", s.run, "address", wire.WithoutLogin(w.opt.Join))
	var beats sync.WaitGroup
	beats.Go(func() { s.sendHeartbeats(ctx) })
	if p != nil {
		p.now.Store(s)
		defer p.now.Store(nil)
		beats.Go(func() { p.watch(ctx, s) })
	}
	err = s.work(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	s.stop(err)
	beats.Wait()
	return err
}

// hear reacts to a State that the hub has sent.
func (s *session) hear(now wire.State) {
	switch {
	case now.Complete:
		s.stop(errComplete)
	case now.CutOff != "":
		s.stop(fmt.Errorf("%w: %s", ErrRefused, now.Why))
	case now.Unknown:
		s.stop(errUnknown)
	case now.Done != "":
		s.mu.Lock()
		defer s.mu.Unlock()
		if now.Done == s.lot {
			s.stopLot(errLotDone)
		}
	}
}

// request sends a message to the hub and returns the answer. It repeats the message until the hub
// answers, or until the worker gives up waiting for the hub.
func (s *session) request(ctx context.Context, kind string, header nats.Header, data []byte) ([]byte, error) {
	for begun := time.Now(); ; {
		limited, cancel := context.WithTimeout(ctx, s.worker.opt.Times.Request)
		msg, err := s.conn.RequestMsgWithContext(limited, &nats.Msg{Subject: s.names.Subject(kind, wire.Identity(s.worker.name)), Header: header, Data: data})
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil:
			s.worker.noteContact()
			s.unanswered.Store(false)
			return msg.Data, nil
		case errors.Is(err, nats.ErrMaxPayload):
			return nil, cmp.Or(natsclient.CheckPayload(s.conn, wire.LeastPayload), err)
		case !s.conn.IsConnected():
			err = fmt.Errorf("%w: %w", errUnreachable, err)
			s.unanswered.Store(false)
		case s.pool != nil && s.worker.silence(begun) >= s.worker.opt.Times.Request:
			s.unanswered.Store(true)
			s.pool.look.Give()
		}
		left, err := s.worker.waitAfter(wire.Unanswered(err))
		if err != nil {
			s.stop(err)
			return nil, err
		}
		timing.Sleep(ctx, min(left, 250*time.Millisecond+rand.N(time.Second)))
	}
}

// next requests a task of the lot (the batch of tasks) whose id is lot. If lot is "", the worker
// works on no task, and next requests a task of any lot. ok is false if there is none.
func (s *session) next(ctx context.Context, lot string) (t wire.Task, ok bool) {
	select {
	case <-ctx.Done():
		return wire.Task{}, false
	case s.asking <- struct{}{}:
	}
	defer func() { <-s.asking }()
	if s.leaving.Load() {
		return wire.Task{}, false
	}
	if lot == "" {
		s.drop(s.holds()...)
	}
	data, err := s.request(ctx, wire.KindNext, nil, wire.JSON(wire.Request{Worker: s.worker.name, Lot: lot, Held: s.holds(), Fresh: s.fresh.Load()}))
	if err != nil {
		return wire.Task{}, false
	}
	var a wire.Answer
	if err = bounded.Unmarshal(data, &a); err == nil && a.Task != nil {
		t, err = wire.DecodeTask(a.Task)
	}
	if err != nil {
		s.worker.opt.Log.Warn("ignored a task that was damaged on its way", "error", err)
		return wire.Task{}, false
	}
	if s.hear(a.State); a.Task == nil || ctx.Err() != nil {
		return wire.Task{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[t.Number] = true
	return t, true
}

// holds lists the tasks that the worker works on.
func (s *session) holds() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.held))
}

// drop records that the worker no longer works on the given tasks.
func (s *session) drop(numbers ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range numbers {
		delete(s.held, n)
	}
}

// work does tasks until ctx ends or the worker goes to another run.
func (s *session) work(ctx context.Context) error {
	for ctx.Err() == nil {
		t, ok := s.next(ctx, "")
		if s.leaving.Load() { // if there is a task, the hub gives it to somebody else
			return errMoves
		}
		if wasIdle := s.idle.Swap(!ok); !ok {
			if !wasIdle && s.pool != nil {
				s.pool.look.Give()
			}
			s.news.Wait(ctx, time.Second)
			continue
		}
		if err := s.begin(ctx, t); err != nil && !errors.Is(err, errNoFile) {
			return err
		}
	}
	return nil
}

// begin does the task t, and then other tasks of the same lot (batch of tasks), until there are no
// more or the lot is done.
func (s *session) begin(ctx context.Context, t wire.Task) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.mu.Lock()
	s.lot, s.stopLot = t.ID(), stop
	s.mu.Unlock()
	err := s.worker.newExecutor(t.Lot, func(name string) ([]byte, error) { return s.fetch(ctx, name) })
	if err == nil {
		err = s.do(ctx, t)
	}
	if errors.Is(context.Cause(ctx), errLotDone) {
		return nil
	}
	return err
}

// errNoFile is the error of fetch if the hub no longer has the file, because no task in progress
// needs it. It is also returned if the file was damaged on its way.
var errNoFile = errors.New("the trainer no longer has the file")

// fetch reads a file from the hub. name is the SHA-256 of the file.
func (s *session) fetch(ctx context.Context, name string) ([]byte, error) {
	var content bytes.Buffer
	for n := 0; ; n++ {
		piece, err := s.request(ctx, wire.KindModel, nil, wire.JSON(wire.Request{Worker: s.worker.name, File: name, Piece: n}))
		if err != nil {
			return nil, err
		}
		content.Write(piece)
		if len(piece) == wire.PieceSize {
			continue
		}
		if rundir.TextHash(content.Bytes()) != name {
			return nil, errNoFile
		}
		return content.Bytes(), nil
	}
}

// do executes the given task, then other tasks of the same lot (batch of tasks) as long as there
// are some, and sends their results.
func (s *session) do(ctx context.Context, first wire.Task) error {
	w, id := s.worker, first.ID()
	w.opt.Monitor.note(func(a *Activity) { a.Busy = true })
	defer w.opt.Monitor.note(func(a *Activity) { a.Busy = false })
	var once sync.Once
	return w.executor(ctx, IO{
		Next: func() (number int, ok bool) {
			once.Do(func() { number, ok = first.Number, true })
			if !ok {
				var t wire.Task
				t, ok = s.next(ctx, id)
				number = t.Number
			}
			return number, ok
		},
		Send:     func(number int, content []byte, _ selfplay.Totals) error { return s.send(ctx, id, number, content) },
		Progress: func(t selfplay.Totals) { w.meter.add(s.run, t) },
	})
}

// sendHeartbeats sends a heartbeat to the hub in every wire.HeartbeatInterval. When ctx ends, it
// sends a last heartbeat, which says that the worker leaves.
func (s *session) sendHeartbeats(ctx context.Context) {
	tick := time.NewTicker(wire.HeartbeatInterval)
	defer tick.Stop()
	for leaves := false; ; {
		p := wire.Heartbeat{Worker: s.worker.name, Goroutines: s.worker.opt.Workers, Leaves: leaves}
		_ = s.conn.Publish(s.names.Subject(wire.KindPulse, wire.Identity(s.worker.name)), wire.JSON(p)) // losing a heartbeat does no harm, because the next one follows soon
		if leaves {
			return
		}
		select {
		case <-ctx.Done():
			leaves = true
		case <-tick.C:
		}
	}
}
