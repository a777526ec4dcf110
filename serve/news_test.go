package serve

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"dojo.example/data/rundir"
)

// serving starts a server that listens, and returns it with its address.
func serving(t *testing.T, l net.Listener, prepare func(s *Server), folders ...rundir.Folder) (*Server, string) {
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

// The first answer contains everything. If the client sends the clock value from the previous
// answer, the next answer contains only the changes since then.
func TestNews(t *testing.T) {
	f := smallRun(t)
	record := takeBack(t, f, 1)
	s := newServer(t, f)
	since := func(clock string) News {
		t.Helper()
		s.again()
		return get[News](t, s, "/api/runs?since="+clock, "")
	}
	first := since("")
	if len(first.IDs) != 1 || len(first.Runs) != 1 || first.Runs[0].From != 0 || len(first.Runs[0].Generations) != 1 {
		t.Errorf("the first answer is %+v", first)
	}
	if n := since(first.Clock); len(n.IDs) != 1 || len(n.Runs) != 0 || n.Clock != first.Clock {
		t.Errorf("while nothing happens the answer is %+v", n)
	}
	write(t, f.Record(1), record)
	second := since(first.Clock)
	if r := second.Runs; len(r) != 1 || r[0].From != 1 || len(r[0].Generations) != 1 || r[0].Stage.Name != "complete" {
		t.Errorf("a generation is told as %+v", second)
	}
	if n := since(first.Clock); len(n.Runs) != 1 || n.Runs[0].From != 1 {
		t.Errorf("to a client that missed a generation it is told as %+v", n)
	}
	for _, clock := range []string{"0123abcd-7", "nonsense", strings.Split(second.Clock, "-")[0] + "-999999"} {
		if n := since(clock); len(n.Runs) != 1 || n.Runs[0].From != 0 || len(n.Runs[0].Generations) != 2 {
			t.Errorf("to a client with the clock %q of another server there is told %+v", clock, n)
		}
	}
}

// pipes is a listener with in-memory connections.
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

// Before the server stops, a page that watches a run of this process learns how the run ended.
func TestLastNews(t *testing.T) {
	f := smallRun(t)
	record := takeBack(t, f, 1)
	url := make(chan string, 1)
	s, err := New(Options{Runs: []rundir.Folder{f}})
	if err != nil {
		t.Fatal(err)
	}
	stop := s.Beside(t.Context(), listener(t), func(u string) { url <- u })
	address := <-url + "api/runs"
	stage := func() (string, error) {
		r, err := http.Get(address)
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		var news News
		if err := json.NewDecoder(r.Body).Decode(&news); err != nil {
			return "", err
		}
		return news.Runs[0].Stage.Name, nil
	}
	last, err := stage()
	if err != nil || last == "complete" {
		t.Fatalf("at first the run is said to be in %q: %v", last, err)
	}
	write(t, f.Record(1), record)
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for next := last; err == nil; next, err = stage() {
		last = next
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if last != "complete" {
		t.Errorf("the last that a page hears is that the run is in %q", last)
	}
}
