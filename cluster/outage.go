package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

var (
	// requestTimeout is how long a request waits for the server's answer before it is made
	// again.
	requestTimeout = 5 * time.Second

	// outagePatience is how long a server may leave a request without an answer. It is long
	// enough for a restart of its machine or a failover, and short enough that somebody hears
	// of a server that is gone for good on the same day.
	outagePatience = 10 * time.Minute
)

// Pauses between two attempts of a request, and between two lines about it in the log.
const (
	firstPause   = 50 * time.Millisecond // doubled after each attempt
	longestPause = 2 * time.Second
	tellInterval = time.Minute
)

// A link makes requests of a NATS server, and waits for the server while it does not answer:
// while it is restarted, for example. Its methods may be called by several goroutines at a
// time.
type link struct {
	address string // of the server, without user and password
	log     *slog.Logger

	patience time.Duration // how long requests wait for an answer; 0 means outagePatience

	// lost returns why the server will never answer again, or nil. It may be nil.
	lost func() error

	mu    sync.Mutex
	since time.Time     // when the first request that has no answer was made; zero if all have one; guarded by mu
	until time.Time     // when it answered again after the last outage; guarded by mu
	told  time.Time     // when the log was last told of an outage; guarded by mu
	back  chan struct{} // closed when a connection is there again; nil if nobody waits for that; guarded by mu
}

// ask calls request, which makes a request of the server, until the server answers. It gives up
// after the link's patience, or when ctx ends; if ctx was cancelled, the error is the cause of
// that. what completes "ask the server at ADDRESS …" in errors, e.g. "to store a model". The
// context of request has no deadline, so that requestTimeout limits each attempt.
func (l *link) ask(ctx context.Context, what string, request func(ctx context.Context) error) error {
	attempts, cancel := withoutDeadline(ctx)
	defer cancel()
	begun := time.Now()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := request(attempts)
		switch {
		case err == nil:
			l.noteAnswer()
			return nil
		case errors.Is(ctx.Err(), context.Canceled):
			return context.Cause(ctx)
		case ctx.Err() != nil || !isUnanswered(err):
			return l.failed(what, err)
		case l.lost != nil && l.lost() != nil:
			return l.failed(what, l.lost())
		case time.Since(begun) > l.limit():
			return fmt.Errorf("%w (waited for %v)", l.failed(what, err), l.limit())
		}
		l.noteSilence(begun, what, err)
		if l.wait(ctx, pause) {
			pause = firstPause
		}
	}
}

// limit is how long a request waits for an answer.
func (l *link) limit() time.Duration { return cmp.Or(l.patience, outagePatience) }

// wait waits for a time, or until ctx ends, or until the connection is there again, and then
// returns true.
func (l *link) wait(ctx context.Context, d time.Duration) bool {
	l.mu.Lock()
	if l.back == nil {
		l.back = make(chan struct{})
	}
	back := l.back
	l.mu.Unlock()
	select {
	case <-back:
		return true
	case <-ctx.Done():
	case <-time.After(d):
	}
	return false
}

// reconnected makes requests that wait for the server again at once.
func (l *link) reconnected() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.back != nil {
		close(l.back)
		l.back = nil
	}
}

// failed says in the error of a request which server was asked what.
func (l *link) failed(what string, err error) error {
	if why, ok := tlsProblem(err); ok {
		return fmt.Errorf("ask the server at %s %s: %s", l.address, what, why)
	}
	return fmt.Errorf("ask the server at %s %s: %w", l.address, what, unanswered(err))
}

// noteSilence notes that a request has no answer since begun. It tells the log when an outage
// begins, and then once every tellInterval.
func (l *link) noteSilence(begun time.Time, what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() || begun.Before(l.since) {
		l.since = begun
	}
	interval := tellInterval
	if l.told.Before(l.since) { // of this outage it does not know yet
		interval = longestPause
	}
	if time.Since(l.told) < interval {
		return
	}
	l.told = time.Now()
	l.log.Warn("the NATS server does not answer; waiting for it", "server", l.address, "for", time.Since(l.since).Round(time.Second), "at_most", l.limit(), "asked", what, "error", unanswered(err))
}

// noteAnswer notes that the server has answered.
func (l *link) noteAnswer() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		return
	}
	if l.told.After(l.since) {
		l.log.Info("the NATS server answers again", "server", l.address, "after", time.Since(l.since).Round(time.Second))
	}
	l.since, l.until = time.Time{}, time.Now()
}

// isDown reports whether some request has no answer yet.
func (l *link) isDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.since.IsZero()
}

// lastAnswer returns the time of the last answer, which is now unless a request waits for one.
func (l *link) lastAnswer() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.since.IsZero() {
		return l.since
	}
	return time.Now()
}

// wasDown reports whether an outage ended no longer than d ago.
func (l *link) wasDown(d time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.until.IsZero() && time.Since(l.until) < d
}

// isUnanswered reports whether an error of a request says that the server cannot be reached, or
// does not answer, or not yet.
func isUnanswered(err error) bool {
	if _, distrusted := tlsProblem(err); distrusted || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
		return false
	}
	for _, e := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoServers, nats.ErrDisconnected, nats.ErrStaleConnection,
		nats.ErrReconnectBufExceeded, // requests are not kept while there is no connection
		jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil && api.APIError().Code == 503 { // unavailable, e.g. because there is no leader
		return true
	}
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var network net.Error
	return errors.As(err, &network) || isMissing(err)
}

// isMissing reports whether an error of a request says, or may say, that the server does not
// have what the hub has made there. A server that keeps its streams in memory loses them when
// it is restarted.
func isMissing(err error) bool {
	for _, e := range []error{
		jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted,
		jetstream.ErrNoStreamResponse, nats.ErrNoResponders,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// withoutDeadline returns a context that ends when ctx is cancelled or its deadline has passed,
// but has no deadline itself: NATS waits for an answer until the deadline of a context that has
// one, however late that is.
func withoutDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	c, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	return c, func() { stop(); cancel() }
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// connect calls dial, which connects to a server, and waits for it no longer than until ctx ends.
func connect(ctx context.Context, dial func() (*nats.Conn, error)) (*nats.Conn, error) {
	type dialled struct {
		conn *nats.Conn
		err  error
	}
	result := make(chan dialled, 1)
	go func() {
		conn, err := dial()
		result <- dialled{conn, err}
	}()
	select {
	case r := <-result:
		return r.conn, r.err
	case <-ctx.Done():
		go func() {
			if r := <-result; r.conn != nil {
				r.conn.Close()
			}
		}()
		return nil, context.Cause(ctx)
	}
}
