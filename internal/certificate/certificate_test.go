package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dojo.example/internal/certificate/certtest"
)

var quiet = slog.New(slog.DiscardHandler)

// A bad certificate or key is an error of one line that names the file and says what is wrong.
func TestBadCertificates(t *testing.T) {
	dir := func() string { return t.TempDir() }
	good := certtest.Make(t, dir(), nil, nil)
	other := certtest.Make(t, dir(), nil, nil)
	changed := func(change func(c *x509.Certificate)) string {
		return certtest.Make(t, filepath.Dir(good.Key), nil, change).Certificate
	}
	garbage, missing, locked := filepath.Join(dir(), "garbage"), filepath.Join(dir(), "missing"), filepath.Join(dir(), "locked")
	block, _ := pem.Decode(read(t, good.Key))
	write(t, garbage, []byte("x"))
	write(t, locked, pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: block.Bytes[1:]}))
	past := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name             string
		certificate, key string
		change           func(c *x509.Certificate)
		says             string
	}{
		{name: "no certificate", certificate: missing, key: good.Key, says: "certificate: open " + missing},
		{name: "no key", certificate: good.Certificate, key: missing, says: "key: open " + missing},
		{name: "certificate is garbage", certificate: garbage, key: good.Key, says: "certificate " + garbage},
		{name: "key is garbage", certificate: good.Certificate, key: garbage, says: "key " + garbage},
		{name: "swapped", certificate: good.Key, key: good.Certificate, says: "may have been switched"},
		{name: "wrong key", certificate: good.Certificate, key: other.Key, says: "key " + other.Key + " is not the key of certificate " + good.Certificate},
		{name: "key with a password", certificate: good.Certificate, key: locked, says: "key " + locked + " is encrypted with a password"},
		{name: "expired", change: func(c *x509.Certificate) { c.NotBefore, c.NotAfter = past.AddDate(-1, 0, 0), past }, says: " expired on 2026-01-02"},
		{name: "not yet valid", change: func(c *x509.Certificate) { c.NotBefore = time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC) }, says: " is not valid before 2100-01-02"},
		{name: "common name", change: func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, nil }, says: " has only a common name, which clients ignore; make one with subjectAltName"},
		{name: "no name", change: func(c *x509.Certificate) { c.DNSNames, c.IPAddresses, c.Subject.CommonName = nil, nil, "" }, says: " has no host name"},
	} {
		certificate, key := c.certificate, c.key
		if c.change != nil {
			certificate, key = changed(c.change), good.Key
		}
		_, err := Server(certificate, key, quiet)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", c.name, err, c.says)
		}
		_, err = Client("", certificate, key, quiet)
		if named := !strings.Contains(c.name, "name"); (err != nil) != named {
			t.Errorf("%s, for a client: %v", c.name, err)
		}
		certtest.Make(t, filepath.Dir(good.Key), nil, nil)
	}
	for _, bad := range []string{garbage, missing} {
		if _, err := Client(bad, "", "", quiet); err == nil || !strings.Contains(err.Error(), bad) || strings.Contains(err.Error(), "\n") {
			t.Errorf("authority %s: %v", bad, err)
		}
	}
	if config, err := Client("", "", "", quiet); config != nil || err != nil {
		t.Errorf("without files: %v, %v", config, err)
	}
}

// A clock is the time for a pair. Tests set it.
type clock struct{ now time.Time }

// opened returns a pair that checks its files at every connection, and the log that it writes.
func opened(t *testing.T, files *certtest.Pair) (p *pair, at *clock, log *strings.Builder) {
	t.Helper()
	at, log = &clock{time.Now()}, new(strings.Builder)
	p = newPair(files.Certificate, files.Key, slog.New(slog.NewTextHandler(log, nil)))
	p.now, p.interval = func() time.Time { return at.now }, 0
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	return p, at, log
}

// New files replace the certificate of later connections. Bad files never do. The log has one line
// for each change.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	first := certtest.Make(t, dir, nil, nil)
	p, at, log := opened(t, first)
	old := serial(p)
	if serial(p) != old || log.Len() > 0 {
		t.Fatalf("without a change: serial %s, log %q", serial(p), log)
	}
	step := func(name, says string, change func(), want func(now string) bool) {
		t.Helper()
		log.Reset()
		change()
		for range 3 {
			if now := serial(p); !want(now) {
				t.Errorf("%s: serial %s", name, now)
			}
		}
		if !strings.Contains(log.String(), says) || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("%s: the log is %q, want one line with %q", name, log, says)
		}
	}
	kept := func(now string) bool { return now == old }
	replaced := func(now string) bool { return now != old }
	key := read(t, first.Key)
	step("the key is missing", `level=ERROR msg="the new certificate is not used" error="key: open`, func() { remove(t, first.Key) }, kept)
	step("only the certificate is new", "is not the key of", func() {
		certtest.Make(t, dir, nil, nil)
		write(t, first.Key, key)
	}, kept)
	step("both are new", `level=INFO msg="the certificate was read again" certificate=`+first.Certificate, func() { certtest.Make(t, dir, nil, nil) }, replaced)
	old = serial(p)
	step("an expired one", "expired on", func() {
		certtest.Make(t, dir, nil, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	}, kept)
	step("not yet valid", "is not valid before", func() {
		certtest.Make(t, dir, nil, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Hour) })
	}, kept)
	step("valid now, with unchanged files", "was read again", func() { at.now = at.now.Add(2 * time.Hour) }, replaced)
	old = serial(p)
	p.interval = time.Second
	certtest.Make(t, dir, nil, nil)
	at.now = at.now.Add(time.Second - 1)
	if now := serial(p); now != old {
		t.Errorf("the files were checked again after less than the interval")
	}
	step("after the interval", "was read again", func() { at.now = at.now.Add(1) }, replaced)
}

// Kubernetes replaces a folder by renaming a symbolic link. The new files can have the size and the
// time of the old ones.
func TestReloadOfLink(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		sub := filepath.Join(dir, name)
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		pair := certtest.Make(t, sub, nil, nil)
		for _, file := range []string{pair.Certificate, pair.Key} {
			if err := os.Chtimes(file, time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
				t.Fatal(err)
			}
		}
	}
	link := func(to string) {
		if err := os.Symlink(to, filepath.Join(dir, "next")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "data")); err != nil {
			t.Fatal(err)
		}
	}
	link("one")
	p, _, log := opened(t, &certtest.Pair{Certificate: filepath.Join(dir, "data", "tls.crt"), Key: filepath.Join(dir, "data", "tls.key")})
	old := serial(p)
	link("two")
	if serial(p) == old || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the certificate is still the old one; log %q", log)
	}
}

// In the last two weeks of a certificate, the log has a warning at the start and then each day.
func TestExpires(t *testing.T) {
	at := time.Now().Truncate(time.Second) // certificates have whole seconds
	files := certtest.Make(t, t.TempDir(), nil, func(c *x509.Certificate) { c.NotAfter = at.AddDate(0, 0, 15) })
	p, clock, log := opened(t, files)
	for days, want := range []int{0, 1, 1, 2, 2, 3} { // 12 hours each
		clock.now = at.AddDate(0, 0, 1).Add(time.Duration(days) * 12 * time.Hour)
		p.latest()
		if n := strings.Count(log.String(), "level=WARN"); n != want {
			t.Errorf("after %v: %d warnings, want %d: %s", clock.now.Sub(at), n, want, log)
		}
	}
}

// Clients accept the certificate at an IP address and at a name, before and after it was replaced.
func TestServer(t *testing.T) {
	authority, dir := certtest.Make(t, t.TempDir(), nil, nil), t.TempDir()
	p, _, _ := opened(t, certtest.Make(t, dir, authority, nil))
	server, err := p.server()
	if err != nil {
		t.Fatal(err)
	}
	if len(server.Certificates) != 1 {
		t.Error("Certificates is empty, but the NATS server reads it")
	}
	client, err := Client(authority.Certificate, "", "", quiet)
	if err != nil {
		t.Fatal(err)
	}
	address, _ := listen(t, server)
	used := map[string]bool{}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		for range 2 {
			client.ServerName = host
			got := dial(t, address, client)
			if used[got] || got != serial(p) {
				t.Errorf("%s: the server shows the certificate %s, which is not its newest", host, got)
			}
			used[got] = true
			certtest.Make(t, dir, authority, nil)
		}
	}
	if _, err := tls.Dial("tcp", address, &tls.Config{ServerName: "localhost"}); err == nil {
		t.Error("a client that does not know the authority connects")
	}
}

// A client shows its own certificate, and the new one after it was replaced.
func TestClient(t *testing.T) {
	files, dir := certtest.Make(t, t.TempDir(), nil, nil), t.TempDir()
	server, err := Server(files.Certificate, files.Key, quiet)
	if err != nil {
		t.Fatal(err)
	}
	mine := certtest.Make(t, dir, nil, nil)
	client, err := Client(files.Certificate, mine.Certificate, mine.Key, quiet)
	if err != nil {
		t.Fatal(err)
	}
	client.ServerName = "localhost"
	address, seen := listen(t, &tls.Config{Certificates: server.Certificates, ClientAuth: tls.RequireAnyClientCert})
	dial(t, address, client)
	first := <-seen
	certtest.Make(t, dir, nil, nil)
	for next := first; next == first; next = <-seen { // the client checks its files once a second
		dial(t, address, client)
	}
}

// listen answers connections until the test ends, and sends the serial number of each client's
// certificate to seen.
func listen(t *testing.T, config *tls.Config) (address string, seen <-chan string) {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	serials := make(chan string, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			secure := c.(*tls.Conn)
			if err = secure.Handshake(); err == nil {
				for _, certificate := range secure.ConnectionState().PeerCertificates {
					serials <- certificate.SerialNumber.String()
				}
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String(), serials
}

// dial connects to a server, and returns the serial number of the server's certificate.
func dial(t *testing.T, address string, config *tls.Config) string {
	t.Helper()
	c, err := tls.Dial("tcp", address, config)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
	return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// serial returns the serial number of the certificate that a new connection gets.
func serial(p *pair) string { return p.latest().Certificates[0].Leaf.SerialNumber.String() }

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
