package hub

import (
	"errors"
	"fmt"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go/micro"
)

// receivers is the number of goroutines that accept results. If two workers disagree about a task,
// one of the goroutines does the task itself, and the others accept more results meanwhile.
const receivers = 4

// onResult receives a worker's result or a piece of one. The hub confirms the arrival before it
// stores the result. If the result is lost after that, its task still has no result and is done
// again.
func (h *Hub) onResult(msg micro.Request) {
	var r wire.Result
	header := msg.Headers().Get(wire.ResultHeader)
	if len(header) > wire.MaxHeader || bounded.Unmarshal([]byte(header), &r) != nil || !isFrom(msg.Subject(), r.Worker) {
		h.drop(msg.Subject(), "result", errors.New("it is not a result of the worker that sent it"))
		return // the message was damaged on its way; the worker will send it again
	}
	s := h.stateFor(r.Worker)
	if s.CutOff != "" || s.Unknown { // the hub does nothing for a client that is not admitted
		h.guests.Give()
		h.respond(msg, wire.JSON(s))
		return
	}
	if err := r.Verify(msg.Data()); err != nil {
		h.drop(msg.Subject(), "result", err)
		return
	}
	s.Have = r.Size // unless the hub waits for more pieces
	for _, d := range h.openLots() {
		if d.id != r.Lot || !d.use() {
			continue
		}
		defer d.users.Done()
		content := msg.Data()
		if r.Size != 0 && d.leases.wasGiven(r.Number, r.Worker) {
			var err error
			if content, s.Have, err = d.addPiece(r, content); err != nil {
				h.roster.countRefused()
				h.noteInvalid(wire.Identity(r.Worker), "result", fmt.Errorf("task %d of the %s: %w", r.Number, d.title, err))
				return
			}
			if content == nil {
				break
			}
		}
		if given, again := d.leases.arrives(r.Number, r.Worker); !given {
			if !again {
				h.drop(msg.Subject(), "result", fmt.Errorf("the worker was not given task %d of the %s", r.Number, d.title))
			}
			break
		}
		h.respond(msg, wire.JSON(s))
		if err := d.accept(r, content); err != nil {
			h.roster.countRefused()
			h.noteInvalid(wire.Identity(r.Worker), "result", fmt.Errorf("task %d of the %s: %w", r.Number, d.title, err))
		}
		return
	}
	h.respond(msg, wire.JSON(s))
}

// accept checks and stores a worker's result. If the result cannot be correct, accept returns the
// reason as an error.
func (d *dispatch) accept(r wire.Result, content []byte) error {
	var has selfplay.Totals
	var err error
	switch {
	case len(content) > wire.MaxResult:
		err = fmt.Errorf("it has %d bytes, but a result has at most %d", len(content), wire.MaxResult)
	case r.Size != 0 && rundir.TextHash(content) != r.Hash:
		err = errors.New("the hash of its pieces is wrong")
	default:
		has, err = d.store.check(d.ctx, r.Number, content)
	}
	if d.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		d.leases.ends(r.Number, r.Worker, false, false)
		return err
	}
	isNew, err := d.audit.Submit(d.ctx, r.Worker, r.Number, content)
	if err != nil {
		d.cancel(err)
		return nil
	}
	claim := selfplay.Totals{Simulations: min(max(0, r.Simulations), maxClaim), Evaluations: min(max(0, r.Evaluations), maxClaim)}
	d.count(func(c *counts) { c.made.Add(claim) })
	d.finished(r.Number, r.Worker, isNew, has)
	if isNew {
		d.hub.roster.countResult(r.Worker, has.Games)
	}
	return nil
}

// maxInvalid is the number of invalid messages after which the hub refuses their sender.
const maxInvalid = 16

// drop is called when the hub ignores a result or a hello. It may count the message against its
// sender. subject is the subject of the message. The message may be unsigned or copied, so only its
// subject can prove who sent it, and only at an embedded server. At an external server the message
// counts against nobody.
func (h *Hub) drop(subject, kind string, why error) {
	if kind == "result" {
		h.roster.countRefused()
	}
	if h.server == nil {
		h.opt.Log.Debug("ignored an invalid "+kind, "subject", subject, "why", why)
		return
	}
	h.noteInvalid(wire.IdentityIn(subject), kind, why)
}

// noteInvalid counts an invalid message of the worker with the identity id. When the count reaches
// maxInvalid, the hub refuses the worker. Each new result of the worker lowers the count by one.
// The log shows the first invalid message and the refusal. For clients that are not admitted,
// watchConnections counts the messages.
func (h *Hub) noteInvalid(id, kind string, why error) {
	worker, n := h.roster.countInvalid(id)
	switch log := h.opt.Log; n {
	case 0:
		h.guests.Give()
	case 1:
		log.Warn("ignored an invalid "+kind, "worker", worker, "why", why)
	case maxInvalid:
		log.Error("banned a worker that sent too many invalid messages", "worker", worker, "messages", maxInvalid, "last", why)
		h.refuseFor(worker, fmt.Sprintf("%d of its messages were not valid results or hellos: the worker's computer makes mistakes, or its dojo was changed", maxInvalid))
	default:
		log.Debug("ignored an invalid "+kind, "worker", worker, "why", why)
	}
}
