package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"testing"
	"time"

	"dojo.example/model"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// FirstLot is the lot of the games of a run's first generation, as results name it.
func FirstLot(config, run, program string) string {
	return shardSpec{Config: config, Model: model.NoModel, Run: run, Program: program}.lot("").id()
}

// Protocol is protocol, for tests outside the package.
const Protocol = protocol

// Reachable is reachable, for tests outside the package.
func Reachable(address string) string { return reachable(address) }

// Inbox returns the beginning of the subjects on which a connection gets answers.
func Inbox(of string) string { return inbox(of) }

// ResultsSubject is where a worker sends its results.
func ResultsSubject(run, worker string) string { return names{run}.resultsSubject(worker) }

// Lie is Work for a worker that sends other shards than it should: what twist makes of
// them.
func Lie(ctx context.Context, opt WorkerOptions, twist func(shard []byte) ([]byte, error)) error {
	w := newWorker(opt)
	w.makers = maps.Clone(executorMakers)
	w.makers["shards"] = func(l lot, files [2][]byte, workers int) (executor, error) {
		honest, err := shardExecutor(l, files, workers)
		return func(ctx context.Context, b taskIO) (selfplay.Totals, error) {
			send := b.send
			b.send = func(number int, content []byte, t selfplay.Totals) error {
				content, err := twist(content)
				if err != nil {
					return err
				}
				return send(number, content, t)
			}
			return honest(ctx, b)
		}, err
	}
	return w.run(ctx)
}

// LieInGates is Work for a worker that plays the games of gates with the models swapped.
func LieInGates(ctx context.Context, opt WorkerOptions) error {
	w := newWorker(opt)
	w.makers = maps.Clone(executorMakers)
	w.makers["gate"] = func(l lot, files [2][]byte, workers int) (executor, error) {
		return gateExecutor(l, [2][]byte{files[1], files[0]}, workers)
	}
	return w.run(ctx)
}

// SetPicks makes the choice of the shards that are computed again, and of who does that, one
// that a test knows.
func (h *Hub) SetPicks(picks, here func() bool) {
	h.picks, h.checksHere = func(float64) bool { return picks() }, here
}

// Hello is the hello of a worker.
func Hello(worker, password, proof string, version int, key Key) []byte {
	h := hello{Worker: worker, Protocol: version, Password: password, Proof: proof, Key: key.public()}
	h.Signature = key.sign(h.message())
	return mustJSON(h)
}

// NameOf is the name that a worker has at a hub.
func NameOf(name string, key Key) string { return identified(name, key.public()) }

// Ticket is that of a task that waits for whoever takes it.
func (h *Hub) Ticket(lot string, number int) string { return h.tickets.task(lot, number) }

// Result is the header of a result, signed with a key.
func Result(worker string, key Key, lot string, number int, ticket, content string) string {
	r := result{Worker: worker, Key: key.public(), Lot: lot, Number: number, Ticket: ticket, Hash: digest([]byte(content))}
	r.Signature = key.sign(r.message())
	return string(mustJSON(r))
}

// ProofOf is the Proof of a program with other evaluators.
func ProofOf(ctx context.Context, config string, evaluator func(model.Evaluator) model.Evaluator) (string, error) {
	return prove(ctx, config, evaluator)
}

// ShortenPatience sets how long a request waits for an answer, an outage may last, and a worker
// waits for the hub of a match, until the test ends.
func ShortenPatience(t *testing.T, request, outage, once time.Duration) {
	oldRequest, oldOutage, oldOnce := requestTimeout, outagePatience, onceGone
	requestTimeout, outagePatience, onceGone = request, outage, once
	t.Cleanup(func() { requestTimeout, outagePatience, onceGone = oldRequest, oldOutage, oldOnce })
}

// ShortenNameHeld sets how long a worker whose name is taken tries to join, until the test ends.
func ShortenNameHeld(t *testing.T, held time.Duration) {
	old := nameHeld
	nameHeld = held
	t.Cleanup(func() { nameHeld = old })
}

// Silence makes a worker one that has not been heard of for long.
func (h *Hub) Silence(worker string) {
	h.roster.update(worker, func(m *member) { m.Seen = time.Time{} })
}

// Refused lists the workers that the roster shows as refused.
func (h *Hub) Refused() (all []string) {
	h.roster.mu.Lock()
	defer h.roster.mu.Unlock()
	for name, m := range h.roster.members {
		if m.Refused != "" {
			all = append(all, name)
		}
	}
	return all
}

// ShortenHoldTime sets how long workers may hold tasks, until the test ends.
func ShortenHoldTime(t *testing.T, d time.Duration) {
	old, short := holdTime, shortHoldTime
	holdTime, shortHoldTime = d, d
	t.Cleanup(func() { holdTime, shortHoldTime = old, short })
}

// Hoard is Work for a worker that takes all tasks it can get, and keeps them.
func Hoard(ctx context.Context, opt WorkerOptions, took func()) error {
	w := newWorker(opt)
	w.makers = map[string]executorMaker{}
	for kind := range executorMakers {
		w.makers[kind] = func(lot, [2][]byte, int) (executor, error) {
			return func(ctx context.Context, io taskIO) (selfplay.Totals, error) {
				for ctx.Err() == nil {
					if _, ok := io.next(); ok {
						took()
					} else {
						sleep(ctx, 10*time.Millisecond)
					}
				}
				return selfplay.Totals{}, context.Cause(ctx)
			}, nil
		}
	}
	return w.run(ctx)
}

// StoreFile stores a file for the workers and returns its name.
func (h *Hub) StoreFile(ctx context.Context, content []byte) (name string, err error) {
	name = fileName(content)
	return name, h.storeFile(ctx, name, content)
}

// RemoveFile removes a file that is stored.
func (h *Hub) RemoveFile(ctx context.Context, name string) error { return h.removeFile(ctx, name) }

// ErrNoFile is errNoFile, for tests outside the package.
var ErrNoFile = errNoFile

// FetchFile reads one of the hub's files over a connection, as workers do.
func (h *Hub) FetchFile(ctx context.Context, conn *nats.Conn, name string) ([]byte, error) {
	js, err := jetstream.New(conn, jetstream.WithDefaultTimeout(requestTimeout))
	if err != nil {
		return nil, err
	}
	models, err := js.Stream(ctx, h.names.models())
	if err != nil {
		return nil, err
	}
	return fetchFile(ctx, models, h.names, name)
}

// Kill ends the hub as if its process was killed: it tells nobody, and removes nothing from the
// server.
func (h *Hub) Kill() error {
	h.stop()
	h.work.Wait()
	return h.close()
}

// Streams returns what the server says of the hub's streams.
func (h *Hub) Streams(ctx context.Context, js jetstream.JetStream) ([]*jetstream.StreamInfo, error) {
	var all []*jetstream.StreamInfo
	for _, p := range h.parts() {
		stream, err := js.Stream(ctx, p.stream.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, stream.CachedInfo())
	}
	return all, nil
}

// CheckStreams returns an error if a stream or a consumer of the hub is missing.
func (h *Hub) CheckStreams(ctx context.Context) error {
	// The server answers this after it has done what it was asked for before.
	if err := h.js.DeleteStream(ctx, "none"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	for _, p := range h.parts() {
		if err := h.check(ctx, p); err != nil {
			return fmt.Errorf("the %s: %w", p.what, err)
		}
	}
	return nil
}

// ShortenRemains sets how often a hub prolongs its streams, and when its consumers are removed,
// until the test ends.
func ShortenRemains(t *testing.T, prolong, gone time.Duration) {
	oldProlong, oldGone := prolongEvery, goneAfter
	prolongEvery, goneAfter = prolong, gone
	t.Cleanup(func() { prolongEvery, goneAfter = oldProlong, oldGone })
}

// A Done is the result of a task.
type Done struct {
	Content []byte
	selfplay.Totals
}

// A Doer does a task: it returns what is to be sent, and honest does the task as it should be.
type Doer func(ctx context.Context, lot string, number int, honest func() (Done, error)) ([]Done, error)

// WorkOver is Work over connections that dial makes, for a worker whose tasks do does.
func WorkOver(ctx context.Context, opt WorkerOptions, dial func(ctx context.Context) (net.Conn, error), do Doer) error {
	w := newWorker(opt)
	w.dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
	w.makers = map[string]executorMaker{}
	for kind, maker := range executorMakers {
		w.makers[kind] = func(l lot, files [2][]byte, workers int) (executor, error) {
			honest, err := maker(l, files, workers)
			return func(ctx context.Context, io taskIO) (total selfplay.Totals, err error) {
				for {
					number, ok := io.next()
					if !ok {
						return total, context.Cause(ctx)
					}
					all, err := do(ctx, l.id(), number, func() (Done, error) { return one(ctx, honest, number) })
					for _, d := range all {
						if err == nil {
							err = io.send(number, d.Content, d.Totals)
						}
					}
					if err != nil {
						return total, err
					}
				}
			}, err
		}
	}
	return w.run(ctx)
}

// one does a single task.
func one(ctx context.Context, do executor, number int) (d Done, err error) {
	waiting := true
	_, err = do(ctx, taskIO{
		next:     func() (int, bool) { defer func() { waiting = false }(); return number, waiting },
		send:     func(_ int, content []byte, t selfplay.Totals) error { d = Done{content, t}; return nil },
		progress: func(selfplay.Totals) {},
	})
	return d, err
}

// Unheard is opt for a hub whose server does not listen; workers reach it by Pipe.
func Unheard(opt HubOptions) HubOptions {
	opt.unheard = true
	return opt
}

// Pipe connects to the hub's server within the process.
func (h *Hub) Pipe() (net.Conn, error) { return h.server.InProcessConn() }
