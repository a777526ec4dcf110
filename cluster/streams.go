package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// lastingConnection are the options of a connection to a server that is not embedded, which is
// made again whenever it breaks.
func lastingConnection() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1),                                        // without a connection requests fail at once, and link.ask makes them again
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // to notice that the server's machine is gone
	}
}

// begin makes the streams and starts to answer workers.
func (h *Hub) begin(ctx context.Context) (err error) {
	if h.js, err = jetstream.New(h.conn, jetstream.WithDefaultTimeout(requestTimeout)); err != nil {
		return err
	}
	for _, s := range h.streams() {
		err := h.link.ask(ctx, "to make the "+s.what, func(ctx context.Context) error {
			err := s.make(ctx)
			if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
				return errNoJetStream
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	err = h.link.ask(ctx, "to remove the tasks of an earlier trainer", func(ctx context.Context) error { return h.tasks.Purge(ctx) })
	if err != nil {
		return err
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

// errNoJetStream explains why a server is of no use.
var errNoJetStream = errors.New("it has no JetStream: start it with -js")

// A part is something that the hub keeps on the server.
type part struct {
	what  string
	make  func(context.Context) error // makes the part unless it is there
	check func(context.Context) error // returns an error if the part is not there
}

// streams lists what the hub keeps on the server. Tasks are made from what is missing in a
// ledger, so that memory is enough for them. Results are kept on disk until they are in the
// ledger.
func (h *Hub) streams() []part {
	return []part{{"stream of tasks", h.makeTasks, func(ctx context.Context) error {
		_, err := h.js.Consumer(ctx, h.names.jobs(), consumer)
		return err
	}}, {"stream of results", h.makeResults, func(ctx context.Context) error {
		_, err := h.js.Consumer(ctx, h.names.results(), consumer)
		return err
	}}, {"store of models", h.makeModels, func(ctx context.Context) error {
		_, err := h.js.ObjectStore(ctx, h.names.models())
		return err
	}}}
}

func (h *Hub) makeTasks(ctx context.Context) error {
	tasks, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.jobs(), Subjects: []string{h.names.jobsSubject("*")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	})
	if err != nil {
		return err
	}
	queue, err := tasks.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1,
	})
	if err == nil && h.queue == nil { // a stream that is made again has the same name, and that is all that these values know
		h.tasks, h.queue = tasks, queue
	}
	return err
}

func (h *Hub) makeResults(ctx context.Context) error {
	results, err := h.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: h.names.results(), Subjects: []string{h.names.resultsSubjects()}, MaxMsgSize: maxResult + maxMessage,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, MaxBytes: 1 << 30,
		Discard: jetstream.DiscardNew, // a worker tries again
	})
	if err != nil {
		return err
	}
	queue, err := results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute,
	})
	if err == nil && h.results == nil {
		h.results = queue
	}
	return err
}

func (h *Hub) makeModels(ctx context.Context) error {
	models, err := h.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: h.names.models(), Storage: jetstream.MemoryStorage})
	if err == nil && h.models == nil {
		h.models = models
	}
	return err
}

// ask makes a request of the server for an open lot, and waits while the server does not
// answer; see link.ask. If the server has come back without the hub's streams, they are made
// again first.
func (h *Hub) ask(ctx context.Context, what string, request func(context.Context) error) error {
	return h.link.ask(ctx, what, func(ctx context.Context) error {
		err := request(ctx)
		if !isMissing(err) {
			return err
		}
		if err := h.restore(ctx); err != nil {
			return err
		}
		return request(ctx)
	})
}

// restore makes again what the server has lost of the streams and of the files of open lots,
// and raises the epoch, so that each dispatch posts its tasks again. It does nothing if nothing
// is lost.
func (h *Hub) restore(ctx context.Context) error {
	h.restoring.Lock()
	defer h.restoring.Unlock()
	for _, s := range h.streams() {
		err := s.check(ctx)
		if isMissing(err) {
			h.lost = true
			err = s.make(ctx)
		}
		if err != nil {
			return fmt.Errorf("the %s: %w", s.what, err)
		}
	}
	if !h.lost {
		return nil
	}
	h.mu.Lock()
	files := maps.Clone(h.files)
	h.mu.Unlock()
	for name, f := range files {
		if _, err := h.models.PutBytes(ctx, name, f.content); err != nil {
			return fmt.Errorf("a model: %w", err)
		}
	}
	h.lost = false
	h.epoch.Add(1)
	h.opt.Log.Warn("the NATS server had lost tasks or models; they are posted again", "server", h.link.address)
	return nil
}

// removeStreams removes the hub's streams and models from a server that is not embedded.
func (h *Hub) removeStreams(ctx context.Context) error {
	for _, remove := range []func(context.Context) error{
		func(ctx context.Context) error { return h.js.DeleteStream(ctx, h.names.jobs()) },
		func(ctx context.Context) error { return h.js.DeleteStream(ctx, h.names.results()) },
		func(ctx context.Context) error { return h.js.DeleteObjectStore(ctx, h.names.models()) },
	} {
		err := h.link.ask(ctx, "to remove what it keeps of this work", func(ctx context.Context) error {
			if err := remove(ctx); !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err, jetstream.ErrBucketNotFound) {
				return err
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}
