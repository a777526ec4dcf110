package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"
)

// A login has the credentials with which a worker connects; see gatekeeper.
type login struct {
	name     string // of the connection: the worker's name, or a random one before it is let in
	user     string
	password string
	embedded bool // the server is embedded in the hub and checks user and password; for another one these are in the URL
}

// connect connects to the server as l.
func (w *worker) connect(ctx context.Context, l login) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name(l.name), nats.CustomInboxPrefix(inbox(l.name)), nats.NoReconnect(),
		nats.SetCustomDialer(dialer{ctx}), nats.Timeout(5 * time.Second),
	}
	if w.opt.TLS != nil {
		options = append(options, nats.Secure(w.opt.TLS))
	}
	if l.embedded && l.password != "" {
		options = append(options, nats.UserInfo(l.user, l.password))
	}
	return nats.Connect(w.opt.Join, options...)
}

// A dialer dials until its context ends.
type dialer struct{ ctx context.Context }

// Dial connects; see nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(d.ctx, network, address)
}

// requestAdmission connects as a guest, says hello, computes the proof for the run's
// configuration, and says hello with it. The error is ErrRefused if the hub does not let the
// worker in.
func (w *worker) requestAdmission(ctx context.Context) (welcome, error) {
	conn, err := w.connect(ctx, login{rand.Text(), userGuest, w.opt.Token, true})
	if err != nil {
		return welcome{}, err
	}
	defer conn.Close()
	entry, err := w.sendHello(ctx, conn, helloSubject, "")
	if err != nil || entry.Complete {
		return entry, err
	}
	proof, err := Proof(ctx, entry.Config)
	if err != nil {
		return entry, errors.Join(ErrRefused, fmt.Errorf("this program cannot play the run: %w", err))
	}
	if entry, err = w.sendHello(ctx, conn, names{entry.Run}.helloSubject(), proof); err == nil && !entry.Admitted && !entry.Complete {
		err = ErrRefused
	}
	return entry, err
}

// sendHello says hello on a subject, with a proof or with "", and returns the hub's answer.
func (w *worker) sendHello(ctx context.Context, conn *nats.Conn, subject, proof string) (entry welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, subject, mustJSON(newHello(w.opt.Name, proof)))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", unanswered(err))
	}
	if err := json.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("the answer to hello cannot be read: %w", err)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}
