package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"

	"github.com/nats-io/nats.go"
)

// A witness is a hub with one honest, admitted worker, which calls itself "box". It also holds the
// text of the hub's log.
type witness struct {
	t     *testing.T
	hub   *cluster.Hub
	dir   string // the hub's folder
	proof string
	run   string // the text that stands for the run in NATS subjects
	said  *bytes.Buffer
	mu    sync.Mutex // guards said

	key wire.Key // the key of the worker box
	box *nats.Conn
}

func (w *witness) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said.Write(line)
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{t: t, dir: opt.Folder.Path("cluster"), said: &bytes.Buffer{}, key: wire.NewKey()}
	w.hub, err = cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: w.dir, Listen: "127.0.0.1:0", Log: slog.New(slog.NewTextHandler(w, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.hub.Close(false) })
	if w.proof, err = worker.Proof(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	w.box = connectNamed(t, w.hub, "box", w.key, "")
	w.run = ask(t, w.box, w.name()).Run
	if entry := helloAs(t, w.box, w.name(), Hello("box", w.proof, Protocol, w.key)); !entry.Admitted {
		t.Fatalf("box is answered %+v", entry)
	}
	return w
}

// name returns the name by which the hub knows the worker box.
func (w *witness) name() string { return NameOf("box", w.key) }

// subjects lists all subjects on which a worker can send a hello.
func (w *witness) subjects(worker string) []string {
	return []string{QuestionSubject(worker), HelloSubject(w.run, worker)}
}

// check checks that the worker box is still admitted, and that the hub's memory and log stay small.
// others is the number of other workers that were admitted.
func (w *witness) check(others int) {
	w.t.Helper()
	if !w.hub.Knows(w.name()) || slices.Contains(w.hub.Refused(), w.name()) {
		w.t.Errorf("box is thrown out, refused are %v", w.hub.Refused())
	}
	if n := w.hub.Remembers(); n > 100+10*others {
		w.t.Errorf("the hub remembers %d things about workers", n)
	}
	w.hub.Close(false) // closing the hub writes the roster (the list of workers)
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.said.Len(); n > 100_000 {
		w.t.Errorf("the log has %d bytes and begins with\n%s", n, w.said.Bytes()[:1000])
	}
	if info, err := os.Stat(w.dir + "/workers.json"); err != nil || info.Size() > 100_000 {
		w.t.Errorf("the roster's file: %v, %v", info, err)
	}
}

// flood connects under one new name after another until the channel enough is closed. On each
// connection it sends the texts on all subjects in turn, until the hub closes the connection. If
// joins is true, each client is first admitted, and letIn counts these clients. When flood has sent
// many messages, it closes the channel begun.
func (w *witness) flood(texts [][]byte, joins bool, letIn *atomic.Int32, begun chan<- struct{}, enough <-chan struct{}) {
	sent := 0
	for n := 0; ; n++ {
		key, name := wire.NewKey(), fmt.Sprint("flood ", n)
		worker := NameOf(name, key)
		subjects := w.subjects(worker)
		c, err := nats.Connect(w.hub.Address(), append(wire.ConnectAs(name, key, ""), nats.NoReconnect(), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...)
		if err != nil {
			continue
		}
		if joins {
			letIn.Add(1)
			_, _ = c.Request(HelloSubject(w.run, worker), Hello(name, w.proof, Protocol, key), 10*time.Second)
		}
		for i := 0; c.IsConnected(); i++ {
			select {
			case <-enough:
				c.Close()
				return
			default:
			}
			if c.Publish(subjects[i%len(subjects)], texts[i%len(texts)]) != nil {
				break
			}
			if sent++; sent == 5000 {
				close(begun)
			}
		}
		c.Close()
	}
}

// While other clients flood the hub with hellos, the hub bans no admitted worker, its memory stays
// limited, and it still admits an honest worker.
func TestFloodOfHellos(t *testing.T) {
	t.Parallel()
	var wrong, unsigned [][]byte // hellos of many workers, with a wrong proof or without a signature
	for i := range 1000 {
		text := Hello(fmt.Sprint("somebody ", i), "wrong", Protocol, wire.NewKey())
		wrong = append(wrong, text)
		unsigned = append(unsigned, bytes.Replace(text, fmt.Appendf(nil, `"protocol":%d`, Protocol), []byte(`"protocol":1`), 1))
	}
	for _, c := range []struct {
		name  string
		letIn bool
		texts [][]byte
	}{
		{"by a stranger, with wrong proofs", false, wrong},
		{"by a stranger, of another protocol and not signed", false, unsigned},
		{"by a worker that was let in", true, wrong},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWitness(t)
			var letIn atomic.Int32
			begun, enough, flooded := make(chan struct{}), make(chan struct{}), make(chan struct{})
			go func() {
				defer close(flooded)
				w.flood(c.texts, c.letIn, &letIn, begun, enough)
			}()
			<-begun
			ctx, stop := context.WithCancel(t.Context())
			joined, worked := make(chan struct{}, 1), make(chan error, 1)
			go func() {
				worked <- worker.Work(ctx, worker.Options{
					Join: w.hub.Address(), Name: "honest", Workers: 1, Log: slog.New(notify{quiet.Handler(), "joined", joined}),
				})
			}()
			select {
			case <-joined:
			case err := <-worked:
				t.Fatalf("the honest worker ended with %v", err)
			case <-time.After(patience):
				t.Error("an honest worker is not let in")
			}
			stop()
			<-worked
			close(enough)
			<-flooded
			w.check(1 + int(letIn.Load()))
		})
	}
}

// Another worker may send a hello under the name of the honest worker box. This does no harm to
// box, whether the hello was never signed by box, or is an old one that box signed when it ran a
// different program.
func TestHelloInAnothersName(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	old := Hello("box", "wrong", Protocol, w.key)
	forge := func(change func(map[string]any)) []byte {
		var m map[string]any
		if err := json.Unmarshal(old, &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for name, text := range map[string][]byte{
		"of protocol 1, not signed": forge(func(m map[string]any) { m["protocol"], m["signature"] = 1, "" }),
		"of protocol 1":             forge(func(m map[string]any) { m["protocol"] = 1 }),
		"of no protocol":            forge(func(m map[string]any) { delete(m, "protocol"); delete(m, "signature") }),
		"of an earlier program":     old,
		"of an earlier protocol":    Hello("box", w.proof, Protocol-1, w.key),
	} {
		key := wire.NewKey()
		thief, stranger := connect(t, w.hub, key, ""), NameOf("stranger", key)
		for _, subject := range append(w.subjects(stranger), w.subjects(w.name())...) {
			if err := thief.Publish(subject, text); err != nil {
				t.Fatal(err)
			}
		}
		if entry := helloTo(t, thief, HelloSubject(w.run, stranger), text); entry.Admitted || entry.Error == "" {
			t.Errorf("a hello %s from somebody else is answered %+v", name, entry)
		}
		if entry := helloTo(t, w.box, HelloSubject(w.run, w.name()), text); entry.Admitted || entry.Error == "" {
			t.Errorf("a hello %s is answered %+v", name, entry)
		}
	}
	w.check(0)
}

// If a client that is not admitted sends too much, on any subject, the hub closes its connection.
func TestGarbageOfGuests(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	for name, subject := range map[string]string{
		"results":             ResultSubject(w.run, stranger),
		"results of another":  ResultSubject(w.run, w.name()),
		"requests for tasks":  NextSubject(w.run, stranger),
		"hellos":              HelloSubject(w.run, stranger),
		"questions":           QuestionSubject(stranger),
		"what nobody listens": "nothing",
	} {
		c := connect(t, w.hub, strangers, "")
		closed := make(chan struct{})
		c.SetClosedHandler(func(*nats.Conn) { close(closed) })
		for range 100 {
			if c.Publish(subject, []byte("garbage")) != nil {
				break
			}
		}
		if err := c.Flush(); err != nil && c.IsConnected() {
			t.Fatal(err)
		}
		select {
		case <-closed:
		case <-time.After(patience):
			t.Errorf("who sends %s without being let in stays", name)
		}
	}
	w.check(0)
}
