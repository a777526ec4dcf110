package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"dojo.example/train"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// HubOptions is what a hub is made of.
type HubOptions struct {
	Name   string // of the run, or of other work, such as a match
	Config string // the text of a run.yaml, from which workers compute their proof; see Proof
	Dir    string // the folder in which an embedded server keeps its streams

	Listen string // HOST:PORT of the embedded server; port 0 is a free one
	URL    string // a NATS server with JetStream to use instead

	// TLS has the certificate that an embedded server shows to workers, or, with URL, the
	// authority that must have signed the server's. If it is nil, an embedded server does
	// not encrypt, and listens on loopback only; see Insecure and requireTLS.
	TLS *tls.Config

	// Insecure allows connections to and from other machines that are not encrypted.
	Insecure bool

	// Token is what a worker must show to be let in; "" lets everybody in. A server
	// that is not embedded has passwords of its own: with URL, Token is what the hub shows to
	// it, as USER:PASSWORD or a token of NATS; "" for nothing but what is in URL.
	Token string

	// Verify is a share from 0 to 1: that many of the shards, and of the pairs of games of
	// gates, that workers send are computed again by somebody else, and compared.
	Verify float64

	// Once says that no later process continues the work when this one ends, as with the
	// games of a match. Workers then do not wait for the hub to come back, and the server
	// keeps nothing of the work, or for a limited time if the hub is killed (see remainFor).
	// Close removes Dir.
	Once bool

	Log *slog.Logger

	unheard bool // the embedded server does not listen; for workers that tests connect within the process
}

// A Hub hands out tasks and collects their results.
type Hub struct {
	opt    HubOptions
	names  names
	server *server.Server // nil if the server is not embedded
	lock   *flock.Flock   // of the server's folder
	conn   *nats.Conn
	link   *link           // makes requests of the server
	ctx    context.Context // the hub waits for a server that does not answer until it ends

	js      jetstream.JetStream
	tasks   jetstream.Stream
	queue   jetstream.Consumer // of tasks
	results jetstream.Consumer
	models  jetstream.Stream
	epoch   atomic.Int64 // how often the streams had to be made again; see restore

	resultStream jetstream.Stream
	badHello     atomic.Bool // a message came that is not a hello
	tookBack     atomic.Bool // tasks had to be taken back from workers

	localQueue *queue // hands tasks to this process
	tickets    ticketOffice
	roster     *roster
	gatekeeper *gatekeeper
	proof      string // the right proof: a worker with another one is refused
	started    time.Time
	picks      func(share float64) bool // whether a result is computed again; chance decides, but in tests
	checksHere func() bool              // whether this process does that, and not another worker; likewise
	training   atomic.Bool              // this process trains
	complete   atomic.Bool              // there will be no more tasks
	stop       context.CancelFunc       // ends the hub's goroutines
	work       sync.WaitGroup           // the hub's goroutines

	greeting  sync.Mutex // held while a hello is answered
	restoring sync.Mutex // held while streams are made again
	lost      bool       // some streams were lost, and not all is made again yet; guarded by restoring

	mu         sync.Mutex
	refused    map[string]string    // the reasons why workers are refused, by their keys (see run.KeyOf); guarded by mu
	lots       map[string]*dispatch // by the lot's id; nil for a lot that is over; guarded by mu
	secretRand *rand.Rand           // decides which results are computed again, and by whom; guarded by mu
	files      map[string]*file     // of the open lots, by their SHA-256; guarded by mu
	invalid    map[string]int       // the messages that were no results, by subject; guarded by mu

	storing sync.Mutex // held while a file is stored or removed
}

// A file is one that open lots need.
type file struct {
	content []byte
	lots    int // the number of open lots that need it
}

// NewHub starts an embedded server, or connects to the one at opt.URL, and begins to let
// workers in. While the server at opt.URL does not answer, NewHub waits for it, and later the
// hub does: for ten minutes at most, and no longer than until ctx ends.
func NewHub(ctx context.Context, opt HubOptions) (h *Hub, err error) {
	if opt.Listen == "" && opt.URL == "" {
		return nil, errNoServer
	}
	n := namesOf(opt.Name, opt.Config, opt.Once)
	h = &Hub{
		opt: opt, names: n, ctx: ctx, gatekeeper: newGatekeeper(opt.Token, n), started: time.Now(), secretRand: rand.New(unpredictable()),
		refused: map[string]string{}, lots: map[string]*dispatch{}, files: map[string]*file{}, invalid: map[string]int{},
	}
	h.picks = func(share float64) bool { return h.chance() < share }
	h.checksHere = func() bool { return h.chance() < checkedHere }
	if h.proof, err = Proof(ctx, opt.Config); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err = h.connect(ctx); err == nil {
		h.roster, err = newRoster(opt.Dir, n)
	}
	if err == nil {
		h.tickets, err = openTicketOffice(opt.Dir, opt.Once)
	}
	if err == nil {
		err = h.begin(ctx)
	}
	if ctx.Err() != nil {
		return nil, errors.Join(context.Cause(ctx), h.close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), h.close())
	}
	h.localQueue = newQueue(h.queue, opt.Log)
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	for range receivers {
		h.work.Go(func() { h.receive(ctx) })
	}
	h.work.Go(func() { h.workHere(ctx) })
	h.work.Go(func() { h.writeRoster(ctx) })
	if h.server == nil {
		h.work.Go(func() { h.removeRemains(ctx) })
		if opt.Once {
			h.work.Go(func() { h.prolong(ctx) })
		}
	}
	return h, nil
}

// Attach makes the hub play the games and the gate's matches of a run: it sets Games,
// GateSource, Training and GoesBack of opt. config is the text of the run's run.yaml. While
// this process trains and workers are present, it leaves all games to them. Workers that
// sent wrong results in this run before are not let in again.
func (h *Hub) Attach(opt *train.Options, config string) error {
	ledger, err := opt.Folder.OpenLedger()
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	shared := &sharedLedger{ledger: ledger}
	h.refuseFound(shared)
	opt.Games, opt.GateSource = h.games(opt, config, shared), h.gate(opt.Folder, config, shared)
	opt.Training, opt.GoesBack = h.training.Store, true
	return nil
}

// refuseFound cuts off the workers that the ledger says were wrong.
func (h *Hub) refuseFound(l *sharedLedger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for worker, e := range l.ledger.CutOff() {
		if h.isRefused(worker) == "" {
			h.refuse(worker, whyCutOff(e))
		}
	}
}

// connect starts the server and connects to it.
func (h *Hub) connect(ctx context.Context) (err error) {
	if h.opt.URL != "" {
		return h.connectURL(ctx)
	}
	if err := CheckListen(h.opt.Listen); err != nil {
		return err
	}
	if h.opt.TLS == nil && !h.opt.Insecure && !Loopback(h.opt.Listen) {
		return fmt.Errorf("listen on %s: %w", h.opt.Listen, errNotEncrypted)
	}
	if !h.opt.unheard {
		if err := tryPort(h.opt.Listen); err != nil { // before anything is written
			return err
		}
	}
	if h.lock, err = lockDir(h.opt.Dir); err != nil {
		return err
	}
	if h.server, err = startServer(h.opt, h.gatekeeper); err != nil {
		return err
	}
	if h.conn, err = connectHub(h.server, h.gatekeeper, h.opt.Log); err == nil && !h.opt.unheard {
		err = listen(h.server, h.opt.Listen)
	}
	if err != nil {
		return err
	}
	h.link = &link{address: h.Address(), log: h.opt.Log, lost: h.lostStreams}
	return nil
}

// connectURL connects to the server at opt.URL.
func (h *Hub) connectURL(ctx context.Context) error {
	h.link = &link{address: withoutLogin(h.opt.URL), log: h.opt.Log}
	options := append(lastingConnection(), tellOf(h.opt.Log), nats.Name("dojo trainer"), nats.ReconnectHandler(func(*nats.Conn) { h.link.reconnected() }))
	if h.opt.Token != "" {
		options = append(options, credentials(h.opt.Token))
	}
	if encryption := requireTLS(h.opt.TLS, h.opt.URL, h.opt.Insecure); encryption != nil {
		options = append(options, nats.Secure(encryption))
	}
	return h.link.ask(ctx, "for a connection", func(ctx context.Context) (err error) {
		h.conn, err = connect(ctx, func() (*nats.Conn, error) { return nats.Connect(h.opt.URL, options...) })
		return err
	})
}

// lostStreams returns an error if the embedded server has given up its streams, which it does
// when its disk is full.
func (h *Hub) lostStreams() error {
	if h.server.JetStreamEnabled() {
		return nil
	}
	return fmt.Errorf("it has given up its streams in %s; is the disk full?", h.opt.Dir)
}

// Address is the HOST:PORT at which workers join, or the URL of a server that is not
// embedded, without user and password.
func (h *Hub) Address() string {
	switch {
	case h.server == nil:
		return withoutLogin(h.opt.URL)
	case h.opt.unheard:
		return h.opt.Listen
	}
	return reachable(h.server.Addr().String())
}

// Close stops the hub. With allDone it first tells the workers that there will be no more
// tasks, so that they end. Nil has nothing to close.
func (h *Hub) Close(allDone bool) error {
	if h == nil {
		return nil
	}
	h.stop()
	h.work.Wait()
	ctx, cancel := h.lastRequests(h.ctx)
	defer cancel()
	var err error
	if allDone {
		err = h.announceComplete(ctx)
	}
	if h.server == nil && (allDone || h.opt.Once) {
		err = errors.Join(err, h.removeStreams(ctx))
	}
	err = errors.Join(err, h.close())
	if h.opt.Once {
		err = errors.Join(err, os.RemoveAll(h.opt.Dir))
	}
	return err
}

// lastRequests returns a context for the requests with which the hub clears up. It is ctx, so
// that they wait for a server that does not answer. But if ctx has ended, because somebody wants
// the program to end, there is little time, and hardly any for a server that is known to be silent.
func (h *Hub) lastRequests(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return context.WithCancel(ctx)
	}
	limit := requestTimeout
	if h.link.isDown() || !h.conn.IsConnected() {
		limit = 50 * time.Millisecond
	}
	return context.WithTimeout(context.WithoutCancel(ctx), limit)
}

// broadcast sends a state to all workers.
func (h *Hub) broadcast(s state) error { return h.conn.Publish(h.names.stateSubject(), mustJSON(s)) }

// announceComplete tells all workers, including those that are just joining, that there will be
// no more tasks. A worker that misses the message would wait for the trainer forever. So
// announceComplete waits for at most three seconds: with an embedded server, until the workers
// have disconnected, and if the server has just started, until those of before have had time to
// reconnect; with another server that was just away, until the workers have come back.
func (h *Hub) announceComplete(ctx context.Context) error {
	h.complete.Store(true) // for workers that say hello from here on
	const patience, pause = 3 * time.Second, 50 * time.Millisecond
	for begun := time.Now(); ; time.Sleep(pause) {
		err := h.link.ask(ctx, "to tell the workers that all is done", func(context.Context) error {
			return errors.Join(h.broadcast(state{Complete: true}), h.conn.FlushTimeout(time.Second))
		})
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
		waiting := h.server != nil && h.server.NumClients() > 1 // one client is the hub itself
		if h.server == nil {
			waiting = h.link.wasDown(awayAfter)
		}
		waiting = waiting && time.Since(begun) < patience
		waiting = waiting || h.server != nil && h.roster.awaits() && time.Since(h.started) < longestRetry+patience
		if !waiting || ctx.Err() != nil {
			return nil
		}
	}
}

// close closes the connection and the embedded server.
func (h *Hub) close() error {
	if h.conn != nil {
		h.conn.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	if h.lock == nil {
		return nil
	}
	return h.lock.Close()
}
