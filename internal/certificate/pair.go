package certificate

import (
	"crypto/tls"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A pair is a certificate with its key. Both are read again when their files change.
type pair struct {
	// constant
	certificate, key string // paths
	client           bool   // whether the pair is the certificate of a client, which needs no names
	log              *slog.Logger
	now              func() time.Time
	interval         time.Duration // shortest time between two checks for changed files

	mu      sync.Mutex
	config  *tls.Config    // contains the certificate in use; guarded by mu
	files   [2]fs.FileInfo // state of the two files before they were last read; guarded by mu
	checked time.Time      // when the files were last checked for changes; guarded by mu
	problem string         // why the files cannot be used, or ""; guarded by mu
	warned  time.Time      // when the log last said that the certificate expires; guarded by mu
}

func newPair(certificate, key string, log *slog.Logger) *pair {
	return &pair{certificate: certificate, key: key, log: log, now: time.Now, interval: checkInterval}
}

// open reads the files for the first time.
func (p *pair) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.checked, p.files = p.now(), p.stat()
	c, err := p.load()
	if err != nil {
		return err
	}
	p.use(c)
	return nil
}

// use makes c the certificate of new connections. The caller holds p.mu.
func (p *pair) use(c tls.Certificate) {
	p.config = &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
	p.warned = time.Time{}
	p.warn()
}

// warn logs once a day that the certificate in use is about to expire. The caller holds p.mu.
func (p *pair) warn() {
	now, expires := p.now(), p.config.Certificates[0].Leaf.NotAfter
	if expires.Sub(now) < soon && now.Sub(p.warned) >= 24*time.Hour {
		p.log.Warn("the certificate expires soon; renew it", "certificate", p.certificate, "expires", day(expires))
		p.warned = now
	}
}

// stat returns the state of the two files. The state of a file that is missing is nil.
func (p *pair) stat() (files [2]fs.FileInfo) {
	for i, path := range []string{p.certificate, p.key} {
		files[i], _ = os.Stat(path) // load returns the error
	}
	return files
}

// server opens the pair and returns the TLS configuration of a server.
func (p *pair) server() (*tls.Config, error) {
	if err := p.open(); err != nil {
		return nil, err
	}
	// The callback must be GetConfigForClient, because crypto/tls does not call GetCertificate for
	// clients that connect to an IP address if Certificates is set. The NATS server needs
	// Certificates.
	config := p.config.Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return p.latest(), nil }
	return config, nil
}

// latest returns a configuration with the certificate for a new connection. If the files have
// changed, it reads them again, at most once each p.interval.
func (p *pair) latest() *tls.Config {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.checked) < p.interval {
		return p.config
	}
	p.checked = now
	p.warn()
	files := p.stat()
	// Try bad files again even if they look the same: the problem may be their permissions, or a
	// certificate that becomes valid later.
	if p.problem == "" && same(files[0], p.files[0]) && same(files[1], p.files[1]) {
		return p.config
	}
	p.files = files
	c, err := p.load()
	if err == nil {
		p.problem = ""
		p.use(c)
		p.log.Info("the certificate was read again", "certificate", p.certificate, "expires", day(c.Leaf.NotAfter))
	} else if err.Error() != p.problem {
		p.problem = err.Error()
		p.log.Error("the new certificate is not used", "error", err, "the old one expires", day(p.config.Certificates[0].Leaf.NotAfter))
	}
	return p.config
}

// same reports whether a file has not changed between two calls of stat.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
