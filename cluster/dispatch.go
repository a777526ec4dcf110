package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"dojo.example/cluster/wire"
	"dojo.example/data/rundir"
	"dojo.example/selfplay"
)

// A store keeps the results of a lot's tasks. Its methods may be called by several
// goroutines at a time.
type store interface {
	// missing lists the numbers of the tasks that have no result yet, in order. It is called
	// for each task that is given out. The caller does not change the list.
	missing() ([]int, error)

	// check returns what the result of a task has in it, or an error if content cannot be the result.
	check(ctx context.Context, number int, content []byte) (selfplay.Totals, error)

	// read returns the result of a task, or fs.ErrNotExist until the task is done.
	read(number int) ([]byte, error)

	// enter stores the first result of a task.
	enter(number int, content []byte) error
}

// A dispatch is a lot in progress: the hub gives out its tasks and collects the results.
type dispatch struct {
	lot      wire.Lot
	files    [2][]byte // the content of the lot's files
	title    string    // the name of the lot in the log
	ordered  bool      // the tasks may be done before all have a result, which count in their order
	store    store
	audit    *audit                // has some results computed again
	executor executor              // does tasks in this process
	progress func(selfplay.Totals) // is told what has been done so far; may be nil

	hub    *Hub
	id     string          // of the lot
	ctx    context.Context // ends with the dispatch
	cancel context.CancelCauseFunc
	users  sync.WaitGroup // the goroutines that do tasks here or accept results; see Hub.acquire
	news   wire.Signal    // a result has come

	mu     sync.Mutex
	holds  map[int]map[string]hold // who was given which tasks; guarded by mu
	usual  time.Duration           // how long a task usually takes; 0 before there is a result; guarded by mu
	took   []time.Duration         // how long the last results took those who sent them; guarded by mu
	counts counts                  // guarded by mu
}

// maxTook is the number of results that say how long a task usually takes. Most of the last ones come
// from those who are not slow.
const maxTook = 15

// errAllDone ends the work on a lot whose tasks are all done.
var errAllDone = errors.New("all tasks are done")

// do gives out the tasks of a lot that have no result in its store, and waits until workers and
// the hub's own goroutines have done them all. The totals are those of this process and all
// workers. The caller has set the fields of the first block, and those of the audit but for functions.
func (h *Hub) do(ctx context.Context, d *dispatch) (selfplay.Totals, error) {
	d.hub, d.id, d.news = h, d.lot.ID(), make(wire.Signal, 1)
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	a := d.audit
	a.hub, a.gate, a.asked = h, d.lot.Kind != "shards", map[int]inquiry{}
	a.read, a.write, a.play, a.ask, a.cutOff = d.store.read, d.store.enter, d.doHere, d.ask, h.cutOff
	if done, err := d.isDone(); err != nil || done {
		return selfplay.Totals{}, err
	}
	h.begin(d)
	err := d.watch()
	d.cancel(err)
	if errors.Is(err, errAllDone) {
		h.broadcast(wire.State{Done: d.id}) // who works on it stops
	}
	h.finish(d)
	if b := d.audit.rollback(); b != nil { // comes before any other reason why the dispatch ended
		return d.total(), fmt.Errorf("cluster: %w", b)
	}
	if errors.Is(err, errAllDone) {
		return d.total(), nil
	}
	return d.total(), fmt.Errorf("cluster: %w", err)
}

// A closedLot says who was given which tasks of a lot that is not open any more.
type closedLot struct {
	id    string
	holds map[int]map[string]hold
}

// begin opens a dispatch. If its lot was open before, because the run went back, workers still do
// tasks that they were given then, and their results count.
func (h *Hub) begin(d *dispatch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.holds = map[int]map[string]hold{}
	if i := slices.IndexFunc(h.closed, func(c closedLot) bool { return c.id == d.id }); i >= 0 {
		d.holds = h.closed[i].holds
		h.closed = slices.Delete(h.closed, i, i+1)
	}
	h.open = append(h.open, d)
	h.wake()
}

// finish closes a dispatch, and waits until nobody uses it any more.
func (h *Hub) finish(d *dispatch) {
	const remembered = 4 // more than are in the hands of workers when the run goes back
	h.mu.Lock()
	h.open = slices.DeleteFunc(h.open, func(o *dispatch) bool { return o == d })
	h.mu.Unlock()
	d.users.Wait()
	c := closedLot{d.id, map[int]map[string]hold{}}
	d.mu.Lock()
	for number, all := range d.holds {
		c.holds[number] = map[string]hold{}
		for who, t := range all {
			if who != rundir.Trainer {
				t.held, t.sent = t.held && !t.sent, false // what was sent is stored, or was dropped
				c.holds[number][who] = t
			}
		}
	}
	d.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = append(h.closed, c)
	h.closed = h.closed[max(0, len(h.closed)-remembered):]
}

// watch waits until all tasks are done, and returns errAllDone, or until the dispatch ends
// for another reason, and returns that.
func (d *dispatch) watch() error {
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	for {
		d.audit.inquireAgain(d.lateSince())
		if done, err := d.isDone(); err != nil || done {
			return cmp.Or(err, errAllDone)
		}
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-d.news:
		case <-tick.C: // others may store results too
		}
	}
}

// isDone reports whether all tasks have a result, and those to be verified a second one.
func (d *dispatch) isDone() (bool, error) {
	missing, err := d.store.missing()
	if err != nil || len(missing) > 0 {
		return false, err
	}
	return d.audit.isSettled()
}

// ask decides who does a task of a worker again: with here, or without another worker, this process;
// otherwise one that chance chooses.
func (d *dispatch) ask(_ int, of string, here bool) (who string) {
	d.hub.wake()
	if !here {
		who = d.hub.roster.another(of, d.hub.chance())
	}
	return cmp.Or(who, rundir.Trainer)
}

// returned notes that a result has come from a worker, or from rundir.Trainer. valid says that it was one;
// if it was also the first of its task, isNew, who else has had the task for longer has been outrun.
func (d *dispatch) returned(number int, who string, valid, isNew bool) (outrun []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	mine := d.holds[number][who]
	if valid && mine.held {
		d.took = append(d.took, time.Since(mine.since))
		d.took = d.took[max(0, len(d.took)-maxTook):]
		d.usual = slices.Sorted(slices.Values(d.took))[len(d.took)/2]
	}
	for other, h := range d.holds[number] {
		if isNew && h.held && !h.sent && h.since.Before(mine.since) && other != rundir.Trainer {
			outrun = append(outrun, other)
		}
	}
	d.holds[number][who] = hold{since: mine.since}
	return outrun
}

// workHere does tasks in this process until ctx ends.
func (h *Hub) workHere(ctx context.Context) {
	for ctx.Err() == nil {
		if !h.leavesTasksToWorkers() {
			if d, first, ok := h.next(rundir.Trainer, ""); ok {
				d.workHere(first)
				continue
			}
		}
		select {
		case <-ctx.Done():
		case <-h.news:
		case <-time.After(time.Second): // a worker may be away
		}
	}
}

// leavesTasksToWorkers reports whether this process does no tasks for the moment, because it
// trains and there are workers.
func (h *Hub) leavesTasksToWorkers() bool { return h.training.Load() && h.roster.helps() }

// use reports whether the dispatch is open. If so, the caller calls users.Done when it no longer
// needs it.
func (d *dispatch) use() bool {
	d.hub.mu.Lock()
	defer d.hub.mu.Unlock()
	open := slices.Contains(d.hub.open, d)
	if open {
		d.users.Add(1)
	}
	return open
}

// workHere does tasks of the lot in this process until there are no more for it.
func (d *dispatch) workHere(first int) {
	if !d.use() {
		return
	}
	defer d.users.Done()
	var once sync.Once
	err := d.executor(d.ctx, taskIO{
		next: func() (number int, ok bool) {
			once.Do(func() { number, ok = first, true })
			if !ok && !d.hub.leavesTasksToWorkers() {
				_, number, ok = d.hub.next(rundir.Trainer, d.id)
			}
			return number, ok
		},
		send: func(number int, content []byte, t selfplay.Totals) error {
			isNew, err := d.audit.submit(d.ctx, rundir.Trainer, number, content)
			if err != nil {
				return err
			}
			d.count(func(c *counts) { c.begun = c.begun.Minus(selfplay.Totals{Games: t.Games, Positions: t.Positions}) })
			d.finished(number, rundir.Trainer, isNew, t)
			return nil
		},
		progress: func(t selfplay.Totals) {
			d.count(func(c *counts) { c.made.Add(t); c.begun.Add(selfplay.Totals{Games: t.Games, Positions: t.Positions}) })
		},
	})
	if err != nil {
		d.cancel(err)
	}
}

// doHere does one task in this process and returns its result.
func (d *dispatch) doHere(ctx context.Context, number int) (content []byte, err error) {
	err = d.executor(ctx, taskIO{
		next: selfplay.Each(number),
		send: func(_ int, c []byte, _ selfplay.Totals) error {
			content = c
			return nil
		},
		progress: func(selfplay.Totals) {},
	})
	return content, err
}
