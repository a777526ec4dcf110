package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"dojo.example/cluster/wire"
	"dojo.example/internal/natsclient"
)

// login returns the login for an external server.
func (opt Options) login() natsclient.Login {
	return natsclient.Login{Secret: opt.Token, Creds: opt.Creds, NKey: opt.NKey}
}

// assumptions lists what connect assumes about the server, one after another: true stands for a
// server that is embedded in a hub, and false for an external one, which does not know the workers'
// keys. An external server logs an error for each wrong assumption.
func (opt Options) assumptions() []bool {
	switch {
	case strings.ContainsAny(opt.Join, ",@"), opt.Creds != "", opt.NKey != "":
		return []bool{false}
	case strings.Contains(opt.Join, "://") && strings.Contains(opt.Token, ":"): // a user and a password, or the token of a hub
		return []bool{false, true}
	}
	return []bool{true, false}
}

// connect connects to the server.
func (w *worker) connect(ctx context.Context) (_ *nats.Conn, err error) {
	common := append(wire.Encryption(w.opt.TLS, w.opt.Join, w.opt.Insecure), natsclient.LogErrors(w.opt.Log), nats.Timeout(w.opt.Times.Request), nats.Name(w.opt.Name))
	common = append(common, w.opt.Line...)
	for _, w.embedded = range w.opt.assumptions() {
		// An embedded server exits with its hub, so the worker joins again instead of reconnecting.
		options := append(wire.ConnectAs(w.opt.Name, w.opt.Key, w.opt.Token), nats.NoReconnect())
		if !w.embedded {
			lasting, err := natsclient.Lasting(w.opt.login())
			if err != nil {
				return nil, err
			}
			options = append(lasting, nats.CustomInboxPrefix(wire.Inbox(w.name)))
		}
		conn, problem := natsclient.Connect(ctx, w.opt.Join, append(options, common...)...)
		if problem == nil {
			if err = natsclient.CheckPayload(conn, wire.LeastPayload); err != nil {
				conn.Close()
				return nil, err
			}
			return conn, nil
		}
		if err == nil || !w.embedded {
			err = problem
		}
		if !errors.Is(problem, nats.ErrNkeysNotSupported) && !errors.Is(problem, nats.ErrAuthorization) {
			return nil, fmt.Errorf("%w: %w", errUnreachable, problem)
		}
	}
	return nil, err
}
