package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"dojo/run"
	"dojo/selfplay"

	"github.com/nats-io/nats.go/jetstream"
)

// A ledger says which tasks of a lot are done, and keeps what they gave. Its methods may
// be called by several goroutines at a time.
type ledger interface {
	// missing lists the numbers of the tasks that are to be done.
	missing() ([]int, error)

	// check returns an error unless content could be what the task gives.
	check(ctx context.Context, number int, content []byte) error

	// read returns what a task gave; fs.ErrNotExist if it is not done.
	read(number int) ([]byte, error)

	// enter takes what a task gave that is not done.
	enter(number int, content []byte) error
}

// A dispatch is a lot that the hub is having done.
type dispatch struct {
	lot      lot
	title    string // what the log calls it
	ledger   ledger
	audit    *audit                // has some results computed again; nil where none are
	here     compute               // as this process does the tasks
	progress func(selfplay.Totals) // takes what has been done so far; may be nil

	hub    *Hub
	ctx    context.Context // ends with the dispatch
	cancel context.CancelCauseFunc
	users  sync.WaitGroup // goroutines of the hub that are using the dispatch

	mu           sync.Mutex
	mine, others selfplay.Totals // done in this process and by workers; guarded by mu
}

// errAllDone ends the work on a lot whose tasks are all done.
var errAllDone = errors.New("all tasks are done")

// do has all tasks of a lot done that are missing in its ledger: it posts them, and the
// hub's own goroutines and workers do them. The files are those of the lot. The totals
// are those of all who worked.
func (h *Hub) do(ctx context.Context, d *dispatch, files ...[]byte) (selfplay.Totals, error) {
	d.hub = h
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	if done, err := d.isDone(); err != nil || done {
		return selfplay.Totals{}, err
	}
	err := h.open(d, files)
	if err == nil {
		err = d.post()
	}
	if err == nil {
		err = d.watch()
	}
	d.cancel(err)
	h.shut(d)
	if b := d.rollback(); b != nil { // whatever else has ended the dispatch
		return d.total(), fmt.Errorf("cluster: %w", b)
	}
	if errors.Is(err, errAllDone) {
		return d.total(), nil
	}
	return d.total(), d.failed(err)
}

// failed is why a dispatch ended before its work was done.
func (d *dispatch) failed(err error) error {
	if cause := context.Cause(d.ctx); cause != nil {
		err = cause
	}
	return fmt.Errorf("cluster: %w", err)
}

// total is what has been done so far.
func (d *dispatch) total() selfplay.Totals {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.mine
	t.Add(d.others)
	return t
}

// count changes what has been done, and reports it.
func (d *dispatch) count(update func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	update()
	t := d.mine
	t.Add(d.others)
	if d.progress != nil {
		d.progress(t)
	}
}

// post makes the tasks anew from what is missing.
func (d *dispatch) post() error {
	missing, err := d.ledger.missing()
	if err != nil {
		return err
	}
	subject := d.hub.names.jobsSubject(d.lot.id())
	if err := d.hub.tasks.Purge(d.ctx, jetstream.WithPurgeSubject(subject)); err != nil {
		return err
	}
	for _, n := range missing {
		if _, err := d.hub.js.Publish(d.ctx, subject, mustJSON(task{lot: d.lot, Number: n})); err != nil {
			return fmt.Errorf("post task %d of the %s: %w", n, d.title, err)
		}
	}
	if d.audit != nil {
		d.audit.repeat()
	}
	return nil
}

// again posts a task that is to be done again, not by the worker of the given name; see
// audit.
func (d *dispatch) again(number int, except string) {
	h, t := d.hub, task{lot: d.lot, Number: number, Except: except}
	if h.crew.atWork(except) == 0 {
		h.own.give(t)
		return
	}
	if _, err := h.js.Publish(d.ctx, h.names.jobsSubject(d.lot.id()), mustJSON(t)); err != nil {
		h.opt.Log.Warn("a task that is to be done again could not be posted; the trainer does it", "lot", d.title, "task", number, "error", err)
		h.own.give(t)
	}
}

// isDone reports whether no task is missing, and none is to be done again.
func (d *dispatch) isDone() (bool, error) {
	missing, err := d.ledger.missing()
	if err != nil || len(missing) > 0 || d.audit == nil {
		return len(missing) == 0, err
	}
	return d.audit.isSettled()
}

// rollback is what must be undone before the dispatch can go on; nil if it is nothing.
func (d *dispatch) rollback() *run.Rollback {
	if d.audit == nil {
		return nil
	}
	return d.audit.rollback()
}

// watch returns errAllDone when all is done, or why the dispatch has ended. It
// posts tasks again that got lost: some are not done though nobody has a task and none
// is on its way.
func (d *dispatch) watch() error {
	idle := 0
	for {
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-time.After(20 * time.Millisecond):
		}
		done, err := d.isDone()
		if err != nil {
			return err
		}
		if done {
			return errAllDone
		}
		const patience = 100 // looks, some two seconds
		if idle++; idle < patience {
			continue
		}
		idle = 0
		if d.hub.own.hasOwn() {
			continue
		}
		tasks, err := d.hub.queue.Info(d.ctx)
		if err != nil {
			return err
		}
		results, err := d.hub.results.Info(d.ctx)
		if err != nil {
			return err
		}
		if tasks.NumPending == 0 && tasks.NumAckPending == 0 && results.NumPending == 0 && results.NumAckPending == 0 {
			d.hub.opt.Log.Warn("tasks got lost and are posted again", "lot", d.title)
			if err := d.post(); err != nil {
				return err
			}
		}
	}
}

// workHere does tasks in this process while the queue's next one is of this lot.
func (d *dispatch) workHere(q *queue) {
	defer d.users.Done()
	defer q.giveBack() // what was not done, if the dispatch has ended
	d.mu.Lock()
	before := d.mine
	d.mu.Unlock()
	report := func(t selfplay.Totals) {
		d.count(func() { d.mine = before; d.mine.Add(t) })
	}
	done, err := d.here(d.ctx, bench{
		next: func() (number int, ok bool) {
			if d.hub.rests() {
				return 0, false
			}
			return q.next()
		},
		send: func(number int, content []byte, _ selfplay.Totals) error {
			if err := d.enter(number, content); err != nil {
				return err
			}
			return q.done(number)
		},
		progress: report,
	})
	report(done)
	if err != nil {
		d.cancel(err)
	}
}

// enter enters what a task gave in this process.
func (d *dispatch) enter(number int, content []byte) error {
	if d.audit != nil {
		_, err := d.audit.submit(d.ctx, run.Trainer, number, content)
		return err
	}
	switch old, err := d.ledger.read(number); {
	case errors.Is(err, fs.ErrNotExist):
		return d.ledger.enter(number, content)
	case err != nil || bytes.Equal(old, content):
		return err
	}
	return d.countedWrong(number)
}

// countedWrong is the error of a wrong result that has been counted.
func (d *dispatch) countedWrong(number int) error {
	return fmt.Errorf("task %d of the %s gave a wrong result, which was counted: start again", number, d.title)
}

// accept takes a result of a worker. One that cannot be right is dropped with a line in
// the log. It returns false if the dispatch ended before the result was entered.
func (d *dispatch) accept(r result, content []byte) bool {
	defer d.users.Done()
	log := d.hub.opt.Log.With("worker", r.Worker, "lot", d.title, "task", r.Number)
	if d.hub.isRefused(r.Worker) != "" {
		log.Warn("a result of a worker that was cut off was dropped")
		return true
	}
	err := fmt.Errorf("it has %d bytes, more than %d", len(content), maxResult)
	if len(content) <= maxResult {
		err = d.ledger.check(d.ctx, r.Number, content)
	}
	if d.ctx.Err() != nil {
		return false
	}
	if err != nil {
		log.Warn("a result was dropped", "error", err)
		return true
	}
	isNew, err := d.submit(r, content)
	if isNew && err == nil {
		d.count(func() { d.others.Add(r.Totals) })
		d.hub.crew.accepted(r)
	}
	if err != nil {
		d.cancel(err)
	}
	return err == nil || d.rollback() != nil
}

// submit enters a result of a worker. It reports whether the task was not done before.
func (d *dispatch) submit(r result, content []byte) (isNew bool, err error) {
	if d.audit != nil {
		return d.audit.submit(d.ctx, r.Worker, r.Number, content)
	}
	old, err := d.ledger.read(r.Number)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, d.ledger.enter(r.Number, content)
	case err == nil && !bytes.Equal(old, content):
		err = d.settle(r, old, content)
	}
	return false, err
}

// settle decides between two different results of a task by doing it here.
func (d *dispatch) settle(r result, old, sent []byte) error {
	right, err := d.doOne(d.ctx, r.Number)
	if err != nil {
		return err
	}
	log := d.hub.opt.Log.With("worker", r.Worker, "lot", d.title, "task", r.Number)
	if !bytes.Equal(right, sent) {
		log.Error("a worker sent a result that is wrong, and is cut off")
		d.hub.refuse(r.Worker, fmt.Sprintf("task %d of the %s, which this worker did, is wrong: its computer makes mistakes, or its program is not ours", r.Number, d.title))
	}
	if !bytes.Equal(right, old) {
		return d.countedWrong(r.Number)
	}
	return nil
}

// doOne does a task in this process and returns what it gives.
func (d *dispatch) doOne(ctx context.Context, number int) (content []byte, err error) {
	_, err = d.here(ctx, bench{
		next: selfplay.Each(number),
		send: func(_ int, c []byte, _ selfplay.Totals) error {
			content = c
			return nil
		},
		progress: func(selfplay.Totals) {},
	})
	return content, err
}
