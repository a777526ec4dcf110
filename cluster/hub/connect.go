package hub

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/internal/natsclient"
	"dojo.example/internal/timing"

	"github.com/nats-io/nats.go"
)

// connect starts the embedded server and connects to it, or connects to the external server.
func (h *Hub) connect(ctx context.Context) (err error) {
	if h.opt.URL != "" {
		return h.connectURL(ctx)
	}
	keeper := &gatekeeper{h.opt.Token, rand.Text(), h.names, h.isRefused}
	if h.server, err = startServer(h.opt, keeper); err != nil {
		return err
	}
	h.conn, err = nats.Connect("", nats.InProcessServer(h.server), nats.UserInfo(userHub, keeper.hub), natsclient.LogErrors(h.opt.Log), nats.Name("dojo trainer"))
	if err == nil && !h.opt.unheard {
		err = listen(h.server, h.opt.Listen)
	}
	return err
}

// connectURL connects to the server at opt.URL.
func (h *Hub) connectURL(ctx context.Context) error {
	log := h.opt.Log
	need := max(wire.LeastPayload, 2*len(wire.JSON(h.welcome()))) // a task contains the configuration too, with more quoting
	options, err := natsclient.Lasting(natsclient.Login{Secret: h.opt.Token, Creds: h.opt.Creds, NKey: h.opt.NKey})
	if err != nil {
		return err
	}
	options = append(options, natsclient.LogErrors(log), nats.Name("dojo trainer"), nats.IgnoreAuthErrorAbort(),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if !c.IsClosed() {
				log.Warn("lost the connection to the NATS server and the workers; going on without them and reconnecting", "server", h.Address(), "error", err)
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			log.Info("the connection to the NATS server is back", "server", h.Address())
			if err := natsclient.CheckPayload(c, need); err != nil {
				log.Error("workers cannot help", "error", err)
			}
		}))
	options = append(options, wire.Encryption(h.opt.TLS, h.opt.URL, h.opt.Insecure)...)
	begun := time.Now()
	for n := 1; ; n++ {
		conn, err := natsclient.Connect(ctx, h.opt.URL, options...)
		if h.conn = conn; err == nil {
			return natsclient.CheckPayload(conn, need)
		}
		if ctx.Err() != nil {
			return err
		}
		if why, ok := wire.TLSProblem(err); ok {
			return fmt.Errorf("connect to the NATS server at %s: %s", h.Address(), why)
		}
		if time.Since(begun) > h.opt.Times.Outage || !natsclient.MayPass(err) {
			return fmt.Errorf("connect to the NATS server at %s: %w", h.Address(), err)
		}
		log.Warn("the NATS server does not answer; trying again", "server", h.Address(), "at_most", h.opt.Times.Outage, "error", err)
		timing.Sleep(ctx, min(timing.Pause(n), h.opt.Times.Outage))
	}
}
