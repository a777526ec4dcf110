package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// open makes a lot one whose tasks are done here and whose results are taken, and puts
// its files where workers find them; nil stands for a file that the lot has not.
func (h *Hub) open(d *dispatch, files [][]byte) error {
	h.mu.Lock()
	h.lots[d.lot.id()] = d
	h.mu.Unlock()
	h.storing.Lock()
	defer h.storing.Unlock()
	var errs []error
	for i, name := range d.lot.Files {
		if name == "" {
			continue
		}
		if h.files[name]++; h.files[name] == 1 {
			_, err := h.models.PutBytes(d.ctx, name, files[i])
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// shut ends what open began, and waits for the goroutines that are using the dispatch.
// Tasks and models that nobody needs any longer are removed.
func (h *Hub) shut(d *dispatch) {
	h.mu.Lock()
	h.lots[d.lot.id()] = nil
	h.mu.Unlock()
	d.users.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.ctx), 5*time.Second)
	defer cancel()
	err := h.tasks.Purge(ctx, jetstream.WithPurgeSubject(h.names.jobsSubject(d.lot.id())))
	h.storing.Lock()
	defer h.storing.Unlock()
	for _, name := range d.lot.Files {
		if name == "" {
			continue
		}
		if h.files[name]--; h.files[name] == 0 {
			delete(h.files, name)
			err = errors.Join(err, h.models.Delete(ctx, name))
		}
	}
	if err != nil { // what stays there costs memory and work, and harms nothing
		h.opt.Log.Warn("a lot that is over could not be removed", "lot", d.title, "error", err)
	}
}

// use returns the dispatch of an open lot, for a goroutine that calls users.Done when it
// no longer needs it; nil if the lot is not open. The lot is known if it has ever been
// open.
func (h *Hub) use(lot string) (d *dispatch, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if d, known = h.lots[lot]; d != nil {
		d.users.Add(1)
	}
	return d, known
}

// workHere does tasks in this process until ctx ends.
func (h *Hub) workHere(ctx context.Context) {
	q := h.own
	h.work.Go(func() { q.keep(ctx) })
	for ctx.Err() == nil {
		if h.rests() {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		l, ok, err := q.begin(ctx, time.Second)
		if err == nil && !ok {
			continue
		}
		d, known := h.use(l.id())
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
			h.trouble(ctx, err)
		}
	}
	q.giveBack()
}

// rests reports whether this process leaves tasks to workers, because it trains.
func (h *Hub) rests() bool { return h.training.Load() && h.crew.atWork("") > 0 }

// receive takes results of workers until ctx ends.
func (h *Hub) receive(ctx context.Context) {
	for ctx.Err() == nil {
		batch, err := h.results.Fetch(1, jetstream.FetchContext(ctx))
		if err != nil {
			h.trouble(ctx, fmt.Errorf("receive results: %w", err))
			continue
		}
		for msg := range batch.Messages() {
			if err := h.accept(msg); err != nil {
				h.trouble(ctx, fmt.Errorf("receive results: %w", err))
			}
		}
	}
}

// trouble tells of what keeps a goroutine of the hub from its work, and waits a moment.
func (h *Hub) trouble(ctx context.Context, err error) {
	if isOver(ctx) {
		return
	}
	h.opt.Log.Warn("trouble with the server; trying again", "error", err)
	select {
	case <-ctx.Done():
	case <-time.After(time.Second):
	}
}

// accept takes a message of the stream of results. One that is no result, or of a lot
// that is over, is dropped.
func (h *Hub) accept(msg jetstream.Msg) error {
	log := h.opt.Log
	var r result
	header := msg.Headers().Get(resultHeader)
	if len(header) > maxMessage || json.Unmarshal([]byte(header), &r) != nil {
		log.Warn("a message that is no result was dropped", "bytes", len(msg.Data()))
		return msg.Ack()
	}
	r.Worker = workerName(r.Worker)
	if msg.Subject() != h.names.resultsSubject(r.Worker) {
		log.Warn("a result that was sent in the name of another worker was dropped", "worker", r.Worker)
		return msg.Ack()
	}
	d, known := h.use(r.Lot)
	if d == nil {
		// Of a trainer that has just been started again, lots may open soon.
		if !known && time.Since(h.started) < lease {
			return msg.NakWithDelay(time.Second)
		}
		log.Debug("a result of no lot that is open was dropped", "worker", r.Worker)
		return msg.Ack()
	}
	if !d.accept(r, msg.Data()) {
		return nil // it comes again
	}
	return msg.Ack()
}
