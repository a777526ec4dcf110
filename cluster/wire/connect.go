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

// Connect is like nats.Connect, but returns early when ctx ends. It tries once; a caller that wants
// to retry calls it again. Connect does not retry with the option nats.RetryOnFailedConnect,
// because that option hides errors about wrong certificates and credentials.
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
			conn.Close() // if conn is nil, this does nothing
		}
	}()
	select {
	case r := <-result:
		return r.conn, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Lasting returns the options of a connection to an external NATS server. Whenever the connection
// breaks, NATS restores it. secret is USER:PASSWORD or a NATS token. The connection shows it to the
// server, unless the server's URL contains a user and a password.
func Lasting(secret string) []nats.Option {
	options := []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1),                                        // while there is no connection, requests fail immediately, and their senders repeat them
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // detects that the server's machine has disappeared
	}
	if user, password, ok := strings.Cut(secret, ":"); ok {
		return append(options, nats.UserInfo(user, password))
	} else if secret != "" {
		return append(options, nats.Token(secret))
	}
	return options
}

// ConnectAs returns the options of a worker's connection to the embedded server of a hub. The
// worker shows a token, and signs a nonce that the server has sent; see Joins.
func ConnectAs(name string, key Key, token string) []nats.Option {
	return []nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(Inbox(Identified(name, key.Public()))), nats.Token(token),
		nats.Nkey(key.Public(), func(nonce []byte) ([]byte, error) { return key.pair.Sign(joining(nonce)) }),
	}
}

// Joins reports whether the signature that a worker shows when it connects is valid. The owner of
// the public key must have signed the nonce that the server has sent to this worker.
func Joins(public string, nonce, signature []byte) bool {
	return Signed(public, joining(nonce), signature)
}

// joining returns the text that a worker signs to connect: a prefix and the server's nonce. Because
// of the prefix, this signature is not valid for any other message of the worker, whatever nonce a
// malicious server sends.
func joining(nonce []byte) []byte { return append([]byte("join "), nonce...) }

// LogErrors returns an option that logs the errors of a connection instead of letting NATS print
// them. The log level is debug, because these errors come from broken connections, which are logged
// elsewhere.
func LogErrors(log *slog.Logger) nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Debug("connection error", "error", err) })
}

// Unanswered improves the error of a request: if no answer arrived in time, it returns an error
// that says so. It returns other errors unchanged.
func Unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}

// MayPass reports whether a connection error may be temporary, for example because nobody can
// connect at the moment or the server does not answer.
func MayPass(err error) bool {
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrStaleConnection)
}
