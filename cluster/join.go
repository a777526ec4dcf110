package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"dojo.example/internal/bounded"
)

// A login has the credentials with which a worker connects; see gatekeeper.
type login struct {
	name     string // of the connection: the worker's name, or a random one before it is let in
	user     string
	password string
	embedded bool // the server is embedded in the hub and checks user and password; for another one these are in the URL
}

// errTaken says that the hub does not let the worker in for the moment, because another one of its
// name is there.
var errTaken = errors.New("the name is taken")

// errUnreachable says that there is no connection to the server.
var errUnreachable = errors.New("the server cannot be reached")

// connect connects to the server as l.
func (w *worker) connect(ctx context.Context, l login) (*nats.Conn, error) {
	options := []nats.Option{nats.NoReconnect()} // the hub of an embedded server ends with it, and so do passwords
	if !l.embedded {
		options = lastingConnection()
	}
	options = append(options, tellOf(w.opt.Log), nats.Name(l.name), nats.CustomInboxPrefix(inbox(l.name)), nats.SetCustomDialer(dialer{ctx, w.dial}), nats.Timeout(requestTimeout))
	if encryption := requireTLS(w.opt.TLS, w.opt.Join, w.opt.Insecure); encryption != nil {
		options = append(options, nats.Secure(encryption))
	}
	switch isURL := strings.Contains(w.opt.Join, "://"); {
	case w.opt.Token != "" && (!l.embedded || l.user == userGuest && isURL && strings.Contains(w.opt.Token, ":")):
		options = append(options, credentials(w.opt.Token))
	case l.embedded && l.password != "":
		options = append(options, nats.UserInfo(l.user, l.password))
	}
	conn, err := connect(ctx, func() (*nats.Conn, error) { return nats.Connect(w.opt.Join, options...) })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	return conn, nil
}

// tellOf makes a connection tell a log of its errors. They are those of a line that breaks, which
// others speak of; NATS would print them.
func tellOf(log *slog.Logger) nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Debug("connection", "error", err) })
}

// A dialer dials until its context ends.
type dialer struct {
	ctx  context.Context
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Dial connects; see nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.dial(d.ctx, network, address)
}

// requestAdmission connects as a guest, says hello, computes the proof for the run's
// configuration, and says hello with it. The error is ErrRefused if the hub does not let the
// worker in.
func (w *worker) requestAdmission(ctx context.Context) (entry welcome, err error) {
	conn, err := w.connect(ctx, login{rand.Text(), userGuest, w.opt.Token, true})
	if err != nil {
		return welcome{}, err
	}
	defer conn.Close()
	entry, err = sendHello(ctx, conn, helloSubject, newHello(w.chosen, w.password, "", w.opt.Key))
	if err != nil || entry.Complete {
		return entry, err
	}
	if w.proof, err = Proof(ctx, entry.Config); err != nil {
		return entry, errors.Join(ErrRefused, fmt.Errorf("this program cannot play the run: %w", err))
	}
	if entry, err = sendHello(ctx, conn, names{entry.Run}.helloSubject(), newHello(w.chosen, w.password, w.proof, w.opt.Key)); err == nil && !entry.Admitted && !entry.Complete {
		err = ErrRefused
	}
	return entry, err
}

// sendHello says hello on a subject and returns the hub's answer.
func sendHello(ctx context.Context, conn *nats.Conn, subject string, h hello) (entry welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, subject, mustJSON(h))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", unanswered(err))
	}
	if err := bounded.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("the answer to hello cannot be read: %w", err)
	}
	if entry.Taken {
		return entry, fmt.Errorf("%w: %s", errTaken, entry.Error)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}

// confirm says hello again when a broken connection is there again, until the hub answers. It
// stops the session if the hub has said in the meantime that the run is complete or the worker
// cut off, or if it had HubOptions.Once and seems to be gone for good.
func confirm(ctx context.Context, conn *nats.Conn, joined welcome, again hello, stop context.CancelCauseFunc) {
	var retry backoff
	for begun := time.Now(); ctx.Err() == nil; retry.wait(ctx, onceGone) {
		entry, err := sendHello(ctx, conn, names{joined.Run}.helloSubject(), again)
		switch {
		case err == nil && entry.Complete:
			stop(errComplete)
		case errors.Is(err, ErrRefused), err != nil && joined.Once && time.Since(begun) > onceGone:
			stop(err)
		}
		if err == nil {
			return
		}
	}
}
