package hub_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
)

// newCertificate creates a self-signed certificate for 127.0.0.1 with its key, and returns the
// paths of the two files.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "trainer"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
}

// A trainer with a certificate encrypts all connections. Workers that trust the certificate can
// join and play; other workers do not join.
func TestTLS(t *testing.T) {
	certificate, key := newCertificate(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := wire.ServerTLS(certificate, key)
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
	trusting, err := wire.ClientTLS(certificate)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := newCertificate(t)
	elsewhere, err := wire.ClientTLS(other)
	if err != nil {
		t.Fatal(err)
	}
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
// like a NATS server that does not encrypt. The channel sent receives the data that each of the
// first connections sends.
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

// An error about a bad certificate names the file.
func TestBadCertificates(t *testing.T) {
	certificate, key := newCertificate(t)
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{garbage, filepath.Join(t.TempDir(), "missing")} {
		_, err := wire.ServerTLS(certificate, bad)
		_, other := wire.ServerTLS(bad, key)
		_, third := wire.ClientTLS(bad)
		for _, err := range []error{err, other, third} {
			if err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v should be one line that names %s", err, bad)
			}
		}
	}
}
