package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"dojo/selfplay"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkerOptions is what a worker is made of.
type WorkerOptions struct {
	Join    string // HOST:PORT of the hub, or the URL of a NATS server
	Token   string
	Name    string // of this worker, in the hub's log
	Workers int    // number of goroutines that play

	// Wait is how long the worker tries to reach a hub that does not answer. 0 means for ever.
	// But if the last hub that it joined had HubOptions.Once, the worker waits for that for
	// onceGone, and for an external server that is down for ten minutes.
	Wait time.Duration

	// TLS encrypts the connection; see ClientTLS. If it is nil, the connection is encrypted
	// only if the server wants that, and the system must trust the server's certificate.
	TLS *tls.Config

	Log      *slog.Logger
	Progress func(Status) // after every game, by one goroutine at a time; may be nil
}

// Status is what a worker has done.
type Status struct {
	Run   string // the run's name
	Tasks int    // done and sent
	selfplay.Totals
}

// ErrRefused says that the hub does not let the worker in.
var ErrRefused = errors.New("the trainer refuses this worker")

// ErrAway says that the hub has not answered for too long.
var ErrAway = errors.New("nobody answers")

// onceGone is the time without an answer after which a worker takes a hub with
// HubOptions.Once to be gone for good.
const onceGone = 15 * time.Second

// Work joins a hub and does tasks for it. It returns nil when the hub says that there will be
// no more tasks, ErrAway when the hub has not answered for opt.Wait, ErrRefused when the hub
// refuses the worker, and the cause when ctx ends.
func Work(ctx context.Context, opt WorkerOptions) error {
	return newWorker(opt).run(ctx)
}

// newWorker returns a worker that has not joined yet.
func newWorker(opt WorkerOptions) *worker {
	return &worker{opt: opt, makers: executorMakers, meter: meter{report: opt.Progress}, link: &link{address: withoutLogin(opt.Join), log: opt.Log, patience: opt.Wait}}
}

// run joins the hub, again after each lost connection; see Work.
func (w *worker) run(ctx context.Context) error {
	opt, address := w.opt, withoutLogin(w.opt.Join)
	w.lastContact = time.Now()
	var told time.Time // when the log was last told that the trainer is away
	for {
		err := w.session(ctx)
		why, distrusted := tlsProblem(err)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrAuthorization):
			return fmt.Errorf("join %s: %w: %s", address, ErrRefused, opt.credentialsProblem())
		case distrusted:
			return fmt.Errorf("join %s: %s", address, why)
		case errors.Is(err, ErrRefused):
			return fmt.Errorf("join %s: %w", address, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if errors.Is(err, errUnreachable) && !w.embedded {
			w.lastDown = time.Now()
		}
		if wait := w.exhausted(); wait > 0 {
			return fmt.Errorf("join %s: %w for %v: %w", address, ErrAway, wait, err)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			opt.Log.Warn("the trainer cannot be reached; trying again every second", "address", address, "error", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// exhausted returns how long the worker has waited for a hub if that is long enough; otherwise 0.
func (w *worker) exhausted() time.Duration {
	wait, since := w.opt.Wait, w.lastContact
	if wait == 0 && w.once {
		if time.Since(since) > outagePatience {
			return outagePatience
		}
		wait = onceGone
		if w.lastDown.After(since) { // nobody knows whether the hub was there
			since = w.lastDown
		}
	}
	if wait > 0 && time.Since(since) > wait {
		return wait
	}
	return 0
}

// credentialsProblem says why a server has rejected the worker's credentials.
func (opt WorkerOptions) credentialsProblem() string {
	switch {
	case strings.Contains(opt.Join, "://"):
		return "the server does not know the user and password of this URL"
	case opt.Token == "":
		return "it wants its token"
	}
	return "the token is not its own"
}

type worker struct {
	opt         WorkerOptions
	makers      map[string]executorMaker // by the kinds of lots that the worker can do
	meter       meter
	link        *link     // sends results
	lastContact time.Time // when it was last connected to a hub
	lastDown    time.Time // when a server that is not embedded could not be reached
	once        bool      // the last hub had HubOptions.Once
	embedded    bool      // the last hub had an embedded server
	proof       string    // for the last hub's configuration

	// The lot that the worker did last, its executor, and its files by their SHA-256.
	lot      lot
	executor executor
	files    map[string][]byte
}

// session connects to the hub, is let in, and does tasks. It returns nil when the run is
// complete, and otherwise why the session has ended.
func (w *worker) session(ctx context.Context) error {
	entry, err := w.requestAdmission(ctx)
	if err != nil || entry.Complete {
		return err
	}
	w.once, w.embedded = entry.Once, entry.Embedded
	defer func() { w.lastContact = w.link.lastAnswer() }()
	conn, err := w.connect(ctx, login{entry.Worker, entry.Worker, entry.Password, entry.Embedded})
	if err != nil {
		return err
	}
	defer conn.Close()
	n := names{entry.Run}
	w.opt.Name = entry.Worker
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	_, err = conn.Subscribe(n.stateSubject(), func(m *nats.Msg) {
		if end := stopReason(m.Data, entry.Worker); end != nil {
			stop(end)
		}
	})
	if err != nil {
		return err
	}
	w.opt.Log.Info("joined", "run", entry.Name, "address", withoutLogin(w.opt.Join))
	w.meter.setRun(entry.Name)

	conn.SetClosedHandler(func(*nats.Conn) { stop(nats.ErrConnectionClosed) })
	if entry.Embedded {
		conn.SetDisconnectErrHandler(func(*nats.Conn, error) { stop(nats.ErrDisconnected) })
	} else { // games in play go on
		again := newHello(entry.Worker, w.proof)
		conn.SetReconnectHandler(func(*nats.Conn) {
			w.link.reconnected()
			go confirm(working, conn, entry, again, stop)
		})
	}
	err = w.work(working, conn, n)
	if cause := context.Cause(working); cause != nil {
		err = cause
	}
	if errors.Is(err, errComplete) {
		return nil
	}
	return err
}

// errComplete ends a worker when the run is complete.
var errComplete = errors.New("the run is complete")

// stopReason returns why the named worker must stop when it gets a state message; nil if it
// goes on.
func stopReason(data []byte, worker string) error {
	var s state
	switch err := json.Unmarshal(data, &s); {
	case err != nil:
		return nil
	case s.Complete:
		return errComplete
	case s.CutOff == worker:
		return fmt.Errorf("%w: %s", ErrRefused, s.Why)
	}
	return nil
}

// work does tasks until ctx ends.
func (w *worker) work(ctx context.Context, conn *nats.Conn, n names) error {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		return err
	}
	tasks, err := js.Consumer(ctx, n.jobs(), consumer)
	if err != nil {
		return fmt.Errorf("find the tasks: %w", unanswered(err))
	}
	models, err := js.ObjectStore(ctx, n.models())
	if err != nil {
		return fmt.Errorf("find the models: %w", unanswered(err))
	}
	q := newQueue(tasks, w.opt.Name)
	go q.renewLeases(ctx)
	go w.sendHeartbeats(ctx, conn, n.heartbeatSubject(w.opt.Name), q)
	defer q.giveBack()
	for ctx.Err() == nil {
		l, ok, err := q.begin(ctx, time.Second)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		switch err = w.newExecutor(ctx, models, l); {
		case err == nil:
			err = w.do(ctx, js, n.resultsSubject(w.opt.Name), q)
		case errors.Is(err, jetstream.ErrObjectNotFound): // the lot has just ended
			err = q.drop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newExecutor makes the executor of a lot, unless the worker has it from the task before.
func (w *worker) newExecutor(ctx context.Context, models jetstream.ObjectStore, l lot) error {
	if l == w.lot {
		return nil
	}
	w.lot, w.executor = lot{}, nil
	files := map[string][]byte{}
	var content [2][]byte
	for i, name := range l.Files {
		if name == "" {
			continue
		}
		if files[name] = w.files[name]; files[name] == nil {
			var err error
			if files[name], err = fetch(ctx, models, name); err != nil {
				return err
			}
		}
		content[i] = files[name]
	}
	w.files = files
	newExecutor, ok := w.makers[l.Kind]
	if !ok {
		return errors.Join(ErrRefused, fmt.Errorf("this program knows no tasks of kind %q", l.Kind))
	}
	exec, err := newExecutor(l, content, w.opt.Workers)
	if err != nil {
		return errors.Join(ErrRefused, fmt.Errorf("this program cannot do the tasks: %w", err))
	}
	w.lot, w.executor = l, exec
	return nil
}

// fetch reads a lot's file, which is stored under its SHA-256, and verifies it.
func fetch(ctx context.Context, models jetstream.ObjectStore, name string) ([]byte, error) {
	content, err := models.GetBytes(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", unanswered(err))
	}
	if digest(content) != name {
		return nil, errors.New("a file was damaged on its way")
	}
	return content, nil
}

// do does tasks of the open lot as long as the queue has some, and sends their results.
func (w *worker) do(ctx context.Context, js jetstream.JetStream, subject string, q *queue) error {
	w.meter.begin()
	id := w.lot.id()
	done, err := w.executor(ctx, taskIO{
		next: func() (int, bool) { return q.next(ctx) },
		send: func(number int, content []byte, t selfplay.Totals) error {
			unsent := w.meter.takeUnreported()
			t.Simulations, t.Evaluations = unsent.Simulations, unsent.Evaluations
			msg := &nats.Msg{Subject: subject, Header: nats.Header{}, Data: content}
			msg.Header.Set(resultHeader, string(mustJSON(result{Worker: w.opt.Name, Lot: id, Number: number, Totals: t})))
			err := w.link.ask(ctx, "to take a result", func(ctx context.Context) error {
				_, err := js.PublishMsg(ctx, msg)
				return err
			})
			if err != nil {
				return err
			}
			w.meter.countTask()
			q.done(number)
			return nil
		},
		progress: w.meter.progress,
	})
	w.meter.progress(done)
	return err
}
