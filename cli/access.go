package cli

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"

	"dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/configs"
	"dojo.example/internal/certificate"
)

// access holds the settings for workers that connect to a hub. An error about a field names the
// field's command-line flag. With the zero value, no worker can join.
type access struct {
	Listen, NATS    string // at most one of these two addresses is set; see hub.Options
	Secret          tokenSource
	Login           natsLogin
	TLSCert, TLSKey string // paths of a certificate and its private key: the server's for Listen, the trainer's own for NATS
	TLSCA           string // path of a certificate file; see certificate.Client
	Insecure        bool   // see hub.Options

	Weight float64 // see hub.Options

	// loaded is called with TLSCert, which may be "", and the configuration that uses it, before the
	// hub starts. It may be nil.
	loaded func(certificate string, config *tls.Config)
}

// on reports whether workers can join.
func (a *access) on() bool { return a.Listen != "" || a.NATS != "" }

// abroad reports whether other machines can reach the address Listen.
func (a *access) abroad() bool { return a.Listen != "" && !wire.Loopback(a.Listen) }

// check returns an error if the settings contradict each other.
func (a *access) check() error {
	switch {
	case !a.on() && a.Secret != tokenSource{}:
		return errors.New("--token and --token-file need --listen or --nats")
	case !a.on() && a.Insecure:
		return errors.New("--insecure needs --listen or --nats")
	case !a.on() && a.TLSCert != "":
		return errors.New("--tls-cert and --tls-key need --listen or --nats")
	case a.NATS == "" && a.Login != natsLogin{}:
		return errors.New("--nats-creds and --nats-nkey need --nats")
	case a.NATS == "" && a.TLSCA != "":
		return errors.New("--tls-ca needs --nats")
	case a.NATS != "":
		if err := wire.CheckURL(a.NATS); err != nil {
			return fmt.Errorf("--nats %w", err)
		}
	case a.Listen != "":
		if err := wire.CheckListen(a.Listen); err != nil {
			return fmt.Errorf("--listen %w", err)
		}
		if a.abroad() && a.TLSCert == "" && !a.Insecure {
			return fmt.Errorf("--listen %s is open to other machines, but the connection is not encrypted: name a certificate with --tls-cert and --tls-key, or allow this with --insecure", a.Listen)
		}
	}
	return nil
}

// An invitation tells the user how to connect a worker to a hub.
type invitation struct {
	Flags  []string // command-line flags for dojo worker
	Token  string   // the random token that open generated, or ""
	Secret bool     // whether a worker needs a token or a login
}

// open starts a hub that workers can join, and calls invite with the flags for joining it. The
// caller sets opt.Log.
func (a *access) open(ctx context.Context, opt hub.Options, invite func(invitation)) (h *hub.Hub, err error) {
	if err = a.check(); err != nil {
		return nil, err
	}
	opt.Listen, opt.URL, opt.Insecure, opt.Weight = a.Listen, a.NATS, a.Insecure, a.Weight
	opt.Creds, opt.NKey = a.Login.Creds, a.Login.NKey
	if opt.Token, err = a.Secret.read(); err != nil {
		return nil, err
	}
	authority := a.TLSCA // the workers' --tls-ca
	if a.Listen != "" && a.TLSCert != "" {
		authority = a.TLSCert
		opt.TLS, err = certificate.Server(a.TLSCert, a.TLSKey, opt.Log)
	} else {
		opt.TLS, err = certificate.Client(a.TLSCA, a.TLSCert, a.TLSKey, opt.Log)
	}
	if err != nil {
		return nil, err
	}
	if a.loaded != nil {
		a.loaded(a.TLSCert, opt.TLS)
	}
	var i invitation
	if opt.Token == "" && a.abroad() {
		i.Token = rand.Text()
		opt.Token = i.Token
	}
	if h, err = hub.New(ctx, opt); err != nil {
		return nil, err
	}
	if a.abroad() && opt.TLS == nil {
		opt.Log.Warn("connections are not encrypted: anybody who can read the network traffic can read the token; encrypt with --tls-cert and --tls-key")
	}
	i.Flags = []string{"--join", h.Address()}
	if authority != "" {
		i.Flags = append(i.Flags, "--tls-ca", authority)
	} else if a.Insecure {
		i.Flags = append(i.Flags, "--insecure")
	}
	if a.NATS != "" {
		i.Flags = append(i.Flags, a.Login.invitation(a.TLSCert)...)
	}
	i.Secret = opt.Token != "" || a.NATS != "" && a.NATS != h.Address()
	invite(i)
	return h, nil
}

// openMatches is like open, for a hub whose workers play matches of the given game.
func (a *access) openMatches(ctx context.Context, game string, log *slog.Logger, invite func(invitation)) (*hub.Hub, error) {
	frozen := configs.Frozen{Name: "matches", Config: configs.Default()}
	frozen.Config.Game = game
	text, err := frozen.Text()
	if err != nil {
		return nil, err
	}
	return a.open(ctx, hub.Options{Name: "matches of " + game, Config: string(text), Once: true, Log: log}, invite)
}
