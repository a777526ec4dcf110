package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// session connects to the hub, is let in, and does tasks. It returns nil when the run is
// complete, and otherwise why the session has ended.
func (w *worker) session(ctx context.Context) error {
	entry, err := w.requestAdmission(ctx)
	if err != nil || entry.Complete {
		return err
	}
	w.once, w.embedded, w.password = entry.Once, entry.Embedded, entry.Password
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
	w.link.noteAnswer()
	w.opt.Log.Info("joined", "run", entry.Name, "address", withoutLogin(w.opt.Join))
	w.meter.setRun(entry.Name)

	conn.SetClosedHandler(func(*nats.Conn) { stop(nats.ErrConnectionClosed) })
	if entry.Embedded {
		conn.SetDisconnectErrHandler(func(*nats.Conn, error) { stop(nats.ErrDisconnected) })
	} else { // games in play go on
		again := newHello(w.chosen, w.password, w.proof, w.opt.Key)
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
	switch err := bounded.Unmarshal(data, &s); {
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
	models, err := js.Stream(ctx, n.models())
	if err != nil {
		return fmt.Errorf("find the models: %w", unanswered(err))
	}
	q := newQueue(tasks, w.opt.Log)
	_, err = conn.Subscribe(n.checkSubject(w.opt.Name), func(m *nats.Msg) {
		if t, err := decodeTask(m.Data); err == nil { // a damaged one is asked again, of somebody
			q.addLocal(t)
		}
	})
	if err != nil {
		return err
	}
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
		fetch := func(name string) ([]byte, error) { return fetchFile(ctx, models, n, name) }
		switch err = w.newExecutor(l, fetch); {
		case err == nil:
			err = w.do(ctx, js, n.resultsSubject(w.opt.Name), q)
		case errors.Is(err, errNoFile): // the lot has just ended
			err = q.drop()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newExecutor makes the executor of a lot, unless the worker has it from the task before. fetch
// reads a file of the lot that the worker does not have yet.
func (w *worker) newExecutor(l lot, fetch func(name string) ([]byte, error)) error {
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
			if files[name], err = fetch(name); err != nil {
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
			r := result{Worker: w.opt.Name, Key: w.opt.Key.public(), Lot: id, Number: number, Ticket: q.ticket(number), Totals: t, Hash: digest(content)}
			r.Signature = w.opt.Key.sign(r.message())
			msg.Header.Set(resultHeader, string(mustJSON(r)))
			if err := w.send(ctx, js, msg); err != nil {
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

// send sends a result, and waits while the server does not answer. If the hub had
// HubOptions.Once, it gives up after onceGone when the stream of results is gone, because such a
// hub removes it when it ends.
func (w *worker) send(ctx context.Context, js jetstream.JetStream, msg *nats.Msg) error {
	var gone time.Time // when the stream was first missing; zero while it is not known to be
	return w.link.ask(ctx, "to take a result", func(ctx context.Context) error {
		_, err := js.PublishMsg(ctx, msg, jetstream.WithRetryAttempts(0)) // link.ask tries again
		switch {
		case !isMissing(err) || !w.once:
			gone = time.Time{}
		case gone.IsZero():
			gone = time.Now()
		case time.Since(gone) > onceGone:
			return errNoResults
		}
		return err
	})
}

// errNoResults ends a session whose hub is gone for good.
var errNoResults = errors.New("it has no stream for results any more")
