package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"dojo.example/internal/bounded"
)

// connect connects to the server, as one that is embedded in a hub, or else as another one, which knows
// no workers' keys.
func (w *worker) connect(ctx context.Context) (*nats.Conn, error) {
	common := []nats.Option{tellOf(w.opt.Log), nats.SetCustomDialer(dialer{ctx, w.dial}), nats.Timeout(w.opt.times.request)}
	if encryption := requireTLS(w.opt.TLS, w.opt.Join, w.opt.Insecure); encryption != nil {
		common = append(common, nats.Secure(encryption))
	}
	options := append(connectAs(w.opt.Name, w.opt.Key, w.opt.Token), nats.NoReconnect()) // the hub ends with its server
	for w.embedded = !strings.Contains(w.opt.Join, ","); ; w.embedded = false {
		if !w.embedded {
			options = append(lastingConnection(), nats.Name(w.opt.Name), nats.CustomInboxPrefix(inbox(w.name)))
			if w.opt.Token != "" {
				options = append(options, credentials(w.opt.Token))
			}
		}
		conn, err := connect(ctx, func() (*nats.Conn, error) { return nats.Connect(w.opt.Join, append(options, common...)...) })
		if err == nil {
			return conn, nil
		}
		if !w.embedded || !errors.Is(err, nats.ErrNkeysNotSupported) && !errors.Is(err, nats.ErrAuthorization) {
			return nil, fmt.Errorf("%w: %w", errUnreachable, err)
		}
	}
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

// requestAdmission asks which run there is, computes the proof for its configuration, and says hello with
// it. The error is ErrRefused if the hub does not let the worker in.
func (w *worker) requestAdmission(ctx context.Context, conn *nats.Conn) (entry welcome, err error) {
	entry, err = w.sendHello(ctx, conn, questionSubject(identity(w.name)), newHello(w.opt.Name, "", w.opt.Key))
	if err != nil || entry.Complete {
		return entry, err
	}
	proof, err := Proof(ctx, entry.Config)
	if err != nil {
		return entry, errors.Join(ErrRefused, fmt.Errorf("this program cannot play the run: %w", err))
	}
	if entry, err = w.sendHello(ctx, conn, names{entry.Run}.subject(kindHello, identity(w.name)), newHello(w.opt.Name, proof, w.opt.Key)); err == nil && !entry.Admitted && !entry.Complete {
		err = ErrRefused
	}
	return entry, err
}

// sendHello says hello on a subject and returns the hub's answer.
func (w *worker) sendHello(ctx context.Context, conn *nats.Conn, subject string, h hello) (entry welcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*w.opt.times.request)
	defer cancel()
	msg, err := conn.RequestWithContext(ctx, subject, mustJSON(h))
	if err != nil {
		return entry, fmt.Errorf("say hello: %w", unanswered(err))
	}
	if err := bounded.Unmarshal(msg.Data, &entry); err != nil {
		return entry, fmt.Errorf("the answer to hello cannot be read: %w", err)
	}
	if entry.Error != "" {
		return entry, fmt.Errorf("%w: %s", ErrRefused, entry.Error)
	}
	return entry, nil
}

// lastingConnection are the options of a connection to a server that is not embedded, which is
// made again whenever it breaks.
func lastingConnection() []nats.Option {
	return []nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(500 * time.Millisecond),
		nats.ReconnectBufSize(-1),                                        // without a connection requests fail at once, and are made again
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2), // to notice that the server's machine is gone
	}
}

// times is how long things may take.
type times struct {
	request time.Duration // until a request is answered, or made again
	outage  time.Duration // until a NATS server is there that somebody cannot go on without, after a failover for example
	gone    time.Duration // until a hub with HubOptions.Once that does not answer is taken to be gone for good
}

// usual are the times where tests give no others.
var usual = times{request: 5 * time.Second, outage: 10 * time.Minute, gone: 15 * time.Second}

// Pauses between attempts to reach a hub or a server.
const (
	firstRetry   = time.Second
	longestRetry = 15 * time.Second
)

// A backoff makes the pauses between attempts longer and longer, so that many workers that wait
// for a hub for days are no load.
type backoff struct {
	pause time.Duration // before the last attempt; zero before the first
}

// next returns the pause before the next attempt: a second, then twice the one before, and at
// most longestRetry. Each is a random part of up to a quarter shorter, so that workers that lost
// the hub at the same time do not all come back at the same time.
func (b *backoff) next() time.Duration {
	b.pause = min(max(2*b.pause, firstRetry), longestRetry)
	return b.pause - rand.N(b.pause/4)
}

// wait waits for the next pause, but no longer than limit, or until ctx ends.
func (b *backoff) wait(ctx context.Context, limit time.Duration) { sleep(ctx, min(b.next(), limit)) }

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// unanswered says in plain words that an error of a request is that its answer did not come in
// time. Other errors stay as they are.
func unanswered(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return fmt.Errorf("no answer in time: %w", err)
	}
	return err
}

// mayPass reports whether waiting may help against an error of a connection: it cannot be made, or
// the server does not answer.
func mayPass(err error) bool {
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) {
		return !dns.IsNotFound
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrStaleConnection)
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
