package hub

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/audit"
	"dojo.example/internal/timing"
	"dojo.example/selfplay"
)

// A store holds the results of the tasks of one lot (a batch of tasks). Several goroutines may call
// its methods at the same time.
type store interface {
	audit.Store

	// missing lists the numbers of the tasks that have no result yet, in ascending order. The hub
	// calls it for each task that it hands out. The caller must not change the list.
	missing() ([]int, error)

	// check checks content, the result of a task, and returns its totals. It returns an error if
	// content cannot be correct.
	check(ctx context.Context, number int, content []byte) (selfplay.Totals, error)
}

// A dispatch manages the work on one lot (a batch of tasks): the hub hands out the tasks and
// collects their results.
type dispatch struct {
	lot      wire.Lot
	files    [2][]byte // the content of the files that the tasks need
	title    string    // describes the work in the log
	store    store
	audit    *audit.Audit          // decides which results are recomputed, and compares them
	executor worker.Executor       // does tasks in this process
	progress func(selfplay.Totals) // called with the totals of the work that has been done; may be nil

	hub    *Hub
	id     string          // identifies the lot (the batch of tasks)
	ctx    context.Context // cancelled when the work on the tasks ends
	cancel context.CancelCauseFunc
	users  sync.WaitGroup // the goroutines that do tasks here or accept results; see use
	news   timing.Signal  // wakes up the method watch when a result has arrived

	leases leases // the tasks that workers and this process hold; newMatch sets leases.ordered

	mu     sync.Mutex
	counts counts // the work that has been done; guarded by mu
}

// do hands out the tasks of d that have no result yet, and waits until workers and this process
// have done them all. The caller must have set the fields of d from lot to progress. The totals
// count the work of this process and of all workers. The error is audit.ErrDoubt if a worker's
// result was wrong.
func (h *Hub) do(ctx context.Context, d *dispatch) (selfplay.Totals, error) {
	a := d.audit
	d.lot.Attempt = len(a.Ledger.Banned()) // if the work starts again after a ban, the lot gets a new id
	d.hub, d.id, d.news, d.leases.works = h, d.lot.ID(), timing.NewSignal(), h.roster.works
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	a.Store, a.Crowd, a.Play = d.store, d, d.doHere
	if done, err := d.isDone(); err != nil || done {
		return selfplay.Totals{}, err
	}
	h.mu.Lock()
	h.open = append(h.open, d)
	h.mu.Unlock()
	h.wake()
	err := d.watch()
	d.cancel(err)
	h.broadcast(wire.State{Done: d.id}) // tells the workers to stop working on the lot
	h.mu.Lock()
	h.open = slices.DeleteFunc(h.open, func(o *dispatch) bool { return o == d })
	h.mu.Unlock()
	d.users.Wait()
	h.uploads.end(d.id)
	if _, doubt := a.IsSettled(); doubt != nil { // report a wrong result rather than any other error
		err = doubt
	}
	if err != nil {
		err = fmt.Errorf("cluster: %w", err)
	}
	return d.counts.total(), err // no lock is needed, because nobody else uses the counts now
}

// The audit (the verification of results) calls these methods to ask the hub about its workers, and
// to have results recomputed and workers banned.
var _ audit.Crowd = (*dispatch)(nil)

func (d *dispatch) Picks(share float64, e audit.Entry) bool { return d.hub.picks(share, e) }
func (d *dispatch) ChecksHere() bool                        { return d.hub.checksHere() }
func (d *dispatch) Another(than string) string              { return d.hub.roster.another(than) }
func (d *dispatch) Works(worker string) bool                { return d.hub.roster.works(worker) }
func (d *dispatch) Ask(string, int)                         { d.hub.wake() }
func (d *dispatch) Ban(e audit.Entry) {
	d.hub.opt.Log.Error("banned a worker that sent a wrong result", "worker", e.Worker, "what", e.What(), "hash", e.Hash, "right", e.Right)
	d.hub.roster.countRefused()
	d.hub.refuse(e.Worker, whyCutOff(e))
}
func (d *dispatch) Mended(number int) {
	d.hub.opt.Log.Error("this computer made a mistake: a result of this process was wrong and was replaced; test its memory and processor", "lot", d.title, "number", number)
}

// watch waits until all tasks are done, and returns nil. If the dispatch ends earlier, watch
// returns the reason.
func (d *dispatch) watch() error {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		d.audit.InquireAgain(d.leases.late())
		if done, err := d.isDone(); err != nil || done {
			return err
		}
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-d.news:
		case <-tick.C: // other processes may have stored results, so look again
		}
	}
}

// isDone reports whether all tasks have a result, and every result that was picked for verification
// has been recomputed.
func (d *dispatch) isDone() (bool, error) {
	missing, err := d.store.missing()
	if err != nil || len(missing) > 0 {
		return false, err
	}
	return d.audit.IsSettled()
}

// workHere does tasks of all lots in this process until ctx ends.
func (h *Hub) workHere(ctx context.Context) {
	for ctx.Err() == nil {
		if !h.leavesTasksToWorkers() {
			if d, first, ok := h.next(wire.Request{Worker: audit.Trainer}); ok {
				d.workHere(first)
				continue
			}
		}
		h.news.Wait(ctx, time.Second) // then a task may be free because a worker has gone away
	}
}

// leavesTasksToWorkers reports whether this process does no tasks at the moment, because it is busy
// with training and workers are present.
func (h *Hub) leavesTasksToWorkers() bool { return h.training.Load() && h.roster.helps() }

// use registers a user of the dispatch, and reports whether the dispatch is still open. If it is,
// the caller must call users.Done when it no longer needs the dispatch.
func (d *dispatch) use() bool {
	d.hub.mu.Lock()
	defer d.hub.mu.Unlock()
	open := slices.Contains(d.hub.open, d)
	if open {
		d.users.Add(1)
	}
	return open
}

// workHere does tasks of this dispatch in this process until there is none left for it. first is
// the number of the task with which it begins.
func (d *dispatch) workHere(first int) {
	if !d.use() {
		return
	}
	defer d.users.Done()
	var once sync.Once
	err := d.executor(d.ctx, worker.IO{
		Next: func() (number int, ok bool) {
			once.Do(func() { number, ok = first, true })
			if !ok && !d.hub.leavesTasksToWorkers() {
				_, number, ok = d.hub.next(wire.Request{Worker: audit.Trainer, Lot: d.id})
			}
			return number, ok
		},
		Send: func(number int, content []byte, t selfplay.Totals) error {
			isNew, err := d.audit.Submit(d.ctx, audit.Trainer, number, content)
			if err != nil {
				return err
			}
			d.count(func(c *counts) { c.begun = c.begun.Minus(selfplay.Totals{Games: t.Games, Positions: t.Positions}) })
			d.finished(number, audit.Trainer, isNew, t)
			return nil
		},
		Progress: func(t selfplay.Totals) {
			d.count(func(c *counts) { c.made.Add(t); c.begun.Add(selfplay.Totals{Games: t.Games, Positions: t.Positions}) })
		},
	})
	if err != nil {
		d.cancel(err)
	}
}

// doHere does one task in this process and returns its result.
func (d *dispatch) doHere(ctx context.Context, number int) (content []byte, err error) {
	err = d.executor(ctx, worker.IO{
		Next: selfplay.Each(number),
		Send: func(_ int, c []byte, _ selfplay.Totals) error {
			content = c
			return nil
		},
		Progress: func(selfplay.Totals) {},
	})
	return content, err
}
