package cli

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dojo.example/internal/certificate"
	"dojo.example/internal/certificate/certtest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// serveWith starts a NATS server and returns its URL.
func serveWith(t *testing.T, opt server.Options) string {
	t.Helper()
	opt.Host, opt.Port, opt.NoSigs, opt.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	s, err := server.NewServer(&opt)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Shutdown)
	return s.ClientURL()
}

// A trainer that logs in with an nkey or a certificate tells workers to log in with their own, and
// does not offer its files.
func TestInvitedToLogIn(t *testing.T) {
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trainer.nk")
	if err := os.WriteFile(path, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	pair := certtest.Make(t, t.TempDir(), nil, nil)
	own, err := certificate.Server(pair.Certificate, pair.Key, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(own.Certificates[0].Leaf)
	secure := server.Options{TLS: true, TLSVerify: true, TLSTimeout: 10, TLSConfig: &tls.Config{Certificates: own.Certificates, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert}}

	nkey, certified := serveWith(t, server.Options{Nkeys: []*server.NkeyUser{{Nkey: public}}}), serveWith(t, secure)
	for _, c := range []struct {
		access access
		want   string
	}{
		{access{NATS: nkey, Login: natsLogin{NKey: path}}, "--join " + nkey + " --nats-nkey worker.nk"},
		{access{NATS: certified, TLSCA: pair.Certificate, TLSCert: pair.Certificate, TLSKey: pair.Key}, "--join " + certified + " --tls-ca " + pair.Certificate + " --tls-cert worker.pem --tls-key worker-key.pem"},
	} {
		var got invitation
		h, err := c.access.openMatches(t.Context(), "tictactoe", slog.New(slog.DiscardHandler), func(i invitation) { got = i })
		if err != nil {
			t.Fatal(err)
		}
		h.Close(false)
		if flags := strings.Join(got.Flags, " "); flags != c.want || got.Token != "" || got.Secret {
			t.Errorf("%+v: workers join with %s, %+v; want %s", c.access, flags, got, c.want)
		}
	}
}
