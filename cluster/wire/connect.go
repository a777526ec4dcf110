package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect is nats.Connect, except that it does not wait any longer when ctx ends. Who wants to try again calls
// it again: nats.RetryOnFailedConnect tells nobody about wrong certificates and credentials.
func Connect(ctx context.Context, servers string, options ...nats.Option) (*nats.Conn, error) {
	type dialled struct {
		conn *nats.Conn
		err  error
	}
	result := make(chan dialled)
	go func() {
		conn, err := nats.Connect(servers, options...)
		select {
		case result <- dialled{conn, err}:
		case <-ctx.Done():
			conn.Close() // which does nothing if it is nil
		}
	}()
	select {
	case r := <-result:
		return r.conn, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Lasting are the options of a connection to a server that is not embedded in a hub. It is made again
// whenever it breaks. secret, USER:PASSWORD or a token of NATS, is shown to the server, unless its URL
// has a user and a password.
func Lasting(secret string) []nats.Option {
	options := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1),                                        // without a connection requests fail at once, and are made again
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // to notice that the server's machine is gone
	}
	if user, password, ok := strings.Cut(secret, ":"); ok {
		return append(options, nats.UserInfo(user, password))
	} else if secret != "" {
		return append(options, nats.Token(secret))
	}
	return options
}

// ConnectAs are the options of a worker's connection to the server that a hub embeds: it shows a token
// and signs what the server has drawn; see Joins.
func ConnectAs(name string, key Key, token string) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(Inbox(Identified(name, key.Public()))), nats.Token(token),
		nats.Nkey(key.Public(), func(nonce []byte) ([]byte, error) { return key.pair.Sign(joining(nonce)) }),
	}
}

// Joins reports whether the owner of a public key has signed what a server has drawn.
func Joins(public string, nonce, signature []byte) bool {
	return Signed(public, joining(nonce), signature)
}

// joining is what a worker signs to connect. It cannot be taken for another message of a worker,
// whatever a false server has drawn.
func joining(nonce []byte) []byte { return append([]byte("join "), nonce...) }

// LogErrors makes a connection tell a log of its errors. They come from a line that breaks, of which
// others speak; NATS would print them.
func LogErrors(log *slog.Logger) nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Debug("connection", "error", err) })
}

// Unanswered says in plain words that an error of a request is that its answer did not come in
// time. Other errors stay as they are.
func Unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}

// MayPass reports whether waiting may help against an error of a connection: it cannot be made, or
// the server does not answer.
func MayPass(err error) bool {
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrStaleConnection)
}
