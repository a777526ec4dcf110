package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"dojo.example/cluster/wire"
)

// connect connects to the server. It first assumes that the server is embedded in a hub. If that
// fails, it assumes an external server, which does not know the workers' keys.
func (w *worker) connect(ctx context.Context) (*nats.Conn, error) {
	common := append(wire.Encryption(w.opt.TLS, w.opt.Join, w.opt.Insecure), wire.LogErrors(w.opt.Log), nats.Timeout(w.opt.Times.Request))
	common = append(common, w.opt.Line...)
	// An embedded server exits with its hub, so the worker joins again instead of reconnecting.
	options := append(wire.ConnectAs(w.opt.Name, w.opt.Key, w.opt.Token), nats.NoReconnect())
	for w.embedded = !strings.Contains(w.opt.Join, ","); ; w.embedded = false {
		if !w.embedded {
			options = append(wire.Lasting(w.opt.Token), nats.Name(w.opt.Name), nats.CustomInboxPrefix(wire.Inbox(w.name)))
		}
		conn, err := wire.Connect(ctx, w.opt.Join, append(options, common...)...)
		if err == nil {
			return conn, nil
		}
		if !w.embedded || !errors.Is(err, nats.ErrNkeysNotSupported) && !errors.Is(err, nats.ErrAuthorization) {
			return nil, fmt.Errorf("%w: %w", errUnreachable, err)
		}
	}
}
