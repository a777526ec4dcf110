// Package hub lets several machines play the games of a run. The trainer contains a [Hub], which
// manages the run's folder, hands out tasks and checks their results. Workers (see package worker)
// and the hub itself do the tasks. Package wire defines the messages between them, which travel
// over NATS.
//
// The files of a run do not depend on how many workers there are or which of them are killed,
// because a task gives the same bytes on every processor. If two results of a task differ, a
// computer made a mistake or somebody cheats. The hub then does the task itself and bans the worker
// that was wrong. To find such workers, some results are computed twice (see package audit): some
// shards (files of self-play games), and some pairs of games from gate matches.
//
// Tasks belong to a lot, for example all shards of a generation. The hub keeps each result in the
// lot's store. If the lot consists of shards, the store is the run's folder: a shard is done if its
// file exists. Everything else that the hub knows about tasks is only in memory. A new hub can
// derive it from the missing results, so a restart has nothing to repair.
//
// A worker keeps a task as long as its heartbeats arrive and it lists the task in its requests.
// Otherwise the hub gives the task to somebody else. If all remaining tasks are taken, a worker
// that asks for a task gets a copy of a taken one, unless another run of the same server has free
// tasks. If the results of a lot are used in order, the hub also gives out copies of overdue tasks.
// So a worker can keep a task, but it cannot delay the others (see Hub.next). The first result of a
// task counts.
//
// The hub itself counts the games and positions in a result, and accepts only the bytes that this
// program would write for them. Other numbers, such as the number of simulations, cannot be derived
// from a result. The worker claims them; the hub limits these claims and bases no decision on them.
// The hub accepts a result only if the worker was given the task and has signed the result. Large
// results arrive in pieces, of which the hub keeps a limited number of bytes (see uploads). At an
// embedded server a worker can only send requests under its own name (see gatekeeper).
package hub

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	mrand "math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"
	"dojo.example/internal/logs"
	"dojo.example/internal/timing"
	"dojo.example/train"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Options are the settings of a hub.
type Options struct {
	Name   string // the name of the run, match or other work
	Config string // the text of run.yaml; the workers compute their proof from it (see worker.Proof)
	Dir    string // the folder in which the hub lists its workers (see rundir.Workers); if "", it writes no list

	Listen string // HOST:PORT of the embedded server; port 0 selects a free port
	URL    string // an external NATS server to use instead of an embedded one

	// TLS is the TLS configuration. For an embedded server it contains the certificate that the
	// server shows to workers. For an external server (see URL) it contains the authority that must
	// have signed the server's certificate.
	//
	// If TLS is nil, an embedded server does not encrypt. The program then allows only loopback
	// addresses, unless Insecure is set. For an external server without TLS, see wire.Encryption.
	TLS *tls.Config

	// Insecure allows unencrypted connections to and from other machines.
	Insecure bool

	// Token is the secret that a worker must show to be admitted. "" admits every worker. An
	// external server checks its own passwords. With URL, Token is therefore the USER:PASSWORD or
	// the NATS token that the hub shows to that server, or "" if URL already contains it.
	Token string

	// Creds and NKey are the paths of files with other logins at an external server; see natsclient.Login.
	Creds, NKey string

	// Verify is the share, from 0 to 1, of the workers' results that the trainer or another worker
	// computes again and compares. It applies to shards of self-play games and to pairs of games of
	// gate matches.
	Verify float64

	// Once means that nobody continues the work after this process exits, for example because the
	// work is a single match. Workers then do not wait for the hub to come back.
	Once bool

	Weight float64 // the run's share of the workers of an external server, relative to the other runs; 0 means 1

	Log *slog.Logger

	Times wire.Times // the timeouts; wire.Usual replaces fields that are zero

	unheard bool // the embedded server has no port; only for tests, whose workers connect within the process
}

// A Hub hands out tasks and collects their results.
type Hub struct {
	opt     Options
	names   wire.Names
	server  *server.Server // the embedded server; nil if the hub uses an external one
	conn    *nats.Conn
	ctx     context.Context // the context passed to New; until it ends, the hub waits for a server that does not answer
	roster  *roster
	uploads uploads
	proof   string // the hub refuses workers with a different proof
	started time.Time

	// picks reports whether a result that has arrived is recomputed. checksHere reports whether
	// this process or another worker recomputes it. Both decide at random, except in tests.
	picks      func(share float64, e audit.Entry) bool
	checksHere func() bool

	assigning sync.Mutex         // held while a task is chosen and its lease is stored
	training  atomic.Bool        // whether this process is training
	complete  atomic.Bool        // whether there will be no more tasks
	stop      context.CancelFunc // ends the hub's goroutines
	work      sync.WaitGroup     // the hub's goroutines

	mu         sync.Mutex
	refused    map[string]string // the reason for refusing a worker, by its key (see rundir.KeyOf); guarded by mu
	forgivable []grudge          // refusals that the hub may forget, the oldest first; guarded by mu
	open       []*dispatch       // the lots (batches of tasks) in progress, in the order in which they began; guarded by mu

	news   timing.Signal // signals that there may be tasks for this process
	guests timing.Signal // signals a message from a client that is not admitted; see watchConnections
}

// New starts an embedded server, or connects to the one at opt.URL, and begins to admit workers. If
// the server at opt.URL does not answer, New tries again until ctx ends, for at most ten minutes.
func New(ctx context.Context, opt Options) (h *Hub, err error) {
	opt.Times = opt.Times.OrUsual()
	opt.Log = slog.New(logs.Limit(opt.Log.Handler())) // limits repeated lines, because workers could cause any number of them
	h = &Hub{opt: opt, names: wire.NamesOf(opt.Name, opt.Config, opt.Once), ctx: ctx, started: time.Now(), refused: map[string]string{}, news: timing.NewSignal(), guests: timing.NewSignal()}
	h.picks = func(share float64, _ audit.Entry) bool { return mrand.Float64() < share } // unpredictable for workers
	h.checksHere = func() bool { return mrand.Float64() < audit.CheckedHere }
	if h.proof, err = worker.Proof(ctx, opt.Config); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if h.roster, err = newRoster(opt.Dir); err == nil {
		err = h.connect(ctx)
	}
	if err == nil && h.server == nil && !opt.Once { // the subjects of a hub with Once are unique
		err = h.checkUnique(ctx)
	}
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err == nil {
		err = h.answer(ctx)
	}
	if h.ctx.Err() != nil {
		err = context.Cause(h.ctx)
	} else if err != nil {
		err = fmt.Errorf("cluster: %w", err)
	}
	if err != nil {
		h.close()
		return nil, err
	}
	h.work.Go(func() { h.workHere(ctx) })
	h.work.Go(func() { h.writeRoster(ctx) })
	if h.server != nil {
		h.work.Go(func() { h.watchConnections(ctx) })
	}
	return h, nil
}

// Attach connects the hub with a run: the hub distributes the self-play games and the gate matches
// of the run. To do so, it sets Ledger, Games, GateSource and Training of opt. config is the text
// of run.yaml. While this process trains and workers are present, the hub leaves all games to them.
// It does not admit workers that have sent wrong results in this run before.
func (h *Hub) Attach(opt *train.Options, config string) (err error) {
	if opt.Ledger, err = audit.Open(opt.Folder); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	h.refuseBanned(opt.Ledger)
	opt.Games, opt.GateSource = h.games(opt, config), h.gate(opt, config)
	opt.Training = func(trains bool) {
		h.training.Store(trains)
		h.news.Give()
	}
	return nil
}

// refuseBanned refuses the workers that are listed as banned in the ledger l (the run's list of
// wrong results).
func (h *Hub) refuseBanned(l *audit.Ledger) {
	for worker, e := range l.Banned() {
		if h.isRefused(worker) == "" {
			h.refuse(worker, whyCutOff(e))
		}
	}
}

// answer answers the requests of workers in the background until ctx ends. Each kind of request is
// an endpoint of a NATS service, so that NATS tools can show how many requests there were and how
// long they took. At an embedded server only the hub itself could ask for these statistics; see
// gatekeeper.
func (h *Hub) answer(ctx context.Context) error {
	results := make(chan micro.Request)
	for range receivers {
		h.work.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case r := <-results:
					h.onResult(r)
				}
			}
		})
	}
	endpoints := map[string]micro.HandlerFunc{
		wire.KindQuestion: h.onQuestion, wire.KindHello: h.onHello, wire.KindNext: h.onNext, wire.KindModel: h.onModel,
		wire.KindResult: func(r micro.Request) {
			select {
			case <-ctx.Done():
			case results <- r: // if all receivers are busy, this blocks, and later requests wait
			}
		},
	}
	// Queue groups are off, so that a question reaches the hubs of all runs that share the server.
	service, err := micro.AddService(h.conn, micro.Config{Name: "dojo", Version: fmt.Sprint(wire.Protocol, ".0.0"), QueueGroupDisabled: true})
	for kind, handler := range endpoints {
		if err == nil {
			err = service.AddEndpoint(kind, handler, micro.WithEndpointSubject(h.names.Subject(kind, "*")))
		}
	}
	if err == nil {
		_, err = h.conn.Subscribe(h.names.Subject(wire.KindPulse, "*"), h.onHeartbeat)
	}
	if err != nil {
		return err
	}
	return h.conn.FlushTimeout(h.opt.Times.Request) // ensures that a worker that says hello after New gets an answer
}

// Address returns the HOST:PORT at which workers join, or the URL of an external server without
// user and password.
func (h *Hub) Address() string {
	switch {
	case h.server == nil:
		return wire.WithoutLogin(h.opt.URL)
	case h.opt.unheard:
		return h.opt.Listen
	}
	return wire.Reachable(h.server.Addr().String())
}

// Close stops the hub. If allDone is true, Close first tells the workers that there will be no more
// tasks, so that they exit. On a nil hub, Close does nothing.
func (h *Hub) Close(allDone bool) {
	if h == nil {
		return
	}
	if allDone {
		h.announceComplete()
	}
	h.stop()
	h.work.Wait()
	h.close()
}

// announceComplete tells all workers that there will be no more tasks. A worker that does not hear
// this would wait for the trainer forever, so announceComplete waits up to three seconds until the
// workers have left, including workers that are still joining. If the hub has just started, it
// waits longer, to give the workers of the previous hub time to come back.
func (h *Hub) announceComplete() {
	h.complete.Store(true) // from now on, every answer to a worker says this too
	const patience, pause = 3 * time.Second, 50 * time.Millisecond
	for begun := time.Now(); ; timing.Sleep(h.ctx, pause) {
		h.broadcast(wire.State{Complete: true})
		_ = h.conn.FlushTimeout(time.Second)                                     // ignore the error: there may be no connection
		here := h.roster.helps() || h.server != nil && h.server.NumClients() > 1 // the hub itself is one of the clients
		waiting := here && time.Since(begun) < patience || h.roster.awaits() && time.Since(h.started) < timing.LongestPause+patience
		if !waiting || h.ctx.Err() != nil {
			return
		}
	}
}

// wake tells the workers and this process that there are new tasks.
func (h *Hub) wake() {
	h.news.Give()
	h.broadcast(wire.State{})
}

// broadcast sends a state to all workers. If a worker misses the message, it learns the state from
// the answer to its next request.
func (h *Hub) broadcast(s wire.State) {
	if err := h.conn.Publish(h.names.State(), wire.JSON(s)); err != nil {
		h.opt.Log.Debug("could not send a message to the workers", "state", s, "error", err)
	}
}

// close closes the connection and the embedded server.
func (h *Hub) close() {
	if h.conn != nil {
		h.conn.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
}
