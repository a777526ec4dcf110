// Package natsclient connects to NATS servers that somebody else runs. It supports the logins that
// such servers use, and its errors say what is wrong with a server or a login.
package natsclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Connect is like nats.Connect, but returns early when ctx ends. It tries once; a caller that wants
// to retry calls it again. Connect does not retry with the option nats.RetryOnFailedConnect,
// because that option hides errors about wrong certificates and credentials. If there are several
// servers, separated by commas, the error names each of them.
func Connect(ctx context.Context, servers string, options ...nats.Option) (*nats.Conn, error) {
	type dialled struct {
		conn *nats.Conn
		err  error
	}
	result := make(chan dialled)
	go func() {
		conn, err := nats.Connect(servers, options...)
		if err != nil && strings.Contains(servers, ",") {
			err = cmp.Or(connectEach(servers, options), err)
		}
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

// connectEach returns the errors of connecting to each server in a list. nats.Connect returns the
// error of only one server, and does not name it.
func connectEach(servers string, options []nats.Option) (all error) {
	for s := range strings.SplitSeq(servers, ",") {
		conn, err := nats.Connect(s, options...)
		switch {
		case err == nil:
			conn.Close()
		case all == nil:
			all = fmt.Errorf("%s: %w", host(s), err)
		default:
			all = fmt.Errorf("%w; %s: %w", all, host(s), err)
		}
	}
	return all
}

// host returns the address of a server without scheme, user and password.
func host(server string) string {
	_, rest, _ := strings.Cut(server, "://")
	rest = cmp.Or(rest, server)
	return rest[strings.LastIndex(rest, "@")+1:]
}

// Lasting returns the options of a connection to an external NATS server. Whenever the connection
// breaks, NATS restores it. The error says which file of the login cannot be used.
func Lasting(login Login) ([]nats.Option, error) {
	options, err := login.options()
	return append(options,
		nats.MaxReconnects(-1), nats.ReconnectWait(500*time.Millisecond),
		nats.ReconnectBufSize(-1),                                           // while there is no connection, requests fail immediately, and their senders repeat them
		nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(2)), err // detects that the server's machine has disappeared
}

// ErrPayload is the error of CheckPayload.
var ErrPayload = errors.New("max_payload is too small")

// CheckPayload returns an error if the server of a connection does not allow messages of the given
// size, in bytes.
func CheckPayload(conn *nats.Conn, need int) error {
	if allows := conn.MaxPayload(); allows < int64(need) {
		return fmt.Errorf("%w: the NATS server %s allows only %d bytes in a message, but dojo needs %d: raise max_payload in its configuration", ErrPayload, host(conn.ConnectedUrl()), allows, need)
	}
	return nil
}

// LogErrors returns an option that logs the errors of a connection instead of letting NATS print
// them. Most of these errors come from broken connections, which are logged elsewhere, so their
// level is debug. If the server forbids a subject, the log says so once.
func LogErrors(log *slog.Logger) nats.Option {
	var told sync.Map // the forbidden subjects in the log
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrAuthorization) {
			log.Warn("the NATS server no longer accepts the login", "error", err)
			return
		}
		if subject, ok := forbidden(err); ok {
			if _, again := told.LoadOrStore(subject, true); !again {
				log.Error("the NATS server forbids a subject that dojo needs", "subject", subject, "permit", "dojo.> and _INBOX.>", "error", err)
				return
			}
		}
		log.Debug("connection error", "error", err)
	})
}

// violation matches the text with which a server says that it forbids a subject.
var violation = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// forbidden returns the subject that a server does not permit. ok is false if err is another error,
// or if dojo does not need the subject: only NATS tools use the subjects that begin with $SRV.
func forbidden(err error) (subject string, ok bool) {
	m := violation.FindStringSubmatch(err.Error())
	if m == nil || strings.HasPrefix(m[2], "$SRV.") {
		return "", false
	}
	if strings.HasPrefix(m[2], "_INBOX.") { // each answer has another subject
		return "_INBOX.>", true
	}
	return m[2], true
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
