package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"dojo/train"

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
	// not encrypt.
	TLS *tls.Config

	// Token is what a worker must show to be let in; "" lets everybody in. A server
	// that is not embedded has passwords of its own.
	Token string

	// Verify is a share from 0 to 1: that many of the shards, and of the pairs of games of
	// gates, that workers send are computed again by somebody else, and compared.
	Verify float64

	// Once says that no later process continues the work when this one ends, as with the
	// games of a match. Workers then do not wait for the hub to come back, and the server
	// keeps nothing of the work.
	Once bool

	Log *slog.Logger
}

// A Hub hands out tasks and collects their results.
type Hub struct {
	opt    HubOptions
	names  names
	server *server.Server // nil if the server is not embedded
	lock   *flock.Flock   // of the server's folder
	conn   *nats.Conn

	js      jetstream.JetStream
	tasks   jetstream.Stream
	queue   jetstream.Consumer // of tasks
	results jetstream.Consumer
	models  jetstream.ObjectStore

	localQueue *queue // hands tasks to this process
	roster     *roster
	gatekeeper *gatekeeper
	proof      string // the right proof: a worker with another one is refused
	started    time.Time
	training   atomic.Bool        // this process trains
	complete   atomic.Bool        // there will be no more tasks
	stop       context.CancelFunc // ends the hub's goroutines
	work       sync.WaitGroup     // the hub's goroutines

	mu         sync.Mutex
	refused    map[string]string    // the reasons why workers are refused, by their names; guarded by mu
	lots       map[string]*dispatch // by the lot's id; nil for a lot that is over; guarded by mu
	verifyRand rand.Source          // decides which results are computed again; guarded by mu

	storing sync.Mutex     // held while models are stored and removed
	files   map[string]int // the number of open lots that use a file, by its SHA-256; guarded by storing
}

// NewHub starts an embedded server, or connects to the one at opt.URL, and begins to let
// workers in.
func NewHub(ctx context.Context, opt HubOptions) (h *Hub, err error) {
	if opt.Listen == "" && opt.URL == "" {
		return nil, errNoServer
	}
	n := namesOf(opt.Name, opt.Config, opt.Once)
	h = &Hub{
		opt: opt, names: n, gatekeeper: newGatekeeper(opt.Token, n), started: time.Now(), verifyRand: unpredictable(),
		refused: map[string]string{}, lots: map[string]*dispatch{}, files: map[string]int{},
	}
	if h.proof, err = Proof(ctx, opt.Config); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err = h.connect(); err == nil {
		h.roster, err = newRoster(opt.Dir, n)
	}
	if err == nil {
		err = h.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cluster: %w", err), h.close())
	}
	h.localQueue = newQueue(h.queue, "")
	ctx, h.stop = context.WithCancel(context.WithoutCancel(ctx))
	h.work.Go(func() { h.receive(ctx) })
	h.work.Go(func() { h.workHere(ctx) })
	h.work.Go(func() { h.writeRoster(ctx) })
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
	for worker, e := range ledger.CutOff() {
		h.refuse(worker, whyCutOff(e))
	}
	shared := &sharedLedger{ledger: ledger}
	opt.Games, opt.GateSource = h.games(opt, config, shared), h.gate(opt.Folder, config, shared)
	opt.Training, opt.GoesBack = h.training.Store, true
	return nil
}

// shownAddress is a server's address without the user and the password that it may hold.
func shownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the NATS server"
	}
	return u.Host
}

// connect starts the server and connects to it.
func (h *Hub) connect() (err error) {
	if h.opt.URL != "" {
		options := []nats.Option{nats.Name("dojo trainer"), nats.MaxReconnects(-1)}
		if h.opt.TLS != nil {
			options = append(options, nats.Secure(h.opt.TLS))
		}
		if h.conn, err = nats.Connect(h.opt.URL, options...); err != nil {
			return fmt.Errorf("connect to %s: %w", shownAddress(h.opt.URL), err)
		}
		return nil
	}
	if err := tryPort(h.opt.Listen); err != nil { // before anything is written
		return err
	}
	if h.lock, err = lockDir(h.opt.Dir); err != nil {
		return err
	}
	if h.server, err = startServer(h.opt, h.gatekeeper); err != nil {
		return err
	}
	h.conn, err = connectHub(h.server, h.gatekeeper)
	return err
}

// begin creates the streams and starts to answer workers.
func (h *Hub) begin(ctx context.Context) (err error) {
	if h.js, err = jetstream.New(h.conn); err != nil {
		return err
	}
	// Tasks are made from what is missing in a ledger, so that memory is enough for them.
	// Results are kept on disk until they are in the ledger.
	h.tasks, err = h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.jobs(), Subjects: []string{h.names.jobsSubject("*")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err == nil {
		err = h.tasks.Purge(ctx) // an earlier hub may have left some
	}
	if err != nil {
		return fmt.Errorf("stream of tasks: %w", err)
	}
	h.queue, err = h.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1,
	})
	if err != nil {
		return fmt.Errorf("stream of tasks: %w", err)
	}
	results, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.results(), Subjects: []string{h.names.resultsSubjects()}, MaxMsgSize: maxResult + maxMessage,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, MaxBytes: 1 << 30,
		Discard: jetstream.DiscardNew, // a worker tries again
	})
	if err != nil {
		return fmt.Errorf("stream of results: %w", err)
	}
	h.results, err = results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("stream of results: %w", err)
	}
	h.models, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: h.names.models(), Storage: jetstream.MemoryStorage})
	if err != nil {
		return fmt.Errorf("store of models: %w", err)
	}
	if _, err = h.conn.Subscribe(h.names.heartbeatSubjects(), h.roster.onHeartbeat); err != nil {
		return err
	}
	for _, subject := range []string{helloSubject, h.names.helloSubject()} {
		if _, err = h.conn.Subscribe(subject, h.hello); err != nil {
			return err
		}
	}
	return nil
}

// Address is the HOST:PORT at which workers join, or the URL of a server that is not
// embedded.
func (h *Hub) Address() string {
	if h.server == nil {
		return h.opt.URL
	}
	return reachable(h.server.Addr().String())
}

// Close stops the hub. With allDone it first tells the workers that there will be no more
// tasks, so that they end.
func (h *Hub) Close(allDone bool) error {
	h.stop()
	h.work.Wait()
	var err error
	if allDone {
		err = h.announceComplete()
	}
	if h.server == nil && (allDone || h.opt.Once) {
		err = errors.Join(err, h.removeStreams())
	}
	return errors.Join(err, h.close())
}

// broadcast sends a state to all workers.
func (h *Hub) broadcast(s state) error { return h.conn.Publish(h.names.stateSubject(), mustJSON(s)) }

// announceComplete tells the workers, also those that are just joining, that there will be
// no more tasks. With an embedded server it waits until they have disconnected, for at most
// three seconds: if the server closed a connection, its worker might miss the message and
// wait for the trainer for ever.
func (h *Hub) announceComplete() error {
	h.complete.Store(true) // for workers that say hello from here on
	const patience, pause = 3 * time.Second, 50 * time.Millisecond
	for begun := time.Now(); ; time.Sleep(pause) {
		if err := errors.Join(h.broadcast(state{Complete: true}), h.conn.FlushTimeout(time.Second)); err != nil {
			return err
		}
		if h.server == nil || h.server.NumClients() <= 1 || time.Since(begun) > patience { // one client is the hub itself
			return nil
		}
	}
}

// removeStreams removes the hub's streams and models from a server that is not embedded.
func (h *Hub) removeStreams() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := errors.Join(
		h.js.DeleteStream(ctx, h.names.jobs()), h.js.DeleteStream(ctx, h.names.results()),
		h.js.DeleteObjectStore(ctx, h.names.models()))
	if err != nil {
		return fmt.Errorf("cluster: remove what the server keeps: %w", err)
	}
	return nil
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
