package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"time"

	"dojo/data"
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

	Log      *slog.Logger
	Progress func(Status) // after every game, by one goroutine at a time; may be nil
}

// Status is what a worker has done.
type Status struct {
	Run        string // the run's name
	Generation int
	Shards     int // sent
	selfplay.Totals
}

// ErrRefused says that the hub does not let the worker in.
var ErrRefused = errors.New("the trainer refuses this worker")

// Work joins a hub and plays shards for it until the run is complete, which is no
// error, or ctx ends. While the hub is away it waits. A hub that refuses the worker
// ends it with ErrRefused.
func Work(ctx context.Context, opt WorkerOptions) error {
	w := &worker{opt: opt, encode: data.EncodeShard}
	return w.run(ctx)
}

// run joins the hub again and again; see Work.
func (w *worker) run(ctx context.Context) error {
	opt := w.opt
	for {
		err := w.session(ctx)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrAuthorization):
			return fmt.Errorf("join %s: %w: %s", opt.Join, ErrRefused, opt.wrong())
		case errors.Is(err, ErrRefused):
			return fmt.Errorf("join %s: %w", opt.Join, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		opt.Log.Warn("the trainer cannot be reached; trying again", "address", opt.Join, "error", err)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
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
	opt    WorkerOptions
	encode func(data.Provenance, []data.Row) ([]byte, error) // makes the file of a shard
	status Status
	model  []byte // the file that played last
	file   string // its SHA-256
}

// session is one connection to the hub, from hello to the end of the run, which is nil,
// or of the connection.
func (w *worker) session(ctx context.Context) error {
	entry, err := w.enter(ctx)
	if err != nil {
		return err
	}
	conn, err := w.connect(ctx, entry.Worker, entry.Password, entry.Embedded)
	if err != nil {
		return err
	}
	defer conn.Close()
	n := names{entry.Run}
	w.opt.Name = entry.Worker
	over := make(chan struct{})
	_, err = conn.Subscribe(n.stateSubject(), func(m *nats.Msg) {
		if string(m.Data) == complete {
			close(over)
		}
	})
	if err != nil {
		return err
	}
	w.opt.Log.Info("joined", "run", entry.Name, "address", w.opt.Join)
	w.status.Run = entry.Name

	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-over:
			stop(errComplete)
		case <-working.Done():
		}
	}()
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

// connect connects to the server. A server that is not the hub's own asks for what
// its URL says.
func (w *worker) connect(ctx context.Context, user, password string, embedded bool) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("dojo worker " + w.opt.Name), nats.NoReconnect(),
		nats.SetCustomDialer(dialer{ctx}), nats.Timeout(5 * time.Second),
	}
	if embedded && password != "" {
		options = append(options, nats.UserInfo(user, password))
	}
	return nats.Connect(w.opt.Join, options...)
}

// A dialer stops dialling when its context ends.
type dialer struct{ ctx context.Context }

// Dial connects; see nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(d.ctx, network, address)
}

// enter says hello and is let in.
func (w *worker) enter(ctx context.Context) (welcome, error) {
	conn, err := w.connect(ctx, userGuest, w.opt.Token, true)
	if err != nil {
		return welcome{}, err
	}
	defer conn.Close()
	entry, err := w.say(ctx, conn, "")
	if err != nil {
		return entry, err
	}
	proof, err := Proof(ctx, entry.Config)
	if err != nil {
		return entry, errors.Join(ErrRefused, fmt.Errorf("this program cannot play the run: %w", err))
	}
	if entry, err = w.say(ctx, conn, proof); err == nil && !entry.Admitted {
		err = ErrRefused
	}
	return entry, err
}

// say says hello with a proof, or with none.
func (w *worker) say(ctx context.Context, conn *nats.Conn, proof string) (entry welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, helloSubject, mustJSON(newHello(w.opt.Name, proof)))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", err)
	}
	if err := json.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("the answer to hello cannot be read: %w", err)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}

// work plays shards until ctx ends.
func (w *worker) work(ctx context.Context, conn *nats.Conn, n names) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	tasks, err := js.Consumer(ctx, n.jobs(), consumer)
	if err != nil {
		return fmt.Errorf("find the tasks: %w", err)
	}
	q := newQueue(tasks, w.opt.Name)
	go q.keep(ctx)
	defer q.giveBack()
	for ctx.Err() == nil {
		t, ok, err := q.begin(ctx, time.Second)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := w.play(ctx, js, n, q, t); err != nil {
			return err
		}
	}
	return nil
}

// play plays shards of the task's job while there are any.
func (w *worker) play(ctx context.Context, js jetstream.JetStream, n names, q *queue, t task) error {
	if err := w.fetch(ctx, js, n, t); err != nil {
		return err
	}
	job, err := t.selfplayJob(w.model, w.opt.Workers)
	if err != nil {
		return errors.Join(ErrRefused, fmt.Errorf("this program cannot play a task: %w", err))
	}
	m := &meter{status: &w.status, report: w.opt.Progress}
	m.begin(t.Generation)
	job.Progress = m.played
	_, err = selfplay.Play(ctx, job, q.next, func(p data.Provenance, rows []data.Row) error {
		content, err := w.encode(p, rows)
		if err != nil {
			return err
		}
		r := result{Worker: w.opt.Name, Generation: t.Generation, Shard: p.Shard, File: t.File, Totals: m.unsent()}
		r.Totals.Games, r.Totals.Positions = job.ShardGames, len(rows)
		msg := &nats.Msg{Subject: n.shardsSubject(w.opt.Name), Header: nats.Header{}, Data: content}
		msg.Header.Set(resultHeader, string(mustJSON(r)))
		if _, err := js.PublishMsg(ctx, msg); err != nil {
			return fmt.Errorf("send shard %d: %w", p.Shard, err)
		}
		m.sent()
		return q.done(p.Shard)
	})
	return err
}

// A meter counts what a worker does during one call of selfplay.Play.
type meter struct {
	report func(Status)

	mu     sync.Mutex
	status *Status         // of the worker; guarded by mu
	before selfplay.Totals // in status before this call
	told   selfplay.Totals // of this call, in results that were made; guarded by mu
}

// begin starts to count shards of a generation.
func (m *meter) begin(generation int) {
	m.status.Generation = generation
	m.before = m.status.Totals
}

// played takes the totals of the call so far; see selfplay.Job.
func (m *meter) played(t selfplay.Totals) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Totals = m.before
	m.status.Totals.Add(t)
	if m.report != nil {
		m.report(*m.status)
	}
}

// unsent returns the simulations and evaluations since it was last called.
func (m *meter) unsent() selfplay.Totals {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := selfplay.Totals{
		Simulations: m.status.Simulations - m.before.Simulations - m.told.Simulations,
		Evaluations: m.status.Evaluations - m.before.Evaluations - m.told.Evaluations,
	}
	m.told.Add(fresh)
	return fresh
}

// sent counts a shard.
func (m *meter) sent() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status.Shards++
}

// fetch reads the model that the task needs, unless it is the last one.
func (w *worker) fetch(ctx context.Context, js jetstream.JetStream, n names, t task) error {
	if t.File == w.file {
		return nil
	}
	w.model, w.file = nil, ""
	if t.File == "" {
		return nil
	}
	store, err := js.ObjectStore(ctx, n.models())
	if err != nil {
		return fmt.Errorf("find the models: %w", err)
	}
	content, err := store.GetBytes(ctx, t.File)
	if err != nil {
		return fmt.Errorf("read model %s: %w", t.Model, err)
	}
	if digest(content) != t.File {
		return fmt.Errorf("model %s was damaged on its way", t.Model)
	}
	w.model, w.file = content, t.File
	return nil
}
