package cli

import (
	"context"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dojo.example/cluster/worker"
	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"
	"dojo.example/internal/golden"
)

// If --metrics names no address, or one that is taken, the command fails before it begins a run.
func TestMetricsAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	run := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct {
		address string
		status  int
		cause   string
	}{
		{"9464", exitUsage, "--metrics"},
		{"127.0.0.1:99999", exitUsage, "--metrics"},
		{l.Addr().String(), exitFailed, "dojo: --metrics: listen tcp " + l.Addr().String()},
	} {
		for _, args := range [][]string{{"train", "tictactoe", "--run", run}, {"worker", "--join", "127.0.0.1:1"}} {
			r := dojo(t, "", append(args, "--metrics", c.address)...)
			if r.status != c.status || !strings.Contains(r.stderr, c.cause) {
				t.Errorf("%s --metrics %s: status %d, %q; want %d, %q", args[0], c.address, r.status, r.stderr, c.status, c.cause)
			}
		}
	}
	if _, err := os.Stat(run); err == nil {
		t.Error("a run was begun")
	}
}

// scraped returns the metrics in a registry as text, without those of Go and of the process.
func scraped(m *monitor) string {
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var own strings.Builder
	for line := range strings.Lines(w.Body.String()) {
		if name := strings.TrimPrefix(strings.TrimPrefix(line, "# HELP "), "# TYPE "); strings.HasPrefix(name, "dojo_") {
			own.WriteString(line)
		}
	}
	return own.String()
}

// The metrics have the time at which the certificate in use expires. A new certificate changes the
// time, but bad files do not, because the old certificate is still in use.
func TestCertificateMetric(t *testing.T) {
	m := newMonitor(func() error { return nil })
	m.expires("", nil)
	if text := scraped(m); text != "" {
		t.Errorf("without a certificate: %s", text)
	}
	ends := func(end int64) func(*x509.Certificate) {
		return func(c *x509.Certificate) { c.NotAfter = time.Unix(end, 0) }
	}
	dir, other := t.TempDir(), certtest.Make(t, t.TempDir(), nil, ends(2_200_000_000))
	pair := certtest.Make(t, dir, nil, ends(2_000_000_000))
	var log strings.Builder
	server, err := certificate.Server(pair.Certificate, pair.Key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	m.expires(pair.Certificate, server)
	m.expires(pair.Certificate, server)
	expires := func(want string) {
		t.Helper()
		if text := scraped(m); !strings.Contains(text, fmt.Sprintf("\ndojo_certificate_expiry_timestamp_seconds{file=%q} %s\n", pair.Certificate, want)) {
			t.Errorf("the certificate should expire at %s:\n%s", want, text)
		}
	}
	// scrape scrapes until the files were read again, which happens at most once a second.
	scrape := func(says string) {
		t.Helper()
		for begun := time.Now(); !strings.Contains(log.String(), says); time.Sleep(20 * time.Millisecond) {
			if scraped(m); time.Since(begun) > time.Minute {
				t.Fatalf("the log has no %q: %s", says, &log)
			}
		}
		log.Reset()
	}
	expires("2e+09")
	replace := func(text []byte) {
		t.Helper()
		if err := os.WriteFile(pair.Certificate, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foreign, err := os.ReadFile(other.Certificate)
	if err != nil {
		t.Fatal(err)
	}
	replace(foreign)
	scrape("is not the key of")
	expires("2e+09")
	replace([]byte("garbage"))
	scrape("the new certificate is not used")
	expires("2e+09")
	certtest.Make(t, dir, nil, ends(2_100_000_000))
	scrape("was read again")
	expires("2.1e+09")
}

// The certificate of a trainer is in the metrics before its hub starts, also one with which the
// trainer logs in.
func TestCertificateOfTrainer(t *testing.T) {
	pair := certtest.Make(t, t.TempDir(), nil, func(c *x509.Certificate) { c.NotAfter = time.Unix(2_000_000_000, 0) })
	for _, a := range []access{
		{Listen: "127.0.0.1:0", TLSCert: pair.Certificate, TLSKey: pair.Key},
		{NATS: "tls://127.0.0.1:1", TLSCert: pair.Certificate, TLSKey: pair.Key, TLSCA: pair.Certificate},
	} {
		m := newMonitor(func() error { return nil })
		a.loaded = m.expires
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h, err := a.openMatches(ctx, "tictactoe", slog.New(slog.DiscardHandler), func(invitation) {})
		if err == nil {
			h.Close(false)
		}
		if text := scraped(m); !strings.Contains(text, "} 2e+09\n") {
			t.Errorf("%+v: %s", a, text)
		}
	}
}

// The metrics of a worker are those in testdata.
func TestWorkerMetrics(t *testing.T) {
	now := worker.Activity{Busy: true, Idle: 1500 * time.Millisecond, Serves: "mine"}
	now.Tasks, now.Games, now.Positions, now.Simulations = 2, 16, 120, 960
	m := newMonitor(func() error { return nil })
	m.metrics.MustRegister(workerMetrics{func() worker.Activity { return now }})
	golden.Compare(t, filepath.Join("testdata", "metrics_worker.txt"), scraped(m))
	for _, away := range []worker.Activity{{}, {Waits: "no answer"}, {Serves: "mine", Waits: "no answer"}} {
		if now = away; !strings.Contains(scraped(m), "\ndojo_worker_connected 0\n") {
			t.Errorf("%+v counts as connected", away)
		}
	}
}

// A worker is ready if it serves a run, or if the server has none for it.
func TestWorkerIsReady(t *testing.T) {
	for _, is := range []worker.Activity{{Serves: "mine"}, {Waits: worker.NoRun}, {Serves: "mine", Waits: worker.NoRun}} {
		if err := isReady(is); err != nil {
			t.Errorf("%+v is not ready: %v", is, err)
		}
	}
	for _, not := range []worker.Activity{{}, {Waits: worker.NoRun + ": the runs need another version of dojo"}, {Serves: "mine", Waits: "no answer"}} {
		if isReady(not) == nil {
			t.Errorf("%+v is ready", not)
		}
	}
}

// The page about monitoring lists all metrics and all alerts, and no others.
func TestDocumentedMetrics(t *testing.T) {
	read := func(path ...string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	names := func(pattern, text string) (all []string) {
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, match[1])
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	page := read("..", "docs", "MONITORING.md")
	m := newMonitor(func() error { return nil })
	pair := certtest.Make(t, t.TempDir(), nil, nil)
	server, err := certificate.Server(pair.Certificate, pair.Key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	m.expires(pair.Certificate, server)
	program := read("..", "serve", "testdata", "metrics.txt") + read("testdata", "metrics_worker.txt") + scraped(m)
	if told, want := names("(dojo_[a-z_]+)", page), names(`(?m)^# HELP (\w+)`, program); !slices.Equal(told, want) {
		t.Errorf("the page has the metrics\n%q, the program\n%q", told, want)
	}
	if told, want := names("`(Dojo[A-Za-z]+)`", page), names(`alert: (\w+)`, read("..", "deploy", "alerts.yml")); !slices.Equal(told, want) {
		t.Errorf("the page has the alerts %q, deploy/alerts.yml %q", told, want)
	}
	if used, known := names("(dojo_[a-z_]+)", read("..", "deploy", "alerts.yml")+read("..", "deploy", "grafana.json")), names(`(?m)^# HELP (\w+)`, program); !subset(used, known) {
		t.Errorf("deploy/ uses the metrics %q, known are %q", used, known)
	}
}

// subset reports whether all elements of a are in b.
func subset(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) })
}
