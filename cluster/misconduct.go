package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// maxInvalid is the number of messages that are no results after which their sender is cut off.
const maxInvalid = 16

// guestTime is the longest time that a connection may stay a guest's. A worker computes its proof
// of work in this time.
const guestTime = 5 * time.Minute

// noteInvalid counts an invalid message of the stream of results, and cuts its sender off when the
// count reaches maxInvalid. Each new result of the sender lowers the count by one; see noteValid.
// The sender's other messages are then removed unread, so that they do not delay the results of
// others. subject is the message's subject, which an embedded server lets only one worker use. The
// log has the sender's first invalid message, and the cut-off.
func (h *Hub) noteInvalid(subject, what string, args ...any) {
	h.mu.Lock()
	if len(h.invalid) >= maxWorkers {
		clear(h.invalid)
	}
	h.invalid[subject]++
	n := h.invalid[subject]
	if n >= maxInvalid {
		delete(h.invalid, subject)
	}
	h.mu.Unlock()
	switch {
	case n == 1:
		h.opt.Log.Warn(what, args...)
		return
	case n < maxInvalid:
		h.opt.Log.Debug(what, args...)
		return
	}
	worker, known := h.gatekeeper.nameOf(subject)
	if known {
		why := fmt.Sprintf("%d messages of this worker were no results: its computer makes mistakes, or its program is not ours", maxInvalid)
		h.opt.Log.Error("a worker sent garbage in place of results, and is cut off", "worker", worker, "messages", maxInvalid, "last", what)
		h.refuse(worker, why)
	}
	ctx, cancel := context.WithTimeout(h.ctx, requestTimeout)
	defer cancel()
	if err := h.resultStream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil { // they are dropped one by one
		h.opt.Log.Debug("garbage could not be removed", "error", err)
	}
}

// noteValid undoes one noteInvalid.
func (h *Hub) noteValid(subject string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.invalid[subject]--; h.invalid[subject] <= 0 {
		delete(h.invalid, subject)
	}
}

// nameOf returns the name of the worker that sends its results to a subject.
func (g *gatekeeper) nameOf(subject string) (worker string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for worker := range g.workers {
		if g.names.resultsSubject(worker) == subject {
			return worker, true
		}
	}
	return "", false
}

// makeRoom forgets the older half of the workers that have no connection, if there is no room for
// another one. A worker that was forgotten says hello when it connects again.
func (g *gatekeeper) makeRoom(s *server.Server) {
	g.mu.Lock()
	full := len(g.workers) >= maxWorkers
	g.mu.Unlock()
	if !full {
		return
	}
	connected := map[string]bool{}
	if s != nil {
		all, err := s.Connz(&server.ConnzOptions{Username: true, Limit: maxConnections})
		if err != nil {
			return // the next one is refused
		}
		for _, c := range all.Conns {
			connected[c.AuthorizedUser] = true
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	half := len(g.order) / 2
	kept := g.order[:0]
	for i, worker := range g.order {
		switch {
		case i >= half || connected[worker]:
			kept = append(kept, worker)
		default:
			delete(g.workers, worker)
		}
	}
	clear(g.order[len(kept):])
	g.order = kept
}

// closeGuests closes connections of guests that are older than guestTime, so that nobody takes all
// connections of the server without working.
func (h *Hub) closeGuests() error {
	if h.server == nil {
		return nil
	}
	all, err := h.server.Connz(&server.ConnzOptions{Username: true, Limit: maxConnections})
	if err != nil {
		return err
	}
	for _, c := range all.Conns {
		if c.AuthorizedUser == userGuest && time.Since(c.Start) > guestTime {
			err = errors.Join(err, h.server.DisconnectClientByID(c.Cid))
		}
	}
	return err
}
