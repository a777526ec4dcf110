package hub

import (
	"slices"
	"strings"

	"dojo.example/cluster/wire"
	"dojo.example/data/audit"
	"dojo.example/internal/bounded"

	"github.com/nats-io/nats.go/micro"
)

// next hands out a task as an answer to the request q. q.Worker is the name of a worker, or
// audit.Trainer. The task belongs to the lot (the batch of tasks) whose id is q.Lot, or to any lot
// if q.Lot is "". ok is false if there is no task.
//
// If others work on all remaining tasks, next hands out a copy of one of them, because the hub
// cannot know whether its holder is slow, malicious or about to deliver. Only the first result of a
// task counts. With q.Fresh there are no copies, because the worker is more useful to another run.
func (h *Hub) next(q wire.Request) (d *dispatch, number int, ok bool) {
	who, lot := q.Worker, q.Lot
	h.assigning.Lock()
	defer h.assigning.Unlock()
	all := h.openLots()
	elsewhere := false // another lot has a task that nobody works on
	for _, d := range all {
		if number, ok = d.free(who); ok && (lot == "" || lot == d.id) {
			d.leases.give(number, who, false)
			return d, number, true
		}
		elsewhere = elsewhere || ok
	}
	if q.Fresh {
		return nil, 0, false
	}
	for _, d := range all {
		if number, ok = d.taken(who); ok && !elsewhere && (lot == "" || lot == d.id) {
			d.leases.give(number, who, true)
			return d, number, true
		}
	}
	return nil, 0, false
}

// free returns a task for a worker or, if who is audit.Trainer, for the trainer. It prefers a task
// whose result the audit (the verification of results) wants this worker to recompute. Otherwise it
// returns the first task without a result on which nobody works.
func (d *dispatch) free(who string) (number int, ok bool) {
	if number, ok = d.audit.Asks(who, func(n int) bool { return d.leases.holds(n, who) }); ok {
		return number, true
	}
	return d.leases.free(who, d.missing())
}

// taken returns a task on which others already work, for a worker or, if who is audit.Trainer, for
// the trainer. If there is none, the trainer gets a task that the audit (the verification of
// results) has asked a worker to recompute.
func (d *dispatch) taken(who string) (number int, ok bool) {
	if d.leases.busy(who) {
		return 0, false
	}
	if number, ok = d.leases.oldest(who, d.missing()); !ok && who == audit.Trainer {
		return d.audit.Asks(audit.Anybody, func(n int) bool { return d.leases.holds(n, who) })
	}
	return number, ok
}

// missing lists the tasks that have no result yet. If the store of results cannot list them, the
// work of the dispatch ends.
func (d *dispatch) missing() []int {
	all, err := d.store.missing()
	if err != nil {
		d.cancel(err)
	}
	return all
}

// free returns the number of tasks in progress that have no result and that neither the trainer nor
// a present worker holds.
func (h *Hub) free() (count int) {
	for _, d := range h.openLots() {
		for _, n := range d.missing() {
			if _, ok := d.leases.free("", []int{n}); ok {
				count++
			}
		}
	}
	return count
}

// held returns the number of tasks that each worker holds.
func (h *Hub) held() map[string]int {
	all := map[string]int{}
	for _, d := range h.openLots() {
		d.leases.count(all)
	}
	return all
}

// onNext answers a worker's request for a task.
func (h *Hub) onNext(r micro.Request) {
	q, ok := h.request(r)
	if !ok {
		return
	}
	a := wire.Answer{State: h.stateFor(q.Worker)}
	if a.State == (wire.State{}) {
		h.roster.update(q.Worker, func(*member) {}) // records that the worker is present
		for _, d := range h.openLots() {
			if d.id == q.Lot {
				d.leases.keep(q.Worker, q.Held)
			} else {
				d.leases.keep(q.Worker, nil)
			}
		}
		if d, n, ok := h.next(q); ok {
			a.Task = wire.Task{Lot: d.lot, Number: n}.Encode()
		}
	}
	h.respond(r, wire.JSON(a))
}

// onModel answers a worker's request for a piece of a file, such as a model. If no task in progress
// needs the file, the answer is empty.
func (h *Hub) onModel(r micro.Request) {
	q, ok := h.request(r)
	if !ok {
		return
	}
	var piece []byte
	for _, d := range h.openLots() {
		if i := slices.Index(d.lot.Files[:], q.File); i >= 0 && q.File != "" {
			from := min(max(0, q.Piece)*wire.PieceSize, len(d.files[i]))
			piece = d.files[i][from:min(from+wire.PieceSize, len(d.files[i]))]
			break
		}
	}
	h.respond(r, piece)
}

// request decodes a worker's request. ok is false if the message is not a valid request.
func (h *Hub) request(r micro.Request) (q wire.Request, ok bool) {
	return q, len(r.Data()) <= wire.MaxMessage && bounded.Unmarshal(r.Data(), &q) == nil && isFrom(r.Subject(), q.Worker) && q.Piece < 1<<20
}

// isFrom reports whether a subject belongs to the worker with the given name.
func isFrom(subject, worker string) bool { return wire.IdentityIn(subject) == wire.Identity(worker) }

// respond answers a worker's request. A request names the subject for its answer. respond sends the
// answer only if that subject is an inbox. Otherwise a worker could make the hub send messages to
// the subjects of another worker or of the hub.
func (h *Hub) respond(r micro.Request, data []byte) {
	if !strings.HasPrefix(r.Reply(), wire.Inboxes) {
		return
	}
	if err := h.conn.Publish(r.Reply(), data); err != nil { // if this fails, the worker will repeat its request
		h.opt.Log.Debug("could not answer a worker", "subject", r.Subject(), "error", err)
	}
}

// stateFor returns the State that a worker must know before it gets a task.
func (h *Hub) stateFor(worker string) wire.State {
	switch why := h.isRefused(worker); {
	case why != "":
		return wire.State{CutOff: worker, Why: why}
	case h.complete.Load():
		return wire.State{Complete: true}
	}
	return wire.State{Unknown: !h.roster.knows(worker)}
}

// openLots lists the lots (batches of tasks) in progress.
func (h *Hub) openLots() []*dispatch {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.open)
}
