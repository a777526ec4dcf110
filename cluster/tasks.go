package cluster

import (
	"slices"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/run"

	"github.com/nats-io/nats.go"
)

// A hold is a task in the hands of a worker, or of run.Trainer.
type hold struct {
	since time.Time // when it was given
	held  bool      // it works on it; if not, it did, and its result is taken all the same
	sent  bool      // its result has come and is not stored yet
	stray bool      // its result has come although it was never given the task
}

// overdueAfter is the time without a result after which the trainer takes tasks back: at least
// times.hold, or a third of it once that has happened, and several times what the slowest task has
// taken in this process.
func (h *Hub) overdueAfter() time.Duration {
	least := h.opt.times.hold
	if h.tookBack.Load() {
		least /= 3
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(least, 4*h.slowest)
}

// next gives a worker, or run.Trainer, a task: one that it is to do again, or the first that is
// missing and that nobody holds. If workers hold all that are missing and no result has come for
// some time, the trainer and other workers get those too, the last one first, because those who
// hold them may be hostile. A result that comes twice counts once. Without a task ok is false.
func (d *dispatch) next(who string) (number int, ok bool) {
	missing, err := d.store.missing()
	if err != nil {
		d.cancel(err)
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := func(n int) bool { return d.holds[n][who].held }
	if number, ok = d.audit.asks(who, mine); ok {
		return d.give(number, who), true
	}
	free := func(n int) bool { return !d.isHeld(n) && !mine(n) }
	if i := slices.IndexFunc(missing, free); i >= 0 {
		return d.give(missing[i], who), true
	}
	if len(missing) == 0 || time.Since(d.lastNews) < d.hub.overdueAfter() {
		return 0, false
	}
	for _, n := range slices.Backward(missing) {
		if d.holds[n][run.Trainer].held || mine(n) {
			continue
		}
		if d.hub.tookBack.Store(true); !d.isOverdue {
			d.isOverdue = true
			d.hub.opt.Log.Warn("no result has come, and workers hold all tasks that are left: they are given to others", "lot", d.title,
				"for", time.Since(d.lastNews).Round(time.Second), "tasks", len(missing))
		}
		return d.give(n, who), true
	}
	return 0, false
}

// give notes that a worker has a task. The caller holds d.mu.
func (d *dispatch) give(number int, who string) int {
	d.note(number, who, hold{since: time.Now(), held: true})
	return number
}

// note sets what is known of a task and a worker. The caller holds d.mu.
func (d *dispatch) note(number int, who string, h hold) {
	if d.holds[number] == nil {
		d.holds[number] = map[string]hold{}
	}
	d.holds[number][who] = h
}

// isHeld reports whether somebody who is present works on a task. The caller holds d.mu.
func (d *dispatch) isHeld(number int) bool {
	for who, h := range d.holds[number] {
		if h.held && (who == run.Trainer || d.hub.roster.works(who)) {
			return true
		}
	}
	return false
}

// keep notes that a worker works on some of its tasks and on no others.
func (d *dispatch) keep(who string, numbers []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, all := range d.holds {
		if h := all[who]; h.held && !h.sent && !slices.Contains(numbers, n) {
			h.held = false
			all[who] = h
		}
	}
}

// arrives notes that the result of a worker has come. given is false if the worker was never given
// the task. again says that such a result has come before: a worker sends copies while it hears
// nothing, and a trainer that was started anew may receive them all at once.
func (d *dispatch) arrives(number int, who string) (given, again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	h, ok := d.holds[number][who]
	given, again = ok && !h.stray, h.stray
	if h.sent = given; !given {
		h.stray = true
	}
	d.note(number, who, h)
	return given, again
}

// onNext answers a worker's request for a task.
func (h *Hub) onNext(msg *nats.Msg) {
	q, ok := h.request(msg)
	if !ok {
		return
	}
	a := answer{state: h.stateFor(q.Worker)}
	if a.state == (state{}) {
		h.roster.update(q.Worker, func(*member) {}) // it is there
		all := h.openLots()
		for _, d := range all {
			if d.id == q.Lot {
				d.keep(q.Worker, q.Held)
			} else {
				d.keep(q.Worker, nil)
			}
		}
		for _, d := range all {
			if q.Lot != "" && q.Lot != d.id {
				continue
			}
			if n, ok := d.next(q.Worker); ok {
				a.Task = task{lot: d.lot, Number: n}.encode()
				break
			}
		}
	}
	h.respond(msg, mustJSON(a))
}

// onModel answers a worker's request for a piece of a file. Where no open lot needs the file the
// piece is empty.
func (h *Hub) onModel(msg *nats.Msg) {
	q, ok := h.request(msg)
	if !ok {
		return
	}
	var piece []byte
	for _, d := range h.openLots() {
		if i := slices.Index(d.lot.Files[:], q.File); i >= 0 && q.File != "" {
			from := min(max(0, q.Piece)*pieceSize, len(d.files[i]))
			piece = d.files[i][from:min(from+pieceSize, len(d.files[i]))]
			break
		}
	}
	h.respond(msg, piece)
}

// request reads a worker's request; ok is false if it is none.
func (h *Hub) request(msg *nats.Msg) (q request, ok bool) {
	return q, len(msg.Data) <= maxMessage && bounded.Unmarshal(msg.Data, &q) == nil && isFrom(msg, q.Worker) && q.Piece < 1<<20
}

// isFrom reports whether a message has come over a worker's own subject.
func isFrom(msg *nats.Msg, worker string) bool { return idOf(msg) == identity(worker) }

// idOf returns the identity of the worker whose subject a message has come over.
func idOf(msg *nats.Msg) string {
	i := len(msg.Subject) - len(identity(""))
	return msg.Subject[max(0, i):]
}

// respond answers a worker's request, at its inbox. The answer goes nowhere else, because a
// worker could name the subject of another one, or the hub's own.
func (h *Hub) respond(msg *nats.Msg, data []byte) {
	if len(msg.Reply) < len(inboxes) || msg.Reply[:len(inboxes)] != inboxes {
		return
	}
	if err := msg.Respond(data); err != nil { // the worker asks again
		h.opt.Log.Debug("a worker could not be answered", "subject", msg.Subject, "error", err)
	}
}

// stateFor is what a worker has to know before it gets a task.
func (h *Hub) stateFor(worker string) state {
	switch why := h.isRefused(worker); {
	case why != "":
		return state{CutOff: worker, Why: why}
	case h.complete.Load():
		return state{Complete: true}
	}
	return state{Unknown: !h.roster.knows(worker)}
}

// openLots lists the lots in progress.
func (h *Hub) openLots() []*dispatch {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.open)
}
