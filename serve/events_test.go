package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"dojo/run"
)

// serving is a server that listens, and its address.
func serving(t *testing.T, l net.Listener, prepare func(s *Server), folders ...run.Folder) (*Server, string) {
	t.Helper()
	s, err := New(Options{Runs: folders})
	if err != nil {
		t.Fatal(err)
	}
	if prepare != nil {
		prepare(s)
	}
	ctx, stop := context.WithCancel(t.Context())
	url, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, func(u string) { url <- u }) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, <-url
}

func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// An event as a browser reads it.
type event struct{ id, name, data string }

// events listens from the event with the id last on.
func events(t *testing.T, url, last string) (next func() event, status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() }) // it was only read
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return func() (e event) {
		t.Helper()
		for lines.Scan() && lines.Text() != "" {
			key, value, _ := strings.Cut(lines.Text(), ": ")
			switch key {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data = value
			}
		}
		if e.name == "" {
			t.Fatalf("the stream ended: %v", lines.Err())
		}
		return e
	}, response.StatusCode
}

func snapshotOf(t *testing.T, e event) (s Snapshot) {
	t.Helper()
	if err := json.Unmarshal([]byte(e.data), &s); err != nil || e.name != "run" {
		t.Fatalf("event %+v is no run: %v", e, err)
	}
	return s
}

// Events tell all at first and what is new after that, also to a client that comes back.
func TestEvents(t *testing.T) {
	f := smallRun(t)
	record := takeBack(t, f, 1)
	_, url := serving(t, listener(t), func(s *Server) { s.heartbeat = 50 * time.Millisecond }, f)
	next, _ := events(t, url, "")
	if e := next(); e.name != "runs" || e.data != `{"runs":["small"]}` {
		t.Errorf("the first event is %+v", e)
	}
	first := next()
	if s := snapshotOf(t, first); s.From != 0 || len(s.Generations) != 1 {
		t.Errorf("the run begins as %+v", s)
	}
	if e := next(); e.name != "beat" || e.id != first.id {
		t.Errorf("while nothing happens there is %+v", e)
	}
	write(t, f.Record(1), record)
	e := next()
	for ; e.name == "beat"; e = next() {
	}
	if s := snapshotOf(t, e); s.From != 1 || len(s.Generations) != 1 || s.Stage.Name != "complete" {
		t.Errorf("a generation is told as %+v", s)
	}

	next, _ = events(t, url, first.id)
	next()
	if s := snapshotOf(t, next()); s.From != 1 || len(s.Generations) != 1 {
		t.Errorf("to a client that missed a generation it is told as %+v", s)
	}
	next, _ = events(t, url, e.id)
	next()
	if e := next(); e.name != "beat" {
		t.Errorf("to a client that missed nothing there is told %+v", e)
	}
	for _, id := range []string{"0123abcd-7", "nonsense", strings.Split(e.id, "-")[0] + "-999999"} {
		next, _ = events(t, url, id)
		next()
		if s := snapshotOf(t, next()); s.From != 0 || len(s.Generations) != 2 {
			t.Errorf("to a client with the event %q of another server there is told %+v", id, s)
		}
	}
}

// No more clients listen than may.
func TestListenersAreBounded(t *testing.T) {
	_, url := serving(t, listener(t), func(s *Server) { s.listeners = make(chan struct{}, 1) })
	if _, status := events(t, url, ""); status != 200 {
		t.Errorf("the first client: status %d", status)
	}
	if _, status := events(t, url, ""); status != 503 {
		t.Errorf("one client too many: status %d", status)
	}
}

// A client that takes nothing is dropped, and nobody waits for it.
func TestSlowClient(t *testing.T) {
	pipes := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	s, _ := serving(t, pipes, func(s *Server) { s.writeTimeout, s.heartbeat = 50*time.Millisecond, 10*time.Millisecond }, smallRun(t))
	client, server := net.Pipe() // nothing is kept between the two ends
	pipes.conns <- server
	if _, err := fmt.Fprintf(client, "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:7531\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	for _, there := range []bool{true, false} {
		for began := time.Now(); (len(s.listeners) > 0) != there; time.Sleep(time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("a client that takes nothing: is it there? still not %v", there)
			}
		}
	}
}

// pipes is a listener of connections that are made within the program.
type pipes struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7531} }
