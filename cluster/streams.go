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
	var streams [3]jetstream.Stream
	var queues [3]jetstream.Consumer
	for i, p := range h.parts() {
		err := h.link.ask(ctx, "to make the "+p.what, func(ctx context.Context) (err error) {
			if streams[i], queues[i], err = h.make(ctx, p); h.server != nil && isDamaged(err) {
				h.opt.Log.Warn("the files of the embedded server are damaged; results that were in them are computed again", "stream", p.what, "error", err)
				if err = h.removeStream(ctx, p.stream.Name); err == nil {
					streams[i], queues[i], err = h.make(ctx, p)
				}
			}
			if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled) {
				return errNoJetStream
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	// A stream that is made again has the same name, and that is all that these values know.
	h.tasks, h.queue, h.results, h.models = streams[0], queues[0], queues[1], streams[2]
	h.resultStream = streams[1]
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
	// A worker that says hello from here on gets an answer.
	return h.link.ask(ctx, "to pass on what workers say", func(context.Context) error { return h.conn.FlushTimeout(requestTimeout) })
}

// isDamaged reports whether an error of a request may be due to the server's files, of which a
// machine that has lost its power can have written a part.
func isDamaged(err error) bool {
	var api jetstream.JetStreamError
	return errors.As(err, &api) && api.APIError() != nil && api.APIError().Code == 500
}

// errNoJetStream explains why a server is of no use.
var errNoJetStream = errors.New("it has no JetStream: start it with -js")

// A part is a stream that the hub keeps on the server.
type part struct {
	what   string
	stream jetstream.StreamConfig
	queue  *jetstream.ConsumerConfig // of the stream's only consumer; nil if the stream has none
}

// parts lists the hub's streams. Tasks are made from what is missing in a store, and models
// are the trainer's files, so that memory is enough for them. Results are kept on disk until
// they are in the store.
func (h *Hub) parts() [3]part {
	parts := [3]part{{"stream of tasks", jetstream.StreamConfig{
		Name: h.names.jobs(), Subjects: []string{h.names.jobsSubject("*")},
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.MemoryStorage,
	}, &jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: lease, MaxAckPending: -1,
	}}, {"stream of results", jetstream.StreamConfig{
		Name: h.names.results(), Subjects: []string{h.names.resultsSubjects()}, MaxMsgSize: maxResult + maxMessage,
		Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, MaxBytes: 1 << 30,
		Discard: jetstream.DiscardNew, // a worker tries again
	}, &jetstream.ConsumerConfig{
		Durable: consumer, AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute,
	}}, {"stream of models", jetstream.StreamConfig{
		Name: h.names.models(), Subjects: []string{h.names.modelsSubject("*", "*")},
		MaxMsgsPerSubject: 1, // a chunk that is stored again takes the place of itself
		Storage:           jetstream.MemoryStorage, AllowDirect: true,
	}, nil}}
	if h.opt.Once {
		for i := range parts {
			parts[i].limit(time.Since(h.started))
		}
	}
	return parts
}

// make makes a stream, unless it is there, and its consumer.
func (h *Hub) make(ctx context.Context, p part) (stream jetstream.Stream, queue jetstream.Consumer, err error) {
	stream, err = h.js.CreateOrUpdateStream(ctx, p.stream)
	if err == nil && p.queue != nil {
		queue, err = stream.CreateOrUpdateConsumer(ctx, *p.queue)
	}
	return stream, queue, err
}

// check returns an error if a stream or its consumer is not there.
func (h *Hub) check(ctx context.Context, p part) error {
	if p.queue != nil {
		_, err := h.js.Consumer(ctx, p.stream.Name, consumer)
		return err
	}
	_, err := h.js.Stream(ctx, p.stream.Name)
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
	for _, p := range h.parts() {
		err := h.check(ctx, p)
		if isMissing(err) {
			h.lost = true
			_, _, err = h.make(ctx, p)
		}
		if err != nil {
			return fmt.Errorf("the %s: %w", p.what, err)
		}
	}
	if !h.lost {
		return nil
	}
	h.mu.Lock()
	files := maps.Clone(h.files)
	h.mu.Unlock()
	for name, f := range files {
		if err := h.storeFile(ctx, name, f.content); err != nil {
			return fmt.Errorf("a model: %w", err)
		}
	}
	h.lost = false
	h.epoch.Add(1)
	h.opt.Log.Warn("the NATS server had lost tasks or models; they are posted again", "server", h.link.address)
	return nil
}

// removeStreams removes the hub's streams from a server that is not embedded.
func (h *Hub) removeStreams(ctx context.Context) error {
	for _, p := range h.parts() {
		err := h.link.ask(ctx, "to remove what it keeps of this work", func(ctx context.Context) error {
			return h.removeStream(ctx, p.stream.Name)
		})
		if err != nil {
			return fmt.Errorf("cluster: %w", err)
		}
	}
	return nil
}

// removeStream removes a stream, if it is there.
func (h *Hub) removeStream(ctx context.Context, name string) error {
	if err := h.js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	return nil
}
