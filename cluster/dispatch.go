package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

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

	// enter takes what a task gave. It changes nothing if the task is done.
	enter(number int, content []byte) error

	// replace takes what a task gave in the place of what was wrong.
	replace(number int, content []byte) error
}

// A dispatch is a lot that the hub is having done.
type dispatch struct {
	lot      lot
	title    string // what the log calls it
	ledger   ledger
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
	if missing, err := d.ledger.missing(); err != nil || len(missing) == 0 {
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
		if _, err := d.hub.js.Publish(d.ctx, subject, mustJSON(task{d.lot, n})); err != nil {
			return fmt.Errorf("post task %d of the %s: %w", n, d.title, err)
		}
	}
	return nil
}

// watch returns errAllDone when nothing is missing, or why the dispatch has ended. It
// posts tasks again that got lost: some are missing though nobody has a task and none is
// on its way.
func (d *dispatch) watch() error {
	idle := 0
	for {
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-time.After(20 * time.Millisecond):
		}
		missing, err := d.ledger.missing()
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return errAllDone
		}
		const patience = 100 // looks, some two seconds
		if idle++; idle < patience {
			continue
		}
		idle = 0
		tasks, err := d.hub.queue.Info(d.ctx)
		if err != nil {
			return err
		}
		results, err := d.hub.results.Info(d.ctx)
		if err != nil {
			return err
		}
		if tasks.NumPending == 0 && tasks.NumAckPending == 0 && results.NumPending == 0 && results.NumAckPending == 0 {
			d.hub.opt.Log.Warn("tasks got lost and are posted again", "lot", d.title, "tasks", len(missing))
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
	switch old, err := d.ledger.read(number); {
	case errors.Is(err, fs.ErrNotExist):
		return d.ledger.enter(number, content)
	case err != nil || bytes.Equal(old, content):
		return err
	}
	d.hub.opt.Log.Error("a result that was accepted is wrong, and is replaced", "lot", d.title, "task", number)
	return d.ledger.replace(number, content)
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
	old, err := d.ledger.read(r.Number)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err = d.ledger.enter(r.Number, content); err == nil {
			d.count(func() { d.others.Add(r.Totals) })
			d.hub.crew.accepted(r)
		}
	case err == nil && !bytes.Equal(old, content):
		err = d.settle(r, old, content)
	}
	if err != nil {
		d.cancel(err)
	}
	return err == nil
}

// settle decides between two different results of a task by doing it here.
func (d *dispatch) settle(r result, old, sent []byte) error {
	right, err := d.doOne(r.Number)
	if err != nil {
		return err
	}
	log := d.hub.opt.Log.With("worker", r.Worker, "lot", d.title, "task", r.Number)
	if !bytes.Equal(right, sent) {
		log.Error("a worker sent a result that is wrong, and is cut off")
		d.hub.refuse(r.Worker, fmt.Sprintf("task %d of the %s, which this worker did, is wrong: its computer makes mistakes, or its program is not ours", r.Number, d.title))
	}
	if !bytes.Equal(right, old) {
		log.Error("a result that was accepted is wrong, and is replaced")
		return d.ledger.replace(r.Number, right)
	}
	return nil
}

// doOne does a task in this process and returns what it gives.
func (d *dispatch) doOne(number int) (content []byte, err error) {
	_, err = d.here(d.ctx, bench{
		next: selfplay.Each(number),
		send: func(_ int, c []byte, _ selfplay.Totals) error {
			content = c
			return nil
		},
		progress: func(selfplay.Totals) {},
	})
	return content, err
}
