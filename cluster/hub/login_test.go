package hub_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// write writes a file in a new folder and returns its path.
func write(t *testing.T, name string, content []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newNKey makes a key of the kind that create makes. It returns the public key and the seed.
func newNKey(t *testing.T, create func() (nkeys.KeyPair, error)) (key nkeys.KeyPair, public string, seed []byte) {
	t.Helper()
	key, err := create()
	if err == nil {
		public, err = key.PublicKey()
	}
	if err == nil {
		seed, err = key.Seed()
	}
	if err != nil {
		t.Fatal(err)
	}
	return key, public, seed
}

// A badge is how a trainer and a worker log in at an external server.
type badge struct {
	url, token, creds, nkey string
	tls                     *tls.Config
}

// A sink is a log that several goroutines write.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer // guarded by mu
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// playAs trains a run with a worker. Both use the given badge. It returns the text of their logs.
func playAs(t *testing.T, b badge) string {
	t.Helper()
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var said sink
	log := slog.New(slog.NewTextHandler(&said, nil))
	hub, err := cluster.New(t.Context(), cluster.Options{
		Name: opt.Name, Config: config, Dir: opt.Folder.Path("cluster"), URL: b.url, Token: b.token, Creds: b.creds, NKey: b.nkey, TLS: b.tls, Log: log})
	if err == nil {
		err = hub.Attach(&opt, config)
	}
	if err != nil {
		t.Fatal(err)
	}
	begin := make(chan struct{})
	waitFirst(&opt, begin)
	worked := make(chan error, 1)
	go func() {
		worked <- worker.Work(t.Context(), worker.Options{Join: b.url, Token: b.token, Creds: b.creds, NKey: b.nkey, TLS: b.tls, Name: "w", Workers: 1, UntilDone: true, Log: log, Times: wire.Times{Gone: time.Second}})
	}()
	ended := make(chan error, 1)
	go func() { ended <- finish(t, hub, opt) }()
	waitFor(t, "a result", func() bool { return hub.Accepted() > 0 })
	close(begin)
	if err := errors.Join(<-ended, <-worked); err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
	return said.String()
}

// refuseBoth checks that a trainer and a worker with the given badge end with an error of one line,
// which contains each of the texts and no secret.
func refuseBoth(t *testing.T, b badge, secret string, texts ...string) {
	t.Helper()
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var said sink
	log := slog.New(slog.NewTextHandler(&said, nil))
	hub, trainer := cluster.New(t.Context(), cluster.Options{Name: "tiny", Config: config, URL: b.url, Token: b.token, Creds: b.creds, NKey: b.nkey, TLS: b.tls, Log: log})
	if trainer == nil {
		hub.Close(false)
	}
	helper := worker.Work(t.Context(), worker.Options{Join: b.url, Token: b.token, Creds: b.creds, NKey: b.nkey, TLS: b.tls, Name: "w", Workers: 1, UntilDone: true, Log: log})
	for who, err := range map[string]error{"trainer": trainer, "worker": helper} {
		if err == nil {
			t.Errorf("the %s is not refused", who)
			continue
		}
		for _, text := range texts {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("the %s says %q, want %q", who, err, text)
			}
		}
		if all := err.Error() + said.String(); strings.Contains(err.Error(), "\n") || strings.Contains(all, secret) {
			t.Errorf("the %s says %q, and the logs\n%s", who, err, said.String())
		}
	}
}

// Trainer and worker log in with a password, which is no error in the server's log.
func TestPassword(t *testing.T) {
	t.Parallel()
	var said sink
	s := startWith(t, server.Options{Username: "me", Password: "secret"})
	s.SetLogger(serverLog{&said}, false, false)
	playAs(t, badge{url: s.ClientURL(), token: "me:secret"})
	if text := said.String(); strings.Contains(text, "authentication error") {
		t.Errorf("the server's log has\n%s", text)
	}
	refuseBoth(t, badge{url: s.ClientURL(), token: "me:wrong"}, "wrong", s.ClientURL())
}

// A serverLog is the log of a NATS server.
type serverLog struct{ to *sink }

func (l serverLog) Noticef(format string, v ...any) { fmt.Fprintf(l.to, format+"\n", v...) }
func (l serverLog) Warnf(format string, v ...any)   { l.Noticef(format, v...) }
func (l serverLog) Fatalf(format string, v ...any)  { l.Noticef(format, v...) }
func (l serverLog) Errorf(format string, v ...any)  { l.Noticef(format, v...) }
func (l serverLog) Debugf(format string, v ...any)  { l.Noticef(format, v...) }
func (l serverLog) Tracef(format string, v ...any)  { l.Noticef(format, v...) }

// Trainer and worker log in with an nkey.
func TestNKey(t *testing.T) {
	t.Parallel()
	_, public, seed := newNKey(t, nkeys.CreateUser)
	s := startWith(t, server.Options{Nkeys: []*server.NkeyUser{{Nkey: public}}})
	playAs(t, badge{url: s.ClientURL(), nkey: write(t, "user.nk", append(seed, '\n'))})
	_, _, other := newNKey(t, nkeys.CreateUser)
	refuseBoth(t, badge{url: s.ClientURL(), nkey: write(t, "user.nk", other)}, string(other), s.ClientURL())
	without := startWith(t, server.Options{Username: "me", Password: "secret"})
	refuseBoth(t, badge{url: without.ClientURL(), nkey: write(t, "user.nk", other)}, string(other), without.ClientURL())
	_, _, account := newNKey(t, nkeys.CreateAccount)
	for _, text := range [][]byte{account, nil, []byte("SUsecret")} {
		path := write(t, "bad.nk", text)
		refuseBoth(t, badge{url: s.ClientURL(), nkey: path}, "SUsecret", path, "no seed of a user")
	}
	refuseBoth(t, badge{url: s.ClientURL(), nkey: "missing.nk"}, string(seed), "missing.nk", "no such file")
}

// Trainer and worker log in with a JWT, as operators with decentralised accounts issue it.
func TestCreds(t *testing.T) {
	t.Parallel()
	operator, operatorPublic, _ := newNKey(t, nkeys.CreateOperator)
	account, accountPublic, _ := newNKey(t, nkeys.CreateAccount)
	trusted := jwt.NewOperatorClaims(operatorPublic)
	accountJWT, err := jwt.NewAccountClaims(accountPublic).Encode(operator)
	if err == nil {
		_, err = trusted.Encode(operator)
	}
	resolver := &server.MemAccResolver{}
	if err == nil {
		err = resolver.Store(accountPublic, accountJWT)
	}
	if err != nil {
		t.Fatal(err)
	}
	creds := func(issuer nkeys.KeyPair, expires time.Time) (path string, seed []byte) {
		_, public, seed := newNKey(t, nkeys.CreateUser)
		claims := jwt.NewUserClaims(public)
		claims.Expires = expires.Unix()
		text, err := claims.Encode(issuer)
		if err != nil {
			t.Fatal(err)
		}
		file, err := jwt.FormatUserConfig(text, seed)
		if err != nil {
			t.Fatal(err)
		}
		return write(t, "user.creds", file), seed
	}
	s := startWith(t, server.Options{TrustedOperators: []*jwt.OperatorClaims{trusted}, AccountResolver: resolver})
	soon := time.Now().Add(time.Hour)
	good, seed := creds(account, soon)
	playAs(t, badge{url: s.ClientURL(), creds: good})

	other, _, _ := newNKey(t, nkeys.CreateAccount)
	foreign, secret := creds(other, soon)
	refuseBoth(t, badge{url: s.ClientURL(), creds: foreign}, string(secret), s.ClientURL())
	expired, secret := creds(account, time.Now().Add(-time.Hour))
	refuseBoth(t, badge{url: s.ClientURL(), creds: expired}, string(secret), s.ClientURL())
	for text, says := range map[string]string{string(seed): "no user's JWT", "": "no user's JWT", strings.ReplaceAll(read(t, good), "SU", "XX"): "no user's key"} {
		path := write(t, "bad.creds", []byte(text))
		refuseBoth(t, badge{url: s.ClientURL(), creds: path}, string(seed[10:]), path, says)
	}
	refuseBoth(t, badge{url: s.ClientURL(), creds: "missing.creds"}, string(seed), "missing.creds", "no such file")
}

// read returns the content of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Trainer and worker log in with a client certificate.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	authority := certtest.Make(t, t.TempDir(), nil, nil)
	mine := certtest.Make(t, t.TempDir(), authority, func(c *x509.Certificate) { c.Subject.CommonName = "dojo" })
	other := certtest.Make(t, t.TempDir(), nil, nil)
	config, err := certificate.Server(authority.Certificate, authority.Key, quiet)
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(read(t, authority.Certificate)))
	s := startWith(t, server.Options{
		TLS: true, TLSVerify: true, TLSMap: true, TLSTimeout: 10,
		TLSConfig: &tls.Config{Certificates: config.Certificates, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert},
		Users:     []*server.User{{Username: "CN=dojo"}},
	})
	by := func(certificatePath, key string) badge {
		client, err := certificate.Client(authority.Certificate, certificatePath, key, quiet)
		if err != nil {
			t.Fatal(err)
		}
		return badge{url: s.ClientURL(), tls: client}
	}
	playAs(t, by(mine.Certificate, mine.Key))
	refuseBoth(t, by(other.Certificate, other.Key), "PRIVATE", s.ClientURL(), "--tls-cert")
	refuseBoth(t, by("", ""), "PRIVATE", s.ClientURL(), "--tls-cert")
}

// Trainer and worker need only the subjects dojo.> and _INBOX.>. If a server forbids one of them,
// the logs say which, and what to permit.
func TestPermissions(t *testing.T) {
	t.Parallel()
	permit := func(subjects ...string) badge {
		all := &server.SubjectPermission{Allow: subjects}
		s := startWith(t, server.Options{Users: []*server.User{{Username: "me", Password: "secret", Permissions: &server.Permissions{Publish: all, Subscribe: all}}}})
		return badge{url: s.ClientURL(), token: "me:secret"}
	}
	if said := playAs(t, permit("dojo.>", "_INBOX.>")); strings.Contains(said, "forbids") {
		t.Errorf("the logs have\n%s", said)
	}
	_, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, subjects := range [][]string{{"other"}, {"dojo.>"}, {"_INBOX.>"}} {
		b := permit(subjects...)
		var said sink
		log := slog.New(slog.NewTextHandler(&said, nil))
		hub, err := cluster.New(t.Context(), cluster.Options{Name: "tiny", Config: config, URL: b.url, Token: b.token, Log: log})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		worked := make(chan error, 1)
		go func() {
			worked <- worker.Work(ctx, worker.Options{Join: b.url, Token: b.token, Name: "w", Workers: 1, Log: log, Times: wire.Times{Request: 100 * time.Millisecond}})
		}()
		forbidden := `subject=_INBOX.>`
		if subjects[0] != "dojo.>" {
			forbidden = "subject=dojo.hello."
		}
		waitFor(t, "the log", func() bool { return strings.Contains(said.String(), forbidden) })
		stop()
		<-worked
		hub.Close(false)
		if text := said.String(); !strings.Contains(text, `permit="dojo.> and _INBOX.>"`) || strings.Contains(text, "secret") {
			t.Errorf("the logs have\n%s", text)
		}
	}
}
