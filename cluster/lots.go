package cluster

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"dojo.example/internal/bounded"
)

// openLot registers a lot, so that this process does its tasks and accepts its results, and
// stores its files for the workers. files has their content, nil for a file that the lot
// does not have.
func (h *Hub) openLot(d *dispatch, files [][]byte) error {
	h.mu.Lock()
	h.lots[d.lot.id()] = d
	h.mu.Unlock()
	h.storing.Lock()
	defer h.storing.Unlock()
	var errs []error
	for i, name := range d.lot.Files {
		if name == "" || !h.useFile(name, files[i]) {
			continue
		}
		errs = append(errs, h.ask(d.ctx, "to store a model", func(ctx context.Context) error {
			return h.storeFile(ctx, name, files[i])
		}))
	}
	return errors.Join(errs...)
}

// useFile notes that one more open lot needs a file, and reports whether it is the first.
func (h *Hub) useFile(name string, content []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.files[name]; f != nil {
		f.lots++
		return false
	}
	h.files[name] = &file{content, 1}
	return true
}

// releaseFile undoes useFile, and reports whether no open lot needs the file any more.
func (h *Hub) releaseFile(name string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.files[name]
	if f.lots--; f.lots > 0 {
		return false
	}
	delete(h.files, name)
	return true
}

// closeLot undoes openLot: it waits for the goroutines that use the dispatch, and removes
// the lot's tasks, and those of its files that no other open lot uses.
func (h *Hub) closeLot(ctx context.Context, d *dispatch) {
	h.mu.Lock()
	h.lots[d.lot.id()] = nil
	h.mu.Unlock()
	d.users.Wait()
	ctx, cancel := h.lastRequests(ctx)
	defer cancel()
	err := h.ask(ctx, "to remove the tasks of the "+d.title, func(ctx context.Context) error {
		return h.tasks.Purge(ctx, jetstream.WithPurgeSubject(h.names.jobsSubject(d.lot.id())))
	})
	h.storing.Lock()
	defer h.storing.Unlock()
	for _, name := range d.lot.Files {
		if name == "" || !h.releaseFile(name) {
			continue
		}
		err = cmp.Or(err, h.ask(ctx, "to remove a model", func(ctx context.Context) error {
			return h.removeFile(ctx, name)
		}))
	}
	if err != nil { // what is left costs memory and work, but does no harm
		h.opt.Log.Warn("a lot that is over could not be removed", "lot", d.title, "error", err)
	}
}

// acquire returns the dispatch of the lot with the given id, or nil if that lot is not open.
// The caller calls users.Done of the dispatch when it no longer needs it. known says that
// the lot is, or was, open in this process.
func (h *Hub) acquire(lot string) (d *dispatch, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d, known = h.lots[lot]; d != nil {
		d.users.Add(1)
	}
	return d, known
}

// workHere does tasks in this process until ctx ends.
func (h *Hub) workHere(ctx context.Context) {
	q := h.localQueue
	h.work.Go(func() { q.renewLeases(ctx) })
	for ctx.Err() == nil {
		if h.leavesTasksToWorkers() {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		l, ok, err := q.begin(ctx, time.Second)
		if err == nil && !ok {
			continue
		}
		d, known := h.acquire(l.id())
		switch {
		case err != nil:
		case d != nil:
			d.workHere(q)
			continue
		case known:
			err = q.drop()
		default:
			err = errors.Join(errors.New("the stream of tasks has some that are not this trainer's: does another use it?"), q.drop())
		}
		if err != nil {
			h.pauseAfter(ctx, err)
		}
	}
	q.giveBack()
}

// leavesTasksToWorkers reports whether this process does no tasks for the moment, because it
// trains and there are workers.
func (h *Hub) leavesTasksToWorkers() bool { return h.training.Load() && h.roster.helps() }

// receivers is the number of goroutines that accept results: while one of them plays what two
// workers disagree about, the others go on.
const receivers = 4

// receive accepts results of workers until ctx ends.
func (h *Hub) receive(ctx context.Context) {
	for ctx.Err() == nil {
		msg, err := fetchMessage(ctx, h.results, 2*time.Second)
		if err == nil && msg != nil {
			err = h.accept(msg)
		}
		if err != nil {
			h.pauseAfter(ctx, err)
		}
	}
}

// pauseAfter logs an error of a request that is made again and again, and waits a second. If
// the server does not answer, it is for those who wait for an open lot to say so; see link.ask.
func (h *Hub) pauseAfter(ctx context.Context, err error) {
	if !isOver(ctx) && !isUnanswered(err) {
		h.opt.Log.Warn("trouble with the server; trying again", "server", h.link.address, "error", err)
	}
	sleep(ctx, time.Second)
}

// accept stores the result in a message of the stream of results. A message that is no
// result, or whose lot is over, is dropped.
func (h *Hub) accept(msg jetstream.Msg) error {
	var r result
	header := msg.Headers().Get(resultHeader)
	if len(header) > maxMessage || bounded.Unmarshal([]byte(header), &r) != nil {
		h.noteInvalid(msg.Subject(), "a message that is no result was dropped", "bytes", len(msg.Data()))
		return msg.Ack()
	}
	if msg.Subject() != h.names.resultsSubject(r.Worker) {
		h.noteInvalid(msg.Subject(), "a result that was sent in the name of another worker was dropped", "worker", r.Worker)
		return msg.Ack()
	}
	if err := r.verify(msg.Data()); err != nil {
		h.noteInvalid(msg.Subject(), "a result was dropped", "worker", r.Worker, "error", err)
		return msg.Ack()
	}
	d, known := h.acquire(r.Lot)
	if d == nil {
		// If the trainer has just been restarted, the lot may open again soon.
		if !known && time.Since(h.started) < lease {
			return msg.NakWithDelay(time.Second)
		}
		h.opt.Log.Debug("a result of no lot that is open was dropped", "worker", r.Worker)
		return msg.Ack()
	}
	if !d.accept(r, msg.Data()) {
		return nil // it comes again
	}
	return msg.Ack()
}
