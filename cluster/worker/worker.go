// Package worker joins a hub, usually on another machine, and does tasks for it.
//
// A lot is a piece of work that is divided into numbered tasks, and an [Executor] does its tasks.
// [Makers] has an entry for each kind of lot:
//
//	shards   the self-play games of a generation; a task is a shard (see package selfplay)
//	gate     the match of a new model against the best one; a task is a pair of games (see package arena)
//	match    any other match, of players whose moves do not depend on time; a task is a pair of games
//
// A task gives the same bytes on every processor. With [Proof] a worker convinces the hub that this
// is true for the worker's program. The hub does tasks too, with the same executors.
//
// A worker that loses its connection reconnects. If only an external NATS server was down, the
// worker still delivers its results. If the trainer was restarted, the worker drops them and asks
// for new tasks.
//
// A worker that joins by the HOST:PORT of a hub serves its run, and ends when the run is complete. A
// worker that joins by the URL of an external NATS server serves all runs of that server, one at a
// time, until it is stopped; see pool. It goes to a run that has free tasks and few workers for its
// weight. If another run needs it more, it finishes the tasks that it has, and goes there. It waits
// for a run that needs another version of the program.
package worker

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/internal/natsclient"
	"dojo.example/internal/timing"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
)

// Options are the settings of a worker.
type Options struct {
	Join    string   // HOST:PORT of the hub, or the URL of a NATS server
	Token   string   // the hub's token; for the URL of a NATS server, USER:PASSWORD or a NATS token
	Creds   string   // the path of a file with another login at a NATS server; see natsclient.Login
	NKey    string   // the same
	Name    string   // the worker's name, to which the hub appends the identity of its key; "" stands for HOST-PID
	Key     wire.Key // the worker's key; the zero Key stands for a new one
	Workers int      // number of goroutines that play

	Run string // the name of the only run that the worker serves; "" stands for any run

	// UntilDone makes a worker that serves the runs of an external server end when a run is complete
	// and no other run answers. Without it, the worker waits for other runs.
	UntilDone bool

	// Wait is how long the worker tries to reach a hub that does not answer. If Wait is 0, it never
	// gives up, unless the last hub that it joined had hub.Options.Once, so that no other hub will
	// replace it. In that case the worker gives up after 15 seconds, or after ten minutes if that
	// hub used an external server that is down. At an external server this requires UntilDone.
	Wait time.Duration

	// TLS is the configuration that encrypts the connection; see certificate.Client. If it is nil, the
	// system must trust the server's certificate. An unencrypted connection is possible only with
	// nil, only if the server does not require encryption, and only if the server is on loopback or
	// Insecure is true.
	TLS      *tls.Config
	Insecure bool

	Log *slog.Logger
	// Progress is called after every game and task, by one goroutine at a time. If it is nil, the
	// worker logs its progress from time to time.
	Progress func(Status)
	Monitor  *Monitor // may be nil

	Times  wire.Times       // the timeouts; wire.Usual replaces fields that are zero
	Line   []nats.Option    // additional options of the NATS connection
	Makers map[string]Maker // makes the executors of lots, by kind; nil stands for the package's Makers
}

// Status says how much a worker has done.
type Status struct {
	Run   string // the run's name
	Tasks int    // number of tasks whose result the worker has sent or is sending
	selfplay.Totals
}

// ErrRefused is the error if the hub does not admit the worker.
var ErrRefused = errors.New("the trainer refuses this worker")

// ErrAway is the error if no hub has answered for as long as Options.Wait.
var ErrAway = errors.New("no trainer has answered")

// An otherVersion is an ErrRefused whose reason is that the run needs another version of dojo.
type otherVersion struct{ error }

func (o otherVersion) Unwrap() error { return o.error }

// Work joins a hub and does tasks for it, or for all hubs of an external server. It returns nil when
// there will be no more tasks; at an external server it does so only with opt.UntilDone. It returns
// ErrAway when no hub has answered for as long as opt.Wait, and ErrRefused when a hub refuses the
// worker. When ctx ends, it returns the cause.
func Work(ctx context.Context, opt Options) error {
	if opt.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		opt.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if _, err := natsclient.Lasting(opt.login()); err != nil {
		return err
	}
	return newWorker(opt).run(ctx)
}

// newWorker returns a worker that has not joined yet.
func newWorker(opt Options) *worker {
	if opt.Progress == nil {
		opt.Progress = logProgress(opt.Log)
	}
	opt.Times = opt.Times.OrUsual()
	if opt.Makers == nil {
		opt.Makers = Makers
	}
	if opt.Key == (wire.Key{}) {
		opt.Key = wire.NewKey()
	}
	if opt.Monitor == nil {
		opt.Monitor = &Monitor{}
	}
	return &worker{opt: opt, name: wire.Identified(opt.Name, opt.Key.Public()), meter: meter{report: opt.Progress, monitor: opt.Monitor}, proofs: map[string]string{}}
}

// run joins the hub and does tasks. Whenever it loses the connection, it joins again; see Work.
func (w *worker) run(ctx context.Context) error {
	address := wire.WithoutLogin(w.opt.Join)
	w.contact = time.Now()
	for n := 1; ctx.Err() == nil; n++ {
		contact := w.contact
		err := w.session(ctx)
		why, distrusted := wire.TLSProblem(err)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrNkeysNotSupported):
			return fmt.Errorf("join %s: %w: %s", address, ErrRefused, w.opt.credentialsProblem(err))
		case distrusted:
			return fmt.Errorf("join %s: %s", address, why)
		case errors.Is(err, ErrRefused), errors.Is(err, ErrAway), errors.Is(err, natsclient.ErrPayload):
			return fmt.Errorf("join %s: %w", address, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		left, err := w.waitAfter(err)
		if err != nil {
			return fmt.Errorf("join %s: %w", address, err)
		}
		if w.contact != contact { // the hub has answered during the session, so the pauses are short again
			n = 1
		}
		timing.Sleep(ctx, min(timing.Pause(n), left))
	}
	return context.Cause(ctx)
}

// waitAfter returns how long the worker may still wait for a hub that does not answer. err is the
// error of the last attempt. When no time is left, waitAfter returns ErrAway. It logs at most once
// a minute that the hub does not answer. Several goroutines may call it.
func (w *worker) waitAfter(err error) (left time.Duration, away error) {
	w.opt.Monitor.note(func(a *Activity) { a.Waits = err.Error() })
	w.mu.Lock()
	defer w.mu.Unlock()
	limit := time.Duration(math.MaxInt64)
	switch {
	case w.opt.Wait > 0 && !w.done:
		limit = w.opt.Wait
	case (w.once || w.done) && !w.embedded && errors.Is(err, errUnreachable):
		limit = w.opt.Times.Outage
	case w.once || w.done:
		limit = w.opt.Times.Gone
	}
	if left = limit - time.Since(w.contact); left <= 0 {
		return 0, fmt.Errorf("%w for %v: %w", ErrAway, limit, err)
	}
	switch address := wire.WithoutLogin(w.opt.Join); {
	case errors.Is(err, errVersion): // pool.refuse has logged it
	case errors.Is(err, errNoRun):
		if w.told.Before(w.contact) {
			w.told = time.Now()
			w.opt.Log.Info(NoRun+"; waiting for one", "address", address)
		}
	case time.Since(w.told) > time.Minute:
		w.told = time.Now()
		w.opt.Log.Warn("cannot reach the trainer; trying again, at least every 15 seconds", "address", address, "error", err)
	}
	return left, nil
}

// noteContact records the time at which the hub has answered, or at which its server is reachable
// again.
func (w *worker) noteContact() {
	w.opt.Monitor.note(func(a *Activity) { a.Waits = "" })
	w.mu.Lock()
	defer w.mu.Unlock()
	w.contact = time.Now()
}

// silence returns how long no hub has answered, but not longer than since the given time.
func (w *worker) silence(since time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return min(time.Since(since), time.Since(w.contact))
}

// credentialsProblem explains to the user why a server has rejected the worker's credentials. err is
// the error of the connection.
func (opt Options) credentialsProblem(err error) string {
	switch {
	case strings.Contains(opt.Join, ","):
		return fmt.Sprintf("these servers do not accept the worker's login: %v", err)
	case strings.Contains(opt.Join, "://"):
		return "the server does not accept the worker's login (from the URL, the token, or the file of --nats-creds, --nats-nkey or --tls-cert)"
	case opt.Token == "":
		return "it requires a token; give the trainer's token in DOJO_TOKEN or with --token-file"
	}
	return "the token is wrong; give the trainer's token in DOJO_TOKEN or with --token-file"
}

type worker struct {
	opt   Options
	name  string // the worker's name at the hub
	meter meter

	once     bool // the last hub had hub.Options.Once, so no later hub continues its work
	embedded bool // the server of the last connection was embedded in a hub
	pooled   bool // the worker serves all runs of an external server; see pool
	done     bool // a run is complete, and with Options.UntilDone the worker need not wait for another

	// These fields hold the lot (batch of tasks) on which the worker worked last, its executor, its
	// files by their SHA-256 and, in a pool, the files of the lot before it.
	lot      wire.Lot
	executor Executor
	files    map[string][]byte
	older    map[string][]byte

	proofs map[string]string // the proofs that the worker has computed, by the run's configuration

	mu      sync.Mutex
	contact time.Time // when a hub last answered or its server became reachable again; guarded by mu
	told    time.Time // when the worker last logged that the hub does not answer; guarded by mu
}

// newExecutor creates the executor of the lot (batch of tasks) l and stores it in w. It does
// nothing if w already has this executor from the previous task. It calls fetch for each file of
// the lot that w does not have yet.
func (w *worker) newExecutor(l wire.Lot, fetch func(name string) ([]byte, error)) error {
	if l == w.lot {
		return nil
	}
	w.lot, w.executor = wire.Lot{}, nil
	files := map[string][]byte{}
	var content [2][]byte
	for i, name := range l.Files {
		if name == "" {
			continue
		}
		if files[name] = w.files[name]; files[name] == nil {
			files[name] = w.older[name]
		}
		if files[name] == nil {
			var err error
			if files[name], err = fetch(name); err != nil {
				return err
			}
		}
		content[i] = files[name]
	}
	if w.pooled { // the next lot may belong to the run before this one
		w.older = w.files
	}
	w.files = files
	newExecutor, ok := w.opt.Makers[l.Kind]
	if !ok {
		return otherVersion{fmt.Errorf("%w: this version of dojo does not know tasks of kind %q: use the trainer's version", ErrRefused, l.Kind)}
	}
	exec, err := newExecutor(l, content, w.opt.Workers)
	if err != nil {
		return otherVersion{fmt.Errorf("%w: this version of dojo cannot do its tasks: %w", ErrRefused, err)}
	}
	w.lot, w.executor = l, exec
	return nil
}
