package hub_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"
	"dojo.example/train"
)

// A trainer with a certificate encrypts all connections. Workers that trust the certificate can
// join and play; other workers do not join.
func TestTLS(t *testing.T) {
	files, other := certtest.Make(t, t.TempDir(), nil, nil), certtest.Make(t, t.TempDir(), nil, nil)
	opt, hub := startTLS(t, files)
	trusting, elsewhere := trust(t, files), trust(t, other)
	work := func(join string, c *tls.Config) error {
		return worker.Work(t.Context(), worker.Options{Join: join, Name: "w", Workers: 1, TLS: c, Log: quiet})
	}
	for _, c := range []*tls.Config{nil, elsewhere} {
		if err := work(hub.Address(), c); err == nil || !strings.Contains(err.Error(), "certificate is not trusted") || strings.Contains(err.Error(), "\n") {
			t.Errorf("a worker that does not know the certificate: %v", err)
		}
	}
	worked := make(chan error)
	go func() { worked <- work(hub.Address(), trusting) }()
	if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))

	_, plain := start(t, "")
	defer plain.Close(false)
	if err := work(plain.Address(), trusting); err == nil || !strings.Contains(err.Error(), "does not encrypt") {
		t.Errorf("a worker that wants encryption joins a hub without: %v", err)
	}
}

// startTLS starts a hub with a certificate.
func startTLS(t *testing.T, files *certtest.Pair) (train.Options, *cluster.Hub) {
	t.Helper()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := certificate.Server(files.Certificate, files.Key, quiet)
	if err != nil {
		t.Fatal(err)
	}
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), Listen: "127.0.0.1:0", TLS: server, Log: quiet,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := hub.Attach(&opt, config); err != nil {
		t.Fatal(err)
	}
	return opt, hub
}

// trust returns the configuration of a worker that trusts a certificate.
func trust(t *testing.T, files *certtest.Pair) *tls.Config {
	t.Helper()
	config, err := certificate.Client(files.Certificate, "", "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// If the files of the certificate are replaced while the trainer runs, workers that trust only the
// new certificate can join, and workers that trust only the old one cannot.
func TestCertificateReplaced(t *testing.T) {
	dir := t.TempDir()
	files := certtest.Make(t, dir, nil, nil)
	old := trust(t, files)
	opt, hub := startTLS(t, files)
	renewed := trust(t, certtest.Make(t, dir, nil, nil))
	for !handshake(t, hub.Address(), renewed) { // the hub checks the files once a second
		time.Sleep(50 * time.Millisecond)
	}
	work := func(c *tls.Config) error {
		return worker.Work(t.Context(), worker.Options{Join: hub.Address(), Name: "w", Workers: 1, TLS: c, Log: quiet})
	}
	if err := work(old); err == nil || !strings.Contains(err.Error(), "certificate is not trusted") {
		t.Errorf("a worker that trusts the old certificate: %v", err)
	}
	worked := make(chan error)
	go func() { worked <- work(renewed) }()
	if err := errors.Join(finish(t, hub, opt), <-worked); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
}

// handshake reports whether a client with the given configuration trusts the certificate of a NATS
// server.
func handshake(t *testing.T, address string, config *tls.Config) bool {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := bufio.NewReader(c).ReadString('\n'); err != nil { // the server's greeting
		t.Fatal(err)
	}
	config = config.Clone()
	config.ServerName = "127.0.0.1"
	return tls.Client(c, config).Handshake() == nil
}

// Without Insecure, nothing is sent in plain text to an address that is not loopback. If a
// malicious server announces that it does not encrypt, the worker does not send it the token.
func TestTokenIsEncrypted(t *testing.T) {
	address, sent := falseServer(t)
	err := worker.Work(t.Context(), worker.Options{Join: address, Token: "secret", Name: "w", Workers: 1, Log: quiet})
	if err == nil || !strings.Contains(err.Error(), "does not encrypt") || !strings.Contains(err.Error(), "--insecure") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a worker and a server without encryption: %v", err)
	}
	for range 2 { // the worker tries twice: first with its key, then without
		if said := <-sent; strings.Contains(said, "secret") {
			t.Errorf("the worker sent its token: %q", said)
		}
	}
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = cluster.New(t.Context(), cluster.Options{Name: "w", Config: config, URL: "nats://me:secret@" + address, Log: quiet})
	if err == nil || !strings.Contains(err.Error(), "does not encrypt") || strings.Contains(err.Error(), "secret") {
		t.Errorf("a trainer and a NATS server without encryption: %v", err)
	}
	if said := <-sent; strings.Contains(said, "secret") {
		t.Errorf("the trainer sent its password: %q", said)
	}
}

// falseServer starts a server on an address of this machine that is not loopback. It greets clients
// like a NATS server that does not encrypt. It passes the data
// that each of the first connections sends to the channel "sent".
func falseServer(t *testing.T) (address string, sent <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	said := make(chan string, 8)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("INFO {\"server_id\":\"x\",\"version\":\"2.10.0\",\"headers\":true,\"max_payload\":1048576}\r\n"))
			_ = c.SetReadDeadline(time.Now().Add(2 * time.Second))
			text := make([]byte, 1<<12)
			n, _ := c.Read(text)
			said <- string(text[:n])
			_ = c.Close()
		}
	}()
	address = wire.Reachable(l.Addr().String())
	if host, _, err := net.SplitHostPort(address); err != nil || net.ParseIP(host) == nil {
		t.Skip("this machine has no address besides loopback")
	}
	return address, said
}
