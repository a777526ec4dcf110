package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"time"

	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
)

// WorkerOptions are the settings of a worker.
type WorkerOptions struct {
	Join    string // HOST:PORT of the hub, or the URL of a NATS server
	Token   string // what the hub wants, or USER:PASSWORD for the NATS server at a URL
	Name    string // of this worker, in the hub's log, where its key's identity follows it; "" is HOST-PID
	Key     Key    // by which the worker is known; the zero Key is a new one
	Workers int    // number of goroutines that play

	// Wait is how long the worker tries to reach a hub that does not answer. With 0 it does not
	// give up, unless the last hub that it joined had HubOptions.Once: then it gives up after
	// onceGone, or after ten minutes if that hub's external server is down.
	Wait time.Duration

	// TLS encrypts the connection; see ClientTLS. If it is nil, the system must trust the
	// server's certificate, and a connection may do without encryption, if the server does not
	// want it, only on loopback or with Insecure.
	TLS      *tls.Config
	Insecure bool

	Log      *slog.Logger
	Progress func(Status) // after every game, by one goroutine at a time; nil logs it now and then
}

// Status is what a worker has done.
type Status struct {
	Run   string // the run's name
	Tasks int    // done and sent
	selfplay.Totals
}

// ErrRefused says that the hub does not let the worker in.
var ErrRefused = errors.New("the trainer refuses this worker")

// ErrAway says that the hub has not answered for WorkerOptions.Wait.
var ErrAway = errors.New("nobody answers")

// onceGone is the time without an answer after which a worker takes a hub with
// HubOptions.Once to be gone for good.
var onceGone = 15 * time.Second

// Work joins a hub and does tasks for it. It returns nil when the hub says that there will be
// no more tasks, ErrAway when the hub has not answered for opt.Wait, ErrRefused when the hub
// refuses the worker, and the cause when ctx ends.
func Work(ctx context.Context, opt WorkerOptions) error {
	if opt.Name == "" {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		opt.Name = fmt.Sprintf("%s-%d", host, os.Getpid())
	}
	if opt.Progress == nil {
		opt.Progress = logProgress(opt.Log)
	}
	return newWorker(opt).run(ctx)
}

// CheckJoin returns an error unless an address is one for WorkerOptions.Join.
func CheckJoin(address string) error {
	if strings.Contains(address, "://") { // the URL of a NATS server
		return CheckURL(address)
	}
	return CheckListen(address)
}

// newWorker returns a worker that has not joined yet.
func newWorker(opt WorkerOptions) *worker {
	if opt.Key.private == nil {
		opt.Key = NewKey()
	}
	return &worker{opt: opt, chosen: opt.Name, makers: executorMakers, dial: new(net.Dialer).DialContext, meter: meter{report: opt.Progress}, link: &link{address: withoutLogin(opt.Join), log: opt.Log, patience: opt.Wait}}
}

// run joins the hub, again after each lost connection; see Work.
func (w *worker) run(ctx context.Context) error {
	opt, address := w.opt, withoutLogin(w.opt.Join)
	w.lastContact = time.Now()
	var told time.Time // when the log was last told that the trainer is away
	var retry backoff
	for ctx.Err() == nil {
		contact := w.lastContact
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
		case w.isTaken(err):
			return fmt.Errorf("join %s: %w: %w", address, ErrRefused, err)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if errors.Is(err, errUnreachable) && !w.embedded {
			w.lastDown = time.Now()
		}
		limit, left := w.patience()
		if left <= 0 {
			return fmt.Errorf("join %s: %w for %v: %w", address, ErrAway, limit, err)
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			what := "the trainer cannot be reached"
			if !w.taken.IsZero() {
				what = "the trainer does not let this worker in"
			}
			opt.Log.Warn(what+"; trying again, after some time every 15 seconds", "address", address, "error", err)
		}
		if w.lastContact != contact { // it was there
			retry = backoff{}
		}
		retry.wait(ctx, left)
	}
	return context.Cause(ctx)
}

// nameHeld is how long a worker tries to join while another one of its name is there. That is
// itself before it was killed, say, which the hub holds for present for awayAfter at most.
var nameHeld = 2 * awayAfter

// isTaken reports whether the error of a session is that another worker of its name is there, and
// has been for longer than nameHeld.
func (w *worker) isTaken(err error) bool {
	switch {
	case !errors.Is(err, errTaken):
		w.taken = time.Time{}
	case w.taken.IsZero():
		w.taken = time.Now()
	default:
		return time.Since(w.taken) > nameHeld
	}
	return false
}

// patience returns how long the worker waits for a hub in all, and how much of that is left.
func (w *worker) patience() (limit, left time.Duration) {
	away := time.Since(w.lastContact)
	switch {
	case w.opt.Wait > 0:
		return w.opt.Wait, w.opt.Wait - away
	case !w.once:
		return forEver, forEver
	}
	gone := away
	if w.lastDown.After(w.lastContact) { // until then nobody knows whether the hub was there
		gone = time.Since(w.lastDown)
	}
	if outagePatience-away < onceGone-gone {
		return outagePatience, outagePatience - away
	}
	return onceGone, onceGone - gone
}

// forEver is the patience of a worker that does not give up.
const forEver = time.Duration(math.MaxInt64)

// credentialsProblem says why a server has rejected the worker's credentials.
func (opt WorkerOptions) credentialsProblem() string {
	switch {
	case strings.Contains(opt.Join, "://"):
		return "the server does not know this user and password, of the URL or of the token"
	case opt.Token == "":
		return "it wants its token"
	}
	return "the token is not its own"
}

type worker struct {
	opt         WorkerOptions
	makers      map[string]executorMaker // by the kinds of lots that the worker can do
	dial        func(ctx context.Context, network, address string) (net.Conn, error)
	meter       meter
	link        *link     // sends results
	lastContact time.Time // when it was last connected to a hub
	lastDown    time.Time // when a server that is not embedded could not be reached
	once        bool      // the last hub had HubOptions.Once
	embedded    bool      // the last hub had an embedded server
	proof       string    // for the last hub's configuration
	password    string    // the one that the last hub has given
	chosen      string    // the name that the worker says hello with; opt.Name is what the hub makes of it
	taken       time.Time // since when another worker of its name is there; zero if none is

	// The lot that the worker did last, its executor, and its files by their SHA-256.
	lot      lot
	executor executor
	files    map[string][]byte
}
