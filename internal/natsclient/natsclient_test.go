package natsclient

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// Messages name a server without its scheme, user, password and token.
func TestHost(t *testing.T) {
	for server, want := range map[string]string{
		"nats://one:4222": "one:4222", "tls://me:secret@one:4222": "one:4222", "nats://token@one": "one",
		"one:4222": "one:4222", "me:p@ss@one": "one", "": "",
	} {
		if got := host(server); got != want {
			t.Errorf("host(%q) is %q, want %q", server, got, want)
		}
	}
}

// The log says once for each subject that the server forbids it, unless dojo does not need it.
func TestLogErrors(t *testing.T) {
	var said strings.Builder
	var opt nats.Options
	if err := LogErrors(slog.New(slog.NewTextHandler(&said, nil)))(&opt); err != nil {
		t.Fatal(err)
	}
	violation := func(text string) error { return fmt.Errorf("%w: %s", nats.ErrPermissionViolation, text) }
	for _, text := range []string{
		`Permissions Violation for Subscription to "dojo.hello.*"`,
		`Permissions Violation for Subscription to "dojo.hello.*"`,
		`Permissions Violation for Publish to "_INBOX.a.1"`,
		`Permissions Violation for Publish to "_INBOX.a.2"`,
		`Permissions Violation for Subscription to "$SRV.PING.dojo"`,
	} {
		opt.AsyncErrorCB(nil, nil, violation(text))
	}
	opt.AsyncErrorCB(nil, nil, errors.New("unexpected EOF"))
	text := said.String()
	for _, want := range []string{"subject=dojo.hello.*", "subject=_INBOX.>"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the log does not have %s once:\n%s", want, text)
		}
	}
	if strings.Count(text, "\n") != 2 || strings.Count(text, `permit="dojo.> and _INBOX.>"`) != 2 {
		t.Errorf("the log has\n%s", text)
	}
	opt.AsyncErrorCB(nil, nil, nats.ErrAuthorization)
	if text := said.String(); !strings.Contains(text, "no longer accepts the login") {
		t.Errorf("the log has\n%s", text)
	}
}

// Only the first login that is set counts. A file that holds no login is named.
func TestLasting(t *testing.T) {
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	nkey := file("user.nk", string(seed)+"\n")
	creds := file("user.creds", "-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n"+string(seed)+"\n------END USER NKEY SEED------\n")
	for _, c := range []struct {
		login Login
		want  string // what the options contain: the token, user and password, the nkey, and the JWT
	}{
		{Login{}, "||||"},
		{Login{Secret: "token"}, "token||||"},
		{Login{Secret: "me:pass:word"}, "|me|pass:word||"},
		{Login{Secret: "token", NKey: nkey}, "|||" + public + "|"},
		{Login{Secret: "token", NKey: nkey, Creds: creds}, "||||a.b.c"},
	} {
		options, err := Lasting(c.login)
		if err != nil {
			t.Fatal(err)
		}
		var o nats.Options
		for _, set := range options {
			if err := set(&o); err != nil {
				t.Fatal(err)
			}
		}
		jwt := ""
		if o.UserJWT != nil {
			if jwt, err = o.UserJWT(); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join([]string{o.Token, o.User, o.Password, o.Nkey, jwt}, "|"); got != c.want {
			t.Errorf("%+v sets %s, want %s", c.login, got, c.want)
		}
		if o.SignatureCB != nil {
			if signature, err := o.SignatureCB([]byte("nonce")); err != nil || user.Verify([]byte("nonce"), signature) != nil {
				t.Errorf("%+v signs %v, %v", c.login, signature, err)
			}
		}
	}
	for _, l := range []Login{{Creds: nkey}, {NKey: file("empty", "")}, {Creds: dir}, {NKey: filepath.Join(dir, "none")}} {
		if _, err := Lasting(l); err == nil || !strings.Contains(err.Error(), l.Creds+l.NKey) || strings.Contains(err.Error(), string(seed)) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// A connection error may pass unless the host does not exist or the server has answered.
func TestMayPass(t *testing.T) {
	for _, c := range []struct {
		err  error
		pass bool
	}{
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, true},
		{nats.ErrNoServers, true},
		{nats.ErrAuthorization, false},
		{&net.DNSError{IsNotFound: true}, false},
		{&net.DNSError{IsTemporary: true}, true},
	} {
		if got := MayPass(c.err); got != c.pass {
			t.Errorf("MayPass(%v) is %v", c.err, got)
		}
	}
}
