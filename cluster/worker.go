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
	Workers int    // goroutines

	// Wait is for how long the worker tries to reach a hub that does not answer; 0 is for
	// ever, or for onceGone if nobody goes on with the work of the hub that it has joined.
	Wait time.Duration

	// TLS makes the connection an encrypted one; see ClientTLS. Without it, it is
	// encrypted if the server wants it, with a certificate that the system trusts.
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

// onceGone is after how long a hub is gone for good, if nobody goes on with its work; see
// HubOptions.Once.
const onceGone = 15 * time.Second

// Work joins a hub and does tasks for it until there will be no more, which is no error,
// or ctx ends. While the hub is away it waits, as long as opt.Wait says, and then ends with
// ErrAway. A hub that refuses the worker ends it with ErrRefused.
func Work(ctx context.Context, opt WorkerOptions) error {
	return newWorker(opt).run(ctx)
}

// newWorker returns a worker that has not joined yet.
func newWorker(opt WorkerOptions) *worker {
	return &worker{opt: opt, kinds: kinds, meter: meter{report: opt.Progress}}
}

// run joins the hub again and again; see Work.
func (w *worker) run(ctx context.Context) error {
	opt := w.opt
	w.heard = time.Now()
	var told time.Time // when the log was last told that the trainer is away
	for {
		err := w.session(ctx)
		why, distrusted := distrust(err)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrAuthorization):
			return fmt.Errorf("join %s: %w: %s", opt.Join, ErrRefused, opt.wrong())
		case distrusted:
			return fmt.Errorf("join %s: %s", opt.Join, why)
		case errors.Is(err, ErrRefused):
			return fmt.Errorf("join %s: %w", opt.Join, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if wait := w.patience(); wait > 0 && time.Since(w.heard) > wait {
			return fmt.Errorf("join %s: %w for %v: %w", opt.Join, ErrAway, wait, err)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			opt.Log.Warn("the trainer cannot be reached; trying again every second", "address", opt.Join, "error", err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// patience is how long the worker waits for a hub that does not answer; 0 is for ever.
func (w *worker) patience() time.Duration {
	if w.opt.Wait == 0 && w.once {
		return onceGone
	}
	return w.opt.Wait
}

// wrong says what is wrong with the credentials of a worker that a server turns away.
func (opt WorkerOptions) wrong() string {
	switch {
	case strings.Contains(opt.Join, "://"):
		return "the server does not know the user and password of this URL"
	case opt.Token == "":
		return "it wants its token"
	}
	return "the token is not its own"
}

type worker struct {
	opt   WorkerOptions
	kinds map[string]opener // the kinds of lots that it can do
	meter meter
	heard time.Time // when a hub was last there
	once  bool      // nobody goes on with the work of the last one

	// The lot that was worked at last, with its compute and files, by their SHA-256.
	lot     lot
	compute compute
	files   map[string][]byte
}

// session is one connection to the hub, from hello to the end of the run, which is nil,
// or of the connection.
func (w *worker) session(ctx context.Context) error {
	entry, err := w.enter(ctx)
	if err != nil || entry.Complete {
		return err
	}
	w.once = entry.Once
	defer func() { w.heard = time.Now() }()
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
		if end := ends(m.Data, entry.Worker); end != nil {
			stop(end)
		}
	})
	if err != nil {
		return err
	}
	w.opt.Log.Info("joined", "run", entry.Name, "address", w.opt.Join)
	w.meter.joined(entry.Name)

	conn.SetClosedHandler(func(*nats.Conn) { stop(nats.ErrConnectionClosed) })
	conn.SetDisconnectErrHandler(func(*nats.Conn, error) { stop(nats.ErrDisconnected) })
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

// ends returns why the worker of a name stops when it hears a state; nil if it goes on.
func ends(data []byte, worker string) error {
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
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	tasks, err := js.Consumer(ctx, n.jobs(), consumer)
	if err != nil {
		return fmt.Errorf("find the tasks: %w", err)
	}
	models, err := js.ObjectStore(ctx, n.models())
	if err != nil {
		return fmt.Errorf("find the models: %w", err)
	}
	q := newQueue(tasks, w.opt.Name)
	go q.keep(ctx)
	go w.beat(ctx, conn, n.pulseSubject(w.opt.Name), q)
	defer q.giveBack()
	for ctx.Err() == nil {
		l, ok, err := q.begin(ctx, time.Second)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		switch err = w.open(ctx, models, l); {
		case err == nil:
			err = w.do(ctx, js, n.resultsSubject(w.opt.Name), q)
		case errors.Is(err, jetstream.ErrObjectNotFound): // the lot was over a moment ago
			err = q.drop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// open makes the compute of a lot, unless it is the last one.
func (w *worker) open(ctx context.Context, models jetstream.ObjectStore, l lot) error {
	if l == w.lot {
		return nil
	}
	w.lot, w.compute = lot{}, nil
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
	open, ok := w.kinds[l.Kind]
	if !ok {
		return errors.Join(ErrRefused, fmt.Errorf("this program knows no tasks of kind %q", l.Kind))
	}
	compute, err := open(l, content, w.opt.Workers)
	if err != nil {
		return errors.Join(ErrRefused, fmt.Errorf("this program cannot do the tasks: %w", err))
	}
	w.lot, w.compute = l, compute
	return nil
}

// fetch reads a file of a lot.
func fetch(ctx context.Context, models jetstream.ObjectStore, name string) ([]byte, error) {
	content, err := models.GetBytes(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", err)
	}
	if digest(content) != name {
		return nil, errors.New("a file was damaged on its way")
	}
	return content, nil
}

// do does tasks of the lot that was opened while there are any, and sends what they give.
func (w *worker) do(ctx context.Context, js jetstream.JetStream, subject string, q *queue) error {
	w.meter.begin()
	id := w.lot.id()
	done, err := w.compute(ctx, bench{
		next: q.next,
		send: func(number int, content []byte, t selfplay.Totals) error {
			unsent := w.meter.unsent()
			t.Simulations, t.Evaluations = unsent.Simulations, unsent.Evaluations
			msg := &nats.Msg{Subject: subject, Header: nats.Header{}, Data: content}
			msg.Header.Set(resultHeader, string(mustJSON(result{Worker: w.opt.Name, Lot: id, Number: number, Totals: t})))
			if _, err := js.PublishMsg(ctx, msg); err != nil {
				return fmt.Errorf("send a result: %w", err)
			}
			w.meter.sent()
			return q.done(number)
		},
		progress: w.meter.played,
	})
	w.meter.played(done)
	return err
}
