package health

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// gauge returns a registry with one metric.
func gauge() *prometheus.Registry {
	r := prometheus.NewRegistry()
	g := prometheus.NewGauge(prometheus.GaugeOpts{Name: "answer", Help: "The answer."})
	g.Set(42)
	r.MustRegister(g)
	return r
}

// A process is always alive, but ready only if its owner says so. The reason is one line.
func TestProbes(t *testing.T) {
	var why error
	h := Handler(gauge(), func() error { return why })
	ask := func(path string, status int, want string) {
		t.Helper()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != status || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %q; want %d, %q", path, w.Code, w.Body, status, want)
		}
	}
	ask("/healthz", 200, "alive\n")
	ask("/readyz", 200, "ready\n")
	ask("/metrics", 200, "\nanswer 42\n")
	why = errors.New("the server\nis away")
	ask("/healthz", 200, "alive\n")
	ask("/readyz", 503, "not ready: the server is away\n")
	ask("/metrics", 200, "\nanswer 42\n")
	ask("/other", 404, "")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/metrics", nil)); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d, want %d", w.Code, http.StatusMethodNotAllowed)
	}
}

// Prometheus may use any host name. A browser, which may run a page of another site, needs an
// address that no other site can use.
func TestForeignPages(t *testing.T) {
	h := Handler(gauge(), func() error { return nil }, "Dojo.lan")
	for _, c := range []struct {
		host    string
		browser bool
		path    string
		status  int
	}{
		{"trainer:9464", false, "/metrics", 200},
		{"trainer:9464", true, "/metrics", 403},
		{"evil.example", true, "/metrics", 403},
		{"evil.example", true, "/healthz", 200},
		{"evil.example", true, "/readyz", 200},
		{"127.0.0.1:9464", true, "/metrics", 200},
		{"[::1]:9464", true, "/metrics", 200},
		{"192.0.2.7", true, "/metrics", 200},
		{"localhost:9464", true, "/metrics", 200},
		{"A.LOCALHOST.", true, "/metrics", 200},
		{"dojo.lan:80", true, "/metrics", 200},
		{"notlocalhost", true, "/metrics", 403},
		{"", true, "/metrics", 403},
	} {
		r := httptest.NewRequest(http.MethodGet, c.path, nil)
		if r.Host = c.host; c.browser {
			r.Header.Set("Accept-Language", "")
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%s of %q, browser %v: status %d, want %d", c.path, c.host, c.browser, w.Code, c.status)
		}
	}
}

// Serve ends with its context, and reports a listener that fails.
func TestServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Serve(ctx, l, Handler(NewRegistry(), func() error { return nil })) }()
	r, err := http.Get("http://" + l.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(text), "\ngo_goroutines ") {
		t.Errorf("the metrics of Go are missing (%v):\n%s", err, text)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := Serve(t.Context(), l, http.NotFoundHandler()); err == nil {
		t.Error("no error for a closed listener")
	}
}
