package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"
)

// connect connects to the server. A server that is not the hub's own asks for what
// its URL says.
func (w *worker) connect(ctx context.Context, user, password string, embedded bool) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("dojo worker " + w.opt.Name), nats.NoReconnect(),
		nats.SetCustomDialer(dialer{ctx}), nats.Timeout(5 * time.Second),
	}
	if w.opt.TLS != nil {
		options = append(options, nats.Secure(w.opt.TLS))
	}
	if embedded && password != "" {
		options = append(options, nats.UserInfo(user, password))
	}
	return nats.Connect(w.opt.Join, options...)
}

// A dialer stops dialling when its context ends.
type dialer struct{ ctx context.Context }

// Dial connects; see nats.CustomDialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(d.ctx, network, address)
}

// enter says hello and is let in.
func (w *worker) enter(ctx context.Context) (welcome, error) {
	conn, err := w.connect(ctx, userGuest, w.opt.Token, true)
	if err != nil {
		return welcome{}, err
	}
	defer conn.Close()
	entry, err := w.say(ctx, conn, "")
	if err != nil {
		return entry, err
	}
	proof, err := Proof(ctx, entry.Config)
	if err != nil {
		return entry, errors.Join(ErrRefused, fmt.Errorf("this program cannot play the run: %w", err))
	}
	if entry, err = w.say(ctx, conn, proof); err == nil && !entry.Admitted {
		err = ErrRefused
	}
	return entry, err
}

// say says hello with a proof, or with none.
func (w *worker) say(ctx context.Context, conn *nats.Conn, proof string) (entry welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, helloSubject, mustJSON(newHello(w.opt.Name, proof)))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", err)
	}
	if err := json.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("the answer to hello cannot be read: %w", err)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}
