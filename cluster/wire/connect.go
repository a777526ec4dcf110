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

// Connect is like nats.Connect, but returns early when ctx ends. A caller that wants to retry calls
// Connect again. The option nats.RetryOnFailedConnect is not used for this, because it hides errors
// about wrong certificates and credentials.
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
			conn.Close() // does nothing if conn is nil
		}
	}()
	select {
	case r := <-result:
		return r.conn, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Lasting returns the options of a connection to an external NATS server. NATS restores such a
// connection whenever it breaks. secret is USER:PASSWORD or a token of NATS. The connection shows
// it to the server, unless the URL of the server contains a user and a password.
func Lasting(secret string) []nats.Option {
	options := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1),                                        // without a connection, requests fail immediately, and their senders repeat them
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // detects that the server's machine is gone
	}
	if user, password, ok := strings.Cut(secret, ":"); ok {
		return append(options, nats.UserInfo(user, password))
	} else if secret != "" {
		return append(options, nats.Token(secret))
	}
	return options
}

// ConnectAs returns the options of a worker's connection to a server that is embedded in a hub: the
// worker shows a token and signs the server's nonce; see Joins.
func ConnectAs(name string, key Key, token string) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(Inbox(Identified(name, key.Public()))), nats.Token(token),
		nats.Nkey(key.Public(), func(nonce []byte) ([]byte, error) { return key.pair.Sign(joining(nonce)) }),
	}
}

// Joins reports whether signature is the signature, by the owner of a public key, of the nonce that
// a server sent to this owner.
func Joins(public string, nonce, signature []byte) bool {
	return Signed(public, joining(nonce), signature)
}

// joining returns the message that a worker signs to connect. The prefix ensures that this
// signature is never valid for another message of the worker, whatever nonce a malicious server
// sends.
func joining(nonce []byte) []byte { return append([]byte("join "), nonce...) }

// LogErrors returns an option that logs the errors of a connection, which NATS would otherwise
// print. They are logged at level debug: they come from broken connections, which are logged
// elsewhere.
func LogErrors(log *slog.Logger) nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Debug("connection error", "error", err) })
}

// Unanswered makes it clear that an error of a request means that no answer arrived in time. It
// returns other errors unchanged.
func Unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}

// MayPass reports whether waiting may help against an error of a connection, because the connection
// cannot be made at the moment or the server does not answer.
func MayPass(err error) bool {
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrStaleConnection)
}
