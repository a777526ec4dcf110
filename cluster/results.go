package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"dojo.example/run"
)

// enter stores the result of a task that this process has done.
func (d *dispatch) enter(number int, content []byte) error {
	if d.audit != nil {
		_, err := d.audit.submit(d.ctx, run.Trainer, true, number, content)
		return err
	}
	switch old, err := d.store.read(number); {
	case errors.Is(err, fs.ErrNotExist):
		return d.store.enter(number, content)
	case err != nil || bytes.Equal(old, content):
		return err
	}
	return d.countedWrong(number)
}

// countedWrong is the error for a wrong result that is already counted and cannot be taken
// back.
func (d *dispatch) countedWrong(number int) error {
	return fmt.Errorf("task %d of the %s gave a wrong result, which was counted: start again", number, d.title)
}

// accept checks and stores a worker's result. A result that cannot be right is logged and
// dropped. It returns false if the dispatch ended before the result was stored.
func (d *dispatch) accept(r result, content []byte) bool {
	defer d.users.Done()
	log := d.hub.opt.Log.With("worker", r.Worker, "lot", d.title, "task", r.Number)
	if d.hub.isRefused(r.Worker) != "" {
		log.Warn("a result of a worker that was cut off was dropped")
		return true
	}
	asked := r.Ticket == d.hub.tickets.check(r.Lot, r.Number, r.Worker)
	if !asked && r.Ticket != d.hub.tickets.task(r.Lot, r.Number) {
		d.hub.noteInvalid(d.hub.names.resultsSubject(r.Worker), "a result of a task that nobody gave to this worker was dropped", "worker", r.Worker, "lot", d.title, "task", r.Number)
		return true
	}
	err := fmt.Errorf("it has %d bytes, more than %d", len(content), maxResult)
	if len(content) <= maxResult {
		err = d.store.check(d.ctx, r.Number, content)
	}
	if d.ctx.Err() != nil {
		return false
	}
	if err != nil {
		d.hub.noteInvalid(d.hub.names.resultsSubject(r.Worker), "a result was dropped", "worker", r.Worker, "lot", d.title, "task", r.Number, "error", err)
		return true
	}
	isNew, err := d.submit(r, asked, content)
	if isNew && err == nil {
		d.count(func() { d.doneByWorkers.Add(r.Totals) })
		d.hub.roster.countResult(r)
		d.noteDone()
		d.hub.noteValid(d.hub.names.resultsSubject(r.Worker))
	}
	d.news.Add(1)
	if err != nil {
		d.cancel(err)
	}
	return err == nil || d.rollback() != nil
}

// submit stores a worker's result, unless the task has one already; isNew says that it had
// none. asked says that the worker was asked to do the task again.
func (d *dispatch) submit(r result, asked bool, content []byte) (isNew bool, err error) {
	if d.audit != nil {
		return d.audit.submit(d.ctx, r.Worker, asked, r.Number, content)
	}
	old, err := d.store.read(r.Number)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, d.store.enter(r.Number, content)
	case err == nil && !bytes.Equal(old, content):
		err = d.settle(r, old, content)
	}
	return false, err
}

// settle decides which of two different results of a task is right, by doing the task in
// this process: old is in the store, and sent is the one that came with r.
func (d *dispatch) settle(r result, old, sent []byte) error {
	right, err := d.doHere(d.ctx, r.Number)
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
