package cluster

import (
	"errors"
	"fmt"
	"time"

	"dojo.example/internal/bounded"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// receivers is the number of goroutines that accept results: while one of them plays what two
// workers disagree about, the others go on.
const receivers = 4

// onResult takes a worker's result. The worker hears at once that the result has come: if it is
// lost after that, its task is still missing and is done again.
func (h *Hub) onResult(msg *nats.Msg) {
	var r result
	header := msg.Header.Get(resultHeader)
	err := errors.New("it is no result")
	if len(header) <= maxMessage && bounded.Unmarshal([]byte(header), &r) == nil {
		err = r.verify(msg.Data)
	}
	if err == nil && !isFrom(msg, r.Worker) {
		err = errors.New("it was sent in the name of another worker")
	}
	if err != nil {
		h.noteInvalid(idOf(msg), err)
		return // damaged on its way, it comes again
	}
	s := h.stateFor(r.Worker)
	for _, d := range h.openLots() {
		if s.CutOff != "" || d.id != r.Lot || !d.use() {
			continue
		}
		defer d.users.Done()
		if given, again := d.arrives(r.Number, r.Worker); !given {
			if !again {
				h.noteInvalid(idOf(msg), fmt.Errorf("task %d of the %s was not given to it", r.Number, d.title))
			}
			break
		}
		h.respond(msg, mustJSON(s))
		if err := d.accept(r, msg.Data); err != nil {
			h.noteInvalid(idOf(msg), fmt.Errorf("task %d of the %s: %w", r.Number, d.title, err))
		}
		return
	}
	h.respond(msg, mustJSON(s))
}

// accept checks and stores a worker's result. The error says why it cannot be right.
func (d *dispatch) accept(r result, content []byte) error {
	err := fmt.Errorf("it has %d bytes, more than %d", len(content), maxResult)
	if len(content) <= maxResult {
		err = d.store.check(d.ctx, r.Number, content)
	}
	if d.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		d.returned(r.Number, r.Worker, false)
		return err
	}
	isNew, err := d.audit.submit(d.ctx, r.Worker, r.Number, content)
	d.returned(r.Number, r.Worker, isNew)
	if isNew && err == nil {
		d.add(r.Totals)
		d.hub.roster.countResult(r)
	}
	if err != nil {
		d.cancel(err)
	}
	d.news.give()
	return nil
}

// maxInvalid is the number of invalid results after which their sender is cut off.
const maxInvalid = 16

// noteInvalid counts an invalid result of the worker with an identity, and cuts the worker off
// when the count reaches maxInvalid. Each new result of the worker lowers the count by one. The log
// has the first invalid result, and the cut-off.
func (h *Hub) noteInvalid(id string, why error) {
	worker, n := h.roster.countInvalid(id)
	switch log := h.opt.Log; {
	case n == 1:
		log.Warn("a result was dropped", "worker", worker, "why", why)
	case n != maxInvalid:
		log.Debug("a result was dropped", "worker", worker, "why", why)
	default:
		log.Error("a worker sent garbage in place of results, and is cut off", "worker", worker, "messages", maxInvalid, "last", why)
		h.refuse(worker, fmt.Sprintf("%d messages of this worker were no results: its computer makes mistakes, or its program is not ours", maxInvalid))
	}
}

// guestTime is the longest time that a connection may last whose worker has not been let in. It
// computes its proof in this time.
const guestTime = 5 * time.Minute

// closeGuests closes connections that are older than guestTime and not of workers that were let in, so
// that nobody takes all connections of the server without working.
func (h *Hub) closeGuests() error {
	if h.server == nil {
		return nil
	}
	return disconnect(h.server, func(worker string, c *server.ConnInfo) bool {
		return time.Since(c.Start) > guestTime && !h.roster.knows(worker)
	})
}
