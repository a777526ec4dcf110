package cluster

import (
	"slices"
	"strings"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"

	"github.com/nats-io/nats.go/micro"
)

// A hold is a task in the hands of a worker, or of rundir.Trainer.
type hold struct {
	since time.Time // when it was given
	held  bool      // it works on it; if not, it did, and its result is taken all the same
	again bool      // others had it already when it was given
	sent  bool      // its result has come and is not stored yet
	stray bool      // its result has come although it was never given the task
}

// next gives a worker, or rundir.Trainer, a task of the lot with an id, or of any lot if that is "". If
// nobody waits for the asker, and others have all tasks that are left, it gets one of those again:
// whether they are slow, or hostile, or about to deliver, cannot be known. Without a task ok is false.
func (h *Hub) next(who, lot string) (d *dispatch, number int, ok bool) {
	all := h.openLots()
	for _, again := range []bool{false, true} {
		if again && slices.ContainsFunc(all, func(o *dispatch) bool { return o.needs(who) }) {
			break // tasks of another lot that nobody has come first
		}
		for _, d := range all {
			if lot != "" && lot != d.id {
				continue
			}
			if number, ok := d.next(who, again); ok {
				return d, number, true
			}
		}
	}
	return nil, 0, false
}

// next is Hub.next for a single lot. With again all tasks are in somebody's hands.
func (d *dispatch) next(who string, again bool) (number int, ok bool) {
	find := d.find
	if again {
		find = d.findAgain
	}
	missing, ok := d.missing()
	if !ok {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if number, ok = find(who, missing); ok {
		d.give(number, who, again)
	}
	return number, ok
}

// give notes that a worker has a task; again says that others had it already. The caller holds d.mu.
func (d *dispatch) give(number int, who string, again bool) {
	d.note(number, who, hold{since: time.Now(), held: true, again: again})
}

// needs reports whether the lot has a task for somebody that nobody works on.
func (d *dispatch) needs(who string) bool {
	missing, ok := d.missing()
	if !ok {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok = d.find(who, missing)
	return ok
}

// missing lists the tasks without a result. If they cannot be listed the dispatch ends, and ok is
// false.
func (d *dispatch) missing() (all []int, ok bool) {
	all, err := d.store.missing()
	if err != nil {
		d.cancel(err)
	}
	return all, err == nil
}

// find returns a task for somebody to do: one that it is to do again, or the first that is missing and
// nobody works on. The caller holds d.mu.
func (d *dispatch) find(who string, missing []int) (number int, ok bool) {
	mine := func(n int) bool { return d.holds[n][who].held }
	if number, ok = d.audit.asks(who, mine); ok {
		return number, true
	}
	free := func(n int) bool { return !d.isHeld(n) && !mine(n) }
	if i := slices.IndexFunc(missing, free); i >= 0 {
		return missing[i], true
	}
	return 0, false
}

// findAgain returns a task that others work on: of those that are missing the one that was not given
// to anybody for the longest time, and for the trainer, if it does all of them, one that a worker is to
// do again. A result that comes twice counts once. Somebody who works on a task that was given to it
// first gets none, because that would come later. The caller holds d.mu.
func (d *dispatch) findAgain(who string, missing []int) (number int, ok bool) {
	for _, all := range d.holds {
		if h := all[who]; h.held && !h.sent && !h.again {
			return 0, false
		}
	}
	var oldest time.Time
	for _, n := range missing {
		if given := d.lastGiven(n); !d.holds[n][who].held && (!ok || given.Before(oldest)) {
			number, oldest, ok = n, given, true
		}
	}
	if !ok && who == rundir.Trainer {
		return d.audit.asks(anybody, func(n int) bool { return d.holds[n][who].held })
	}
	return number, ok
}

// lastGiven returns when a task was given last, of those who work on it. The caller holds d.mu.
func (d *dispatch) lastGiven(number int) (last time.Time) {
	for _, h := range d.holds[number] {
		if h.held && h.since.After(last) {
			last = h.since
		}
	}
	return last
}

// note sets what is known of a task and a worker. The caller holds d.mu.
func (d *dispatch) note(number int, who string, h hold) {
	if d.holds[number] == nil {
		d.holds[number] = map[string]hold{}
	}
	d.holds[number][who] = h
}

// isHeld reports whether somebody who is present works on a task. Where the order of the results
// matters, who has had it for longer than the lease does not count. The caller holds d.mu.
func (d *dispatch) isHeld(number int) bool {
	var late time.Time
	if d.ordered {
		late = d.lease(2)
	}
	for who, h := range d.holds[number] {
		if h.held && !h.since.Before(late) && (who == rundir.Trainer || d.hub.roster.works(who)) {
			return true
		}
	}
	return false
}

// lease returns before when a task must have been given to have been out for some times as long as
// tasks usually take. The caller holds d.mu.
func (d *dispatch) lease(times time.Duration) (late time.Time) {
	if d.usual > 0 {
		late = time.Now().Add(-times * d.usual)
	}
	return late
}

// lateSince returns before when somebody must have been asked for a second result that is late: that
// has had time for the task in hand, for this one, and for both again.
func (d *dispatch) lateSince() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lease(4)
}

// held counts the tasks in the hands of each worker.
func (h *Hub) held() map[string]int {
	all := map[string]int{}
	for _, d := range h.openLots() {
		d.mu.Lock()
		for _, holds := range d.holds {
			for who, h := range holds {
				if h.held && !h.sent {
					all[who]++
				}
			}
		}
		d.mu.Unlock()
	}
	return all
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
func (h *Hub) onNext(r micro.Request) {
	q, ok := h.request(r)
	if !ok {
		return
	}
	a := wire.Answer{State: h.stateFor(q.Worker)}
	if a.State == (wire.State{}) {
		h.roster.update(q.Worker, func(*member) {}) // it is there
		for _, d := range h.openLots() {
			if d.id == q.Lot {
				d.keep(q.Worker, q.Held)
			} else {
				d.keep(q.Worker, nil)
			}
		}
		if d, n, ok := h.next(q.Worker, q.Lot); ok {
			a.Task = wire.Task{Lot: d.lot, Number: n}.Encode()
		}
	}
	h.respond(r, wire.JSON(a))
}

// onModel answers a worker's request for a piece of a file. Where no open lot needs the file the
// piece is empty.
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

// request reads a worker's request; ok is false if it is none.
func (h *Hub) request(r micro.Request) (q wire.Request, ok bool) {
	return q, len(r.Data()) <= wire.MaxMessage && bounded.Unmarshal(r.Data(), &q) == nil && isFrom(r.Subject(), q.Worker) && q.Piece < 1<<20
}

// isFrom reports whether a subject is a worker's own.
func isFrom(subject, worker string) bool { return wire.IdentityIn(subject) == wire.Identity(worker) }

// respond answers a worker's request, at its inbox. The answer goes nowhere else, because a
// worker could name the subject of another one, or the hub's own.
func (h *Hub) respond(r micro.Request, data []byte) {
	if !strings.HasPrefix(r.Reply(), wire.Inboxes) {
		return
	}
	if err := h.conn.Publish(r.Reply(), data); err != nil { // the worker asks again
		h.opt.Log.Debug("a worker could not be answered", "subject", r.Subject(), "error", err)
	}
}

// stateFor is what a worker has to know before it gets a task.
func (h *Hub) stateFor(worker string) wire.State {
	switch why := h.isRefused(worker); {
	case why != "":
		return wire.State{CutOff: worker, Why: why}
	case h.complete.Load():
		return wire.State{Complete: true}
	}
	return wire.State{Unknown: !h.roster.knows(worker)}
}

// openLots lists the lots in progress.
func (h *Hub) openLots() []*dispatch {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.open)
}
