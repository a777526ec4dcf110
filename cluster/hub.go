package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"dojo/run"
	"dojo/train"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// HubOptions is what a hub is made of.
type HubOptions struct {
	Train  *train.Options // the run
	Config string         // the text of its run.yaml

	Listen string // HOST:PORT of the embedded server; port 0 is a free one
	URL    string // a NATS server with JetStream to use instead

	// Token is what a worker must show to be let in; "" lets everybody in. A server
	// that is not embedded has passwords of its own.
	Token string

	// Verify is the share of the shards of workers, from 0 to 1, that are computed again
	// by somebody else, and compared.
	Verify float64

	Log *slog.Logger
}

// A Hub hands out the shards of a run and takes them back.
type Hub struct {
	opt    HubOptions
	names  names
	server *server.Server // nil if the server is not embedded
	conn   *nats.Conn

	tasks  jetstream.Stream
	queue  jetstream.Consumer // of tasks
	shards jetstream.Consumer
	models jetstream.ObjectStore
	js     jetstream.JetStream

	gate  *gatekeeper
	proof string // what a worker's must be

	ledger *run.Ledger // of the run; see audit

	mu       sync.Mutex
	refused  map[string]string // why, by worker; guarded by mu
	admitted map[string]bool   // the workers that were let in; guarded by mu
	picks    rand.Source       // decides which shards are computed again; guarded by mu
}

// NewHub starts the server, if it is to be embedded, or connects to the one that is
// given, and lets workers in.
func NewHub(ctx context.Context, opt HubOptions) (h *Hub, err error) {
	if opt.Listen == "" && opt.URL == "" {
		return nil, errNoServer
	}
	n := namesOf(opt.Train.Name, opt.Config)
	h = &Hub{opt: opt, names: n, gate: newGatekeeper(opt.Token, n), refused: map[string]string{}, admitted: map[string]bool{}, picks: secret()}
	if h.ledger, err = opt.Train.Folder.OpenLedger(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	for worker, e := range h.ledger.CutOff() {
		h.refused[worker] = whyCutOff(e)
	}
	if h.proof, err = Proof(ctx, opt.Config); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := h.connect(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := h.begin(ctx); err != nil {
		h.close()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	return h, nil
}

// connect starts the server and connects to it.
func (h *Hub) connect() (err error) {
	if h.opt.URL != "" {
		h.conn, err = nats.Connect(h.opt.URL, nats.Name("dojo trainer"), nats.MaxReconnects(-1))
		return err
	}
	if h.server, err = startServer(h.opt.Listen, h.opt.Train.Folder.Path("cluster"), h.gate); err != nil {
		return err
	}
	if h.conn, err = connectHub(h.server, h.gate); err != nil {
		h.server.Shutdown()
	}
	return err
}

// begin makes the streams and starts to answer workers.
func (h *Hub) begin(ctx context.Context) (err error) {
	if h.js, err = jetstream.New(h.conn); err != nil {
		return err
	}
	// Tasks are made from what is missing in the folder, so that they need not outlive
	// the server. Shards are kept until they are in the folder.
	h.tasks, err = h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.jobs(), Subjects: []string{h.names.jobsSubject()},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return fmt.Errorf("stream of tasks: %w", err)
	}
	h.queue, err = h.tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1,
	})
	if err != nil {
		return fmt.Errorf("stream of tasks: %w", err)
	}
	shards, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.shards(), Subjects: []string{h.names.shardsSubjects()}, MaxMsgSize: maxShard + maxMessage,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, MaxBytes: 1 << 30,
		Discard: jetstream.DiscardNew, // a worker tries again
	})
	if err != nil {
		return fmt.Errorf("stream of shards: %w", err)
	}
	h.shards, err = shards.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute,
	})
	if err != nil {
		return fmt.Errorf("stream of shards: %w", err)
	}
	h.models, err = h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: h.names.models(), Storage: jetstream.MemoryStorage})
	if err != nil {
		return fmt.Errorf("store of models: %w", err)
	}
	_, err = h.conn.Subscribe(helloSubject, h.hello)
	return err
}

// Address is HOST:PORT where workers join; the URL of the server if it is not embedded.
func (h *Hub) Address() string {
	if h.server == nil {
		return h.opt.URL
	}
	return h.server.Addr().String()
}

// Close stops the hub. If the run is complete, the workers are told, so that they end.
func (h *Hub) Close(runIsComplete bool) error {
	var err error
	if runIsComplete {
		err = errors.Join(h.conn.Publish(h.names.stateSubject(), []byte(complete)), h.conn.FlushTimeout(time.Second))
		h.waitForWorkers()
	}
	h.close()
	return err
}

// waitForWorkers waits until the workers have heard that the run is complete, and have
// left. A connection that the server closes may take with it what its worker has not
// read yet: such a worker would wait for the trainer for ever.
func (h *Hub) waitForWorkers() {
	if h.server == nil {
		return
	}
	const patience = 3 * time.Second
	for begun := time.Now(); h.server.NumClients() > 1 && time.Since(begun) < patience; { // the hub is one
		time.Sleep(5 * time.Millisecond)
	}
}

func (h *Hub) close() {
	h.conn.Close()
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
}
