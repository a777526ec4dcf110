// Package worker joins a hub, usually on another machine, and does tasks for it.
//
// A lot is a piece of work that is divided into numbered tasks, and an [Executor] does its tasks.
// [Makers] has an entry for each kind of lot:
//
//	shards   a generation's games of self-play; a task is a shard (see package selfplay)
//	gate     the match of a generation's gate; a task is a pair of games (see package arena)
//	match    any other match, of players whose moves do not depend on time; a task is a pair of games
//
// A task gives the same bytes on every processor. With [Proof] a worker shows the hub that this is
// true for the worker's program. The hub does tasks too, with the same executors.
//
// A worker that loses its connection reconnects. If only an external NATS server was down, the
// worker still delivers its results. If the trainer was restarted, the worker drops them and asks
// for new tasks.
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
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
)

// Options are the settings of a worker.
type Options struct {
	Join    string   // HOST:PORT of the hub, or the URL of a NATS server
	Token   string   // the token of the hub, or USER:PASSWORD or a token for the NATS server at a URL
	Name    string   // the worker's name, to which the hub appends the identity of its key; "" is HOST-PID
	Key     wire.Key // the key that identifies the worker; the zero Key stands for a new one
	Workers int      // number of goroutines that play

	// Wait is how long the worker tries to reach a hub that does not answer. With 0 it does not
	// give up, unless the last hub that it joined had hub.Options.Once. In that case it gives up
	// after 15 seconds, or after ten minutes if the external server of that hub is down.
	Wait time.Duration

	// TLS is the configuration that encrypts the connection; see wire.ClientTLS. If it is nil, the
	// system must trust the server's certificate, and the connection is unencrypted if the server
	// wants no encryption and the server is on loopback or Insecure is true.
	TLS      *tls.Config
	Insecure bool

	Log      *slog.Logger
	Progress func(Status) // called after every game and task, by one goroutine at a time; if nil, progress is logged now and then

	Times  wire.Times       // how long to wait for answers; zero fields are replaced by wire.Usual
	Line   []nats.Option    // more options of the connection
	Makers map[string]Maker // the executors by the kinds of lots; nil stands for the package's Makers
}

// Status is what a worker has done.
type Status struct {
	Run   string // the run's name
	Tasks int    // number of tasks whose result was sent or is being sent
	selfplay.Totals
}

// ErrRefused says that the hub does not admit the worker.
var ErrRefused = errors.New("the trainer refuses this worker")

// ErrAway says that the hub has not answered for Options.Wait.
var ErrAway = errors.New("no trainer has answered")

// Work joins a hub and does tasks for it. It returns nil when the hub says that there will be no
// more tasks, ErrAway when the hub has not answered for opt.Wait, ErrRefused when the hub refuses
// the worker, and the cause when ctx ends.
func Work(ctx context.Context, opt Options) error {
	if opt.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		opt.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
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
	return &worker{opt: opt, name: wire.Identified(opt.Name, opt.Key.Public()), meter: meter{report: opt.Progress}}
}

// run joins the hub, and joins again after each lost connection; see Work.
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
		case errors.Is(err, nats.ErrAuthorization):
			return fmt.Errorf("join %s: %w: %s", address, ErrRefused, w.opt.credentialsProblem())
		case distrusted:
			return fmt.Errorf("join %s: %s", address, why)
		case errors.Is(err, ErrRefused), errors.Is(err, ErrAway):
			return fmt.Errorf("join %s: %w", address, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		left, err := w.waitAfter(err)
		if err != nil {
			return fmt.Errorf("join %s: %w", address, err)
		}
		if w.contact != contact { // the hub has answered in the meantime
			n = 1
		}
		wire.Sleep(ctx, min(wire.Pause(n), left))
	}
	return context.Cause(ctx)
}

// waitAfter returns how long the worker may still wait for a hub that has not answered, because of
// err. If that time is over, it returns ErrAway. It logs at most once a minute that the hub does
// not answer. Several goroutines may call it.
func (w *worker) waitAfter(err error) (left time.Duration, away error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	limit := time.Duration(math.MaxInt64)
	switch {
	case w.opt.Wait > 0:
		limit = w.opt.Wait
	case w.once && !w.embedded && errors.Is(err, errUnreachable):
		limit = w.opt.Times.Outage
	case w.once:
		limit = w.opt.Times.Gone
	}
	if left = limit - time.Since(w.contact); left <= 0 {
		return 0, fmt.Errorf("%w for %v: %w", ErrAway, limit, err)
	}
	if time.Since(w.told) > time.Minute {
		w.told = time.Now()
		w.opt.Log.Warn("cannot reach the trainer; trying again, at least every 15 seconds", "address", wire.WithoutLogin(w.opt.Join), "error", err)
	}
	return left, nil
}

// noteContact notes that the hub has answered, or that its server is reachable again.
func (w *worker) noteContact() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.contact = time.Now()
}

// credentialsProblem says why a server has rejected the worker's credentials.
func (opt Options) credentialsProblem() string {
	switch {
	case strings.Contains(opt.Join, "://"):
		return "the server does not accept the user and password from the URL or the token"
	case opt.Token == "":
		return "it requires a token; give the trainer's token in DOJO_TOKEN or with --token-file"
	}
	return "the token is wrong; give the trainer's token in DOJO_TOKEN or with --token-file"
}

type worker struct {
	opt   Options
	name  string // the worker's name at the hub
	meter meter

	once     bool // the last hub had hub.Options.Once: no later hub continues its work
	embedded bool // the last connection was to a server embedded in a hub

	// The lot that the worker did last, its executor, and its files by their SHA-256.
	lot      wire.Lot
	executor Executor
	files    map[string][]byte

	mu      sync.Mutex
	contact time.Time // when a hub last answered, or its server was reachable again; guarded by mu
	told    time.Time // when the log last said that the hub does not answer; guarded by mu
}

// newExecutor makes the executor of a lot, unless the worker already has it from the previous task.
// fetch reads a file of the lot that the worker does not have yet.
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
			var err error
			if files[name], err = fetch(name); err != nil {
				return err
			}
		}
		content[i] = files[name]
	}
	w.files = files
	newExecutor, ok := w.opt.Makers[l.Kind]
	if !ok {
		return fmt.Errorf("%w: this version of dojo does not know tasks of kind %q: use the trainer's version", ErrRefused, l.Kind)
	}
	exec, err := newExecutor(l, content, w.opt.Workers)
	if err != nil {
		return fmt.Errorf("%w: this version of dojo cannot do its tasks: %w", ErrRefused, err)
	}
	w.lot, w.executor = l, exec
	return nil
}
