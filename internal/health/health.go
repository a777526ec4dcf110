// Package health answers the programs that watch a process. Three paths of an HTTP server tell
// them:
//
//	/metrics   the metrics of the process, in the text format of Prometheus
//	/healthz   status 200 as long as the process answers
//	/readyz    status 200 if the process can do its work, else status 503 and the reason
//
// Everybody who can reach the server may read these pages: they contain figures and the names of
// runs, but no secrets.
package health

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Paths are the paths that a Handler answers.
var Paths = []string{"/metrics", "/healthz", "/readyz"}

const (
	maxScrapes = 4                // number of requests for metrics at a time; others get status 503
	writeTime  = 10 * time.Second // time to write an answer
)

// NewRegistry returns a registry with the metrics that every Go program has: its memory, its
// goroutines, its processor time and its open files.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

// Handler answers the requests for Paths. ready returns nil if the process can do its work, or the
// reason why it cannot. hosts lists names under which browsers may read the metrics, in addition to
// IP addresses and localhost.
func Handler(metrics prometheus.Gatherer, ready func() error, hosts ...string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", refuseForeign(hosts, promhttp.HandlerFor(metrics, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes,
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			reply(w, http.StatusServiceUnavailable, "not ready: "+oneLine(err.Error()))
			return
		}
		reply(w, http.StatusOK, "ready")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// This fails only in tests, whose response recorder supports no deadlines.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// reply answers with a line of text.
func reply(w http.ResponseWriter, status int, line string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, line) // the client may have hung up
}

// oneLine replaces the line breaks in text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// refuseForeign refuses the requests that a page of another site makes through a browser. Such a
// page can let its host name point to this server, and then reads the answers as its own (DNS
// rebinding). An IP address and localhost cannot be pointed elsewhere. Other programs, such as
// Prometheus, may use any host name. Browsers are recognised by the header Accept-Language: they
// always send it, also without encryption, and a page cannot remove it.
func refuseForeign(hosts []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := hostname(r.Host)
		own := name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(name) != nil ||
			slices.ContainsFunc(hosts, func(h string) bool { return hostname(h) == name })
		if browser := len(r.Header.Values("Accept-Language")) > 0; browser && !own {
			reply(w, http.StatusForbidden, "a browser can read the metrics only at the IP address of this machine, at localhost, or at a name given with --host")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostname returns the value of a Host header in lower case and without the port.
func hostname(host string) string {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// Serve answers the requests on the listener with h until ctx is cancelled. Then it closes the
// listener and all connections.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		// The messages of net/http only report clients that hang up or send invalid requests.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // makes Serve return
	defer stop()
	if err := server.Serve(l); ctx.Err() == nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
