package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// startServer starts a NATS server with default limits.
func startServer(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	return s
}

// newSession returns the session of a worker that is connected to the server at the given URL.
func newSession(t *testing.T, url string, timeout time.Duration) *session {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	w := newWorker(Options{Name: "w", Log: slog.New(slog.DiscardHandler), Times: wire.Times{Request: timeout}})
	return &session{worker: w, names: wire.Names{Run: "run"}, conn: conn}
}

// A receiver receives results as a hub does, but forgets or damages some.
type receiver struct {
	mu     sync.Mutex
	now    wire.Result    // the result that is arriving; guarded by mu
	have   []byte         // the bytes of it that have arrived; guarded by mu
	done   map[int]string // the results that have arrived, by the number of the task; guarded by mu
	forget map[int]bool   // the numbers of messages after which the receiver forgets what has arrived; guarded by mu
	garble map[int]string // answers that the receiver gives instead of its own, by the number of the message; guarded by mu
	count  int            // number of messages; guarded by mu
}

// receive starts a receiver at the server with the given URL.
func receive(t *testing.T, url string) *receiver {
	t.Helper()
	conn, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	h := &receiver{done: map[int]string{}}
	_, err = conn.Subscribe(wire.Names{Run: "run"}.Subject(wire.KindResult, "*"), func(m *nats.Msg) {
		var r wire.Result
		if err := json.Unmarshal([]byte(m.Header.Get(wire.ResultHeader)), &r); err != nil {
			t.Error(err)
		}
		if err := r.Verify(m.Data); err != nil {
			t.Error(err)
		}
		_ = m.Respond([]byte(h.take(r, m.Data))) // if this answer is lost, the worker repeats the piece
	})
	if err == nil {
		err = conn.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// take receives a message and returns the answer.
func (h *receiver) take(r wire.Result, data []byte) (answer string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count++
	switch {
	case r.Size == 0:
		h.done[r.Number] = string(data)
		return "{}"
	case r.From == 0:
		h.now, h.have = r, nil
	case r.Hash != h.now.Hash || h.forget[h.count]:
		h.have = nil
	}
	if r.From == len(h.have) {
		h.have = append(h.have, data...)
	}
	if len(h.have) == r.Size {
		h.done[r.Number] = string(h.have)
	}
	if answer, ok := h.garble[h.count]; ok {
		return answer
	}
	return string(wire.JSON(wire.State{Have: len(h.have)}))
}

// random returns random bytes.
func random(size int, seed byte) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(content) // never fails
	return content
}

// Results of any size arrive, even if several goroutines send them at the same time, the hub forgets
// what has arrived, and answers are damaged on their way.
func TestSend(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	hub := receive(t, s.ClientURL())
	hub.forget = map[int]bool{5: true, 17: true}
	hub.garble = map[int]string{3: "{", 8: `{"have":-65536}`, 12: `{"have":65537}`, 20: `{"have":65536}`}
	session := newSession(t, s.ClientURL(), 10*time.Second)
	sizes := []int{0, 1, wire.PieceSize, wire.PieceSize + 1, 2 * wire.PieceSize, 1 << 20, 3<<20 + 7}
	var sending sync.WaitGroup
	for n, size := range sizes {
		sending.Go(func() {
			if err := session.send(t.Context(), "lot", n, random(size, byte(n))); err != nil {
				t.Errorf("send %d bytes: %v", size, err)
			}
		})
	}
	sending.Wait()
	for n, size := range sizes {
		if !bytes.Equal([]byte(hub.done[n]), random(size, byte(n))) {
			t.Errorf("of %d bytes %d arrived, or they differ", size, len(hub.done[n]))
		}
	}
	if len(hub.done) != len(sizes) {
		t.Errorf("results %v arrived", slices.Sorted(maps.Keys(hub.done)))
	}
}

// A result arrives over a slow line even if the whole result takes longer than the timeout of one
// request.
func TestSendSlowly(t *testing.T) {
	t.Parallel()
	const timeout, rate = 500 * time.Millisecond, 1 << 20
	s := startServer(t)
	hub := receive(t, s.ClientURL())
	line := newSlowLine(t, s.Addr().String(), rate)
	session := newSession(t, "nats://"+line.Addr().String(), timeout)
	content := random(rate, 1) // takes twice the timeout
	if err := session.send(t.Context(), "lot", 1, content); err != nil {
		t.Fatal(err)
	}
	if hub.done[1] != string(content) {
		t.Errorf("of %d bytes %d arrived, or they differ", len(content), len(hub.done[1]))
	}
}

// A worker does not send a result that the hub would refuse for its size, and ends instead of
// playing its games again.
func TestSendTooMuch(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	hub := receive(t, s.ClientURL())
	err := newSession(t, s.ClientURL(), time.Second).send(t.Context(), "lot", 1, make([]byte, wire.MaxResult+1))
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "selfplay.shard_games") || hub.count > 0 {
		t.Errorf("the worker sends %d messages and says %v", hub.count, err)
	}
}

// A message has only one result or one piece, and its hash.
func TestVerifyPiece(t *testing.T) {
	key := wire.NewKey()
	r := wire.Result{Worker: wire.Identified("w", key.Public()), Hash: rundir.TextHash([]byte("whole")), Size: 5, Sum: rundir.TextHash([]byte("pie"))}
	r.Sign(key)
	if err := r.Verify([]byte("pie")); err != nil {
		t.Error(err)
	}
	if err := r.Verify([]byte("whole")); err == nil {
		t.Error("the whole result counts as a piece")
	}
	for name, change := range map[string]func(*wire.Result){
		"size": func(r *wire.Result) { r.Size = 6 }, "from": func(r *wire.Result) { r.From = 1 }, "sum": func(r *wire.Result) { r.Sum = r.Hash },
		"no size": func(r *wire.Result) { r.Size = 0 },
	} {
		other := r
		if change(&other); other.Verify([]byte("whole")) == nil || other.Verify([]byte("pie")) == nil {
			t.Errorf("a changed %s is accepted", name)
		}
	}
}
