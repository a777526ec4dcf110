package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/configs"
	"dojo.example/internal/logs"
)

// access says how workers reach a hub. Its fields are named after flags, and so they are in errors.
// The zero value lets nobody in.
type access struct {
	Listen, NATS    string // one of them, or neither: see hub.Options
	Secret          tokenSource
	TLSCert, TLSKey string // files with the certificate that Listen shows, and its key
	TLSCA           string // a file; see wire.ClientTLS
	Insecure        bool   // see hub.Options
}

// on reports whether workers are let in.
func (a *access) on() bool { return a.Listen != "" || a.NATS != "" }

// abroad reports whether other machines can reach Listen.
func (a *access) abroad() bool { return a.Listen != "" && !wire.Loopback(a.Listen) }

// check returns an error for settings that make no sense.
func (a *access) check() error {
	switch {
	case !a.on() && a.Secret != tokenSource{}:
		return errors.New("--token and --token-file are for --listen and --nats")
	case !a.on() && a.Insecure:
		return errors.New("--insecure is for --listen and --nats")
	case a.Listen == "" && a.TLSCert != "":
		return errors.New("--tls-cert and --tls-key are for --listen")
	case a.NATS == "" && a.TLSCA != "":
		return errors.New("--tls-ca is for --nats")
	case a.NATS != "":
		if err := wire.CheckURL(a.NATS); err != nil {
			return fmt.Errorf("--nats %w", err)
		}
	case a.Listen != "":
		if err := wire.CheckListen(a.Listen); err != nil {
			return fmt.Errorf("--listen %w", err)
		}
		if a.abroad() && a.TLSCert == "" && !a.Insecure {
			return fmt.Errorf("--listen %s lets other machines in, and without a certificate nothing is encrypted: give one with --tls-cert and --tls-key, or say --insecure", a.Listen)
		}
	}
	return nil
}

// An invitation is what a worker must know to join a hub.
type invitation struct {
	Flags  []string // of dojo worker
	Token  string   // a random token that open has drawn; "" if it has drawn none
	Secret bool     // a worker must show some token or login
}

// open starts a hub that lets workers in, and calls invite. It logs to w and, if
// opt.Dir is given, to a file there.
func (a *access) open(ctx context.Context, opt hub.Options, w io.Writer, invite func(invitation)) (h *hub.Hub, err error) {
	if err = a.check(); err != nil {
		return nil, err
	}
	opt.Listen, opt.URL, opt.Insecure = a.Listen, a.NATS, a.Insecure
	if opt.Token, err = a.Secret.read(); err != nil {
		return nil, err
	}
	log := ""
	if opt.Dir != "" {
		log = filepath.Join(opt.Dir, "log.txt")
	}
	opt.Log = logs.New(w, log)
	if a.TLSCert != "" {
		opt.TLS, err = wire.ServerTLS(a.TLSCert, a.TLSKey)
	} else {
		opt.TLS, err = wire.ClientTLS(a.TLSCA)
	}
	if err != nil {
		return nil, err
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
		opt.Log.Warn("nothing is encrypted: who reads this network reads the token; --tls-cert and --tls-key encrypt")
	}
	i.Flags = []string{"--join", h.Address()}
	if opt.TLS != nil {
		i.Flags = append(i.Flags, "--tls-ca", cmp.Or(a.TLSCert, a.TLSCA))
	} else if a.Insecure {
		i.Flags = append(i.Flags, "--insecure")
	}
	i.Secret = opt.Token != "" || a.NATS != "" && a.NATS != h.Address()
	invite(i)
	return h, nil
}

// openMatches starts a hub for matches of a game; see open.
func (a *access) openMatches(ctx context.Context, game string, w io.Writer, invite func(invitation)) (*hub.Hub, error) {
	frozen := configs.Frozen{Name: "matches", Config: configs.Default()}
	frozen.Config.Game = game
	text, err := frozen.Text()
	if err != nil {
		return nil, err
	}
	return a.open(ctx, hub.Options{Name: "matches of " + game, Config: string(text), Once: true}, w, invite)
}
