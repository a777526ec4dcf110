package hub

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"dojo.example/cluster/wire"
	"dojo.example/internal/timing"
)

// A gatekeeper authenticates connections to an embedded server. To connect, a worker must present
// the token and sign, with its own key, the nonce that the server has just sent. This proves which
// worker sends a message, and ensures that no other worker can read the answer.
type gatekeeper struct {
	token string // the token that a worker must show; "" for none
	hub   string // the password of the hub's own connection
	names wire.Names

	isRefused func(worker string) (why string) // see Hub.isRefused
}

var _ server.Authentication = (*gatekeeper)(nil)

// userHub is the user name with which the hub connects to its embedded server.
const userHub = "hub"

// Check decides whether to allow a connection; see server.Authentication. A refused worker may
// still say hello, so that the answer can tell it the reason.
func (g *gatekeeper) Check(c server.ClientAuthentication) bool {
	opt := c.GetOpts()
	if opt.Username == userHub {
		return same(opt.Password, g.hub)
	}
	signature, err := base64.RawURLEncoding.DecodeString(opt.Sig)
	if err != nil || !same(opt.Token, g.token) || !wire.Joins(opt.Nkey, c.GetNonce(), signature) {
		return false
	}
	worker := wire.Identified(opt.Name, opt.Nkey)
	id := wire.Identity(worker)
	send := []string{g.names.Subject(wire.KindQuestion, id), g.names.Subject(wire.KindHello, id)}
	hear := []string{wire.Inbox(worker) + ".>"}
	if g.isRefused(worker) == "" {
		send, hear = append(send, g.names.Subject("*", id)), append(hear, g.names.State())
	}
	c.RegisterUser(&server.User{Permissions: &server.Permissions{
		Publish: &server.SubjectPermission{Allow: send}, Subscribe: &server.SubjectPermission{Allow: hear},
	}})
	return true
}

// These limits apply to each connection.
const (
	// Limits for a worker that the hub has not admitted yet. Such a worker sends only a question
	// and a hello, and computes its proof in between.
	guestTime     = 5 * time.Minute
	guestMessages = 16
	guestBytes    = 1 << 16

	// An admitted worker stays far below this limit: it sends about two messages for each task.
	messageRate = 10_000 // messages per second
)

// watchConnections closes connections that exceed their limits, until ctx ends. The server counts
// all messages of a connection, whatever their content or destination. If an admitted worker
// exceeds its limit, the hub refuses it from then on.
func (h *Hub) watchConnections(ctx context.Context) {
	const pause = 20 * time.Millisecond // the time between two checks of all connections
	tick := time.NewTicker(wire.HeartbeatInterval)
	defer tick.Stop()
	before, at := map[uint64]int64{}, time.Now() // the number of messages of each connection, and when they were counted
	for ctx.Err() == nil {
		due := false
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			due = true
		case <-h.guests:
		}
		now, took := map[uint64]int64{}, time.Since(at).Seconds()
		err := disconnect(h.server, func(worker string, c *server.ConnInfo) bool {
			now[c.Cid] = c.InMsgs
			if h.roster.knows(worker) {
				if n, ok := before[c.Cid]; due && ok && float64(c.InMsgs-n) > messageRate*took {
					h.opt.Log.Error("banned a worker that flooded the trainer with messages", "worker", worker)
					h.refuseFor(worker, fmt.Sprintf("it sent more than %d messages a second, which an unchanged dojo never does", messageRate))
				}
				return false
			}
			sends := c.InMsgs > guestMessages || c.InBytes > guestBytes
			if sends {
				h.opt.Log.Warn("closed a connection that sent too much before it was admitted", "worker", worker, "messages", c.InMsgs, "bytes", c.InBytes)
			}
			return sends || time.Since(c.Start) > guestTime
		})
		if err != nil {
			h.opt.Log.Debug("a connection was already closed", "error", err)
		}
		if due {
			before, at = now, time.Now()
		}
		timing.Sleep(ctx, pause)
	}
}

// same reports whether two secrets are equal. The time that it takes does not depend on where they
// differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// disconnect closes those connections of workers to an embedded server for which the function
// closes returns true.
func disconnect(s *server.Server, closes func(worker string, c *server.ConnInfo) bool) error {
	all, err := s.Connz(&server.ConnzOptions{Username: true, Limit: maxConnections})
	if err != nil {
		return err
	}
	for _, c := range all.Conns {
		if c.AuthorizedUser != userHub && closes(wire.Identified(c.Name, c.AuthorizedUser), c) {
			err = errors.Join(err, s.DisconnectClientByID(c.Cid))
		}
	}
	return err
}
