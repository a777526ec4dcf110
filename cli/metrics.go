package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"dojo.example/internal/certificate"
	"dojo.example/internal/health"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
)

// A monitor answers the programs that watch this process; see package health.
type monitor struct {
	http.Handler
	metrics *prometheus.Registry
	ready   atomic.Pointer[func() error] // see newMonitor
}

// newMonitor returns a monitor. ready returns why the process cannot do its work, or nil if it can.
// Browsers may also read the metrics under the names in hosts.
func newMonitor(ready func() error, hosts ...string) *monitor {
	m := &monitor{metrics: health.NewRegistry()}
	m.setReady(ready)
	m.Handler = health.Handler(m.metrics, func() error { return (*m.ready.Load())() }, hosts...)
	return m
}

// setReady replaces the function ready; see newMonitor.
func (m *monitor) setReady(ready func() error) { m.ready.Store(&ready) }

// metricsFlags holds the address of --metrics.
type metricsFlags struct{ address string }

func (f *metricsFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.address, "metrics", "", "answer requests for /metrics, /healthz and /readyz at HOST:PORT, e.g. 127.0.0.1:9464")
}

// check returns an error if the value of --metrics is not of the form HOST:PORT.
func (f *metricsFlags) check() error {
	if f.address == "" {
		return nil
	}
	return hostPort("--metrics", f.address)
}

// serve lets m answer at the address of --metrics, and calls say with the URL of the metrics. It
// does nothing without --metrics. The caller must call stop.
func (f *metricsFlags) serve(ctx context.Context, m *monitor, say func(url string)) (stop func() error, err error) {
	if f.address == "" {
		return func() error { return nil }, nil
	}
	l, err := net.Listen("tcp", f.address)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	say("http://" + l.Addr().String() + "/metrics")
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a process that is stopping still answers
	ended := make(chan error, 1)
	go func() { ended <- health.Serve(ctx, l, m) }()
	return func() error {
		cancel()
		return <-ended
	}, nil
}

// expires adds to the metrics when the certificate expires that config uses. file is the path of the
// certificate. If it is "", there is none, and expires does nothing.
func (m *monitor) expires(file string, config *tls.Config) {
	if file == "" {
		return
	}
	opt := prometheus.GaugeOpts{
		Name: "dojo_certificate_expiry_timestamp_seconds", Help: "When the certificate expires that the process uses; Unix time.",
		ConstLabels: prometheus.Labels{"file": strings.ToValidUTF8(file, "\uFFFD")},
	}
	_ = m.metrics.Register(prometheus.NewGaugeFunc(opt, func() float64 { // fails harmlessly if the process uses the file twice
		return float64(certificate.Expires(config).Unix())
	}))
}
