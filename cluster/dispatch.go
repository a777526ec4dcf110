package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"dojo.example/run"
	"dojo.example/selfplay"

	"github.com/nats-io/nats.go/jetstream"
)

// A store keeps the results of a lot's tasks. Its methods may be called by several
// goroutines at a time.
type store interface {
	// missing lists the numbers of the tasks that have no result yet.
	missing() ([]int, error)

	// check returns an error if content cannot be the result of the task.
	check(ctx context.Context, number int, content []byte) error

	// read returns the result of a task, or fs.ErrNotExist if it has none yet.
	read(number int) ([]byte, error)

	// enter stores the result of a task that has none yet.
	enter(number int, content []byte) error
}

// A dispatch is a lot in progress: the hub has posted its tasks and collects the results.
type dispatch struct {
	lot      lot
	title    string // the name of the lot in the log
	store    store
	audit    *audit                // has some results computed again; nil for none
	executor executor              // does tasks in this process
	progress func(selfplay.Totals) // is told what has been done so far; may be nil

	hub    *Hub
	ctx    context.Context // ends with the dispatch
	cancel context.CancelCauseFunc
	users  sync.WaitGroup // the hub's goroutines that use the dispatch; see Hub.acquire
	doneAt atomic.Int64   // when the last result came, in nanoseconds since 1970
	news   atomic.Int64   // how many results have come, new ones or not

	takenBack atomic.Bool // workers have kept tasks for too long: what is verified is done by this process

	epoch int64 // Hub.epoch when the tasks were last posted

	mu            sync.Mutex
	doneHere      selfplay.Totals // by this process; guarded by mu
	doneByWorkers selfplay.Totals // guarded by mu
}

// errAllDone ends the work on a lot whose tasks are all done.
var errAllDone = errors.New("all tasks are done")

// do posts the tasks of a lot that have no result in its store, and waits until workers and
// the hub's own goroutines have done them all. files has the content of the lot's files. The
// totals are those of this process and all workers.
func (h *Hub) do(ctx context.Context, d *dispatch, files ...[]byte) (selfplay.Totals, error) {
	d.hub = h
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	defer d.cancel(nil)
	if done, err := d.isDone(); err != nil || done {
		return selfplay.Totals{}, err
	}
	err := h.openLot(d, files)
	if err == nil {
		err = d.post()
	}
	if err == nil {
		err = d.watch()
	}
	d.cancel(err)
	h.closeLot(ctx, d)
	if b := d.rollback(); b != nil { // comes before any other reason why the dispatch ended
		return d.total(), fmt.Errorf("cluster: %w", b)
	}
	if errors.Is(err, errAllDone) {
		return d.total(), nil
	}
	return d.total(), d.failed(err)
}

// failed returns why the dispatch ended before all tasks were done: the cause of its
// context's end if that has ended, otherwise err.
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
	t := d.doneHere
	t.Add(d.doneByWorkers)
	return t
}

// count calls update, which changes doneHere or doneByWorkers, and reports the new total.
func (d *dispatch) count(update func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	update()
	t := d.doneHere
	t.Add(d.doneByWorkers)
	if d.progress != nil {
		d.progress(t)
	}
}

// post posts a task for each number that is missing in the store, in place of those of this
// lot that are in the stream.
func (d *dispatch) post() error {
	h := d.hub
	d.epoch = h.epoch.Load()
	missing, err := d.store.missing()
	if err != nil {
		return err
	}
	subject := h.names.jobsSubject(d.lot.id())
	err = h.ask(d.ctx, "to remove the tasks of the "+d.title, func(ctx context.Context) error {
		return h.tasks.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
	if err != nil {
		return err
	}
	for _, n := range missing {
		err := h.ask(d.ctx, fmt.Sprintf("to keep task %d of the %s", n, d.title), func(ctx context.Context) error {
			_, err := h.js.Publish(ctx, subject, d.task(n).encode(), jetstream.WithRetryAttempts(0)) // link.ask tries again
			return err
		})
		if err != nil {
			return err
		}
	}
	d.inquireAgain()
	return nil
}

// task returns the task of a number.
func (d *dispatch) task(number int) task {
	return task{lot: d.lot, Number: number, Ticket: d.hub.tickets.task(d.lot.id(), number)}
}

// checkedHere is the share of the results to be verified that this process computes itself, and
// not another worker; and of the confirmations by workers that it checks.
const checkedHere = 0.25

// ask has a task of a worker done again by another worker, or by this process if here is set or
// there is no other worker; see audit. It returns the worker that was asked, or "" for this process.
func (d *dispatch) ask(number int, of string, here bool) (who string) {
	h, t := d.hub, d.task(number)
	if !d.takenBack.Load() && !here {
		who = h.roster.another(of, h.chance())
	}
	if who != "" {
		t.Ticket = h.tickets.check(d.lot.id(), number, who)
		if err := h.conn.Publish(h.names.checkSubject(who), t.encode()); err == nil {
			return who
		}
	}
	h.localQueue.addLocal(t)
	return ""
}

// inquireAgain asks again for verifications that got no answer; see audit.inquireAgain.
func (d *dispatch) inquireAgain() {
	if d.audit != nil {
		d.audit.inquireAgain(d.hub.overdueAfter())
	}
}

// isDone reports whether all tasks have a result, and those to be verified a second one.
func (d *dispatch) isDone() (bool, error) {
	missing, err := d.store.missing()
	if err != nil || len(missing) > 0 || d.audit == nil {
		return len(missing) == 0, err
	}
	return d.audit.isSettled()
}

// rollback returns how far the run must go back because of wrong results; nil if it need
// not.
func (d *dispatch) rollback() *run.Rollback {
	if d.audit == nil {
		return nil
	}
	return d.audit.rollback()
}

// watch waits until all tasks are done, and returns errAllDone, or until the dispatch ends
// for another reason, and returns that. It posts tasks again that got lost.
func (d *dispatch) watch() error {
	const patience = 100 // rounds of 20 ms
	d.noteDone()
	for idle, seen := 1, int64(-1); ; idle++ {
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx)
		case <-time.After(20 * time.Millisecond):
		}
		var done bool
		var err error
		if n := d.news.Load(); n != seen || idle%patience == 0 { // others may store results too
			seen = n
			done, err = d.isDone()
		}
		if err == nil && done {
			err = errAllDone
		}
		lost := d.epoch != d.hub.epoch.Load()
		if err == nil && !lost && idle%patience == 0 {
			d.inquireAgain()
			lost, err = d.hasLostTasks()
		}
		if err == nil && lost {
			err = d.post()
		}
		if err != nil {
			return err
		}
	}
}

// hasLostTasks reports whether some tasks have no result though no task and no result is in a
// stream or at work.
func (d *dispatch) hasLostTasks() (bool, error) {
	h := d.hub
	if h.localQueue.hasLocal() {
		return false, nil
	}
	var tasks, results *jetstream.ConsumerInfo
	err := h.ask(d.ctx, "how many tasks wait", func(ctx context.Context) (err error) {
		tasks, err = h.queue.Info(ctx)
		return err
	})
	if err == nil {
		err = h.ask(d.ctx, "how many results wait", func(ctx context.Context) (err error) {
			results, err = h.results.Info(ctx)
			return err
		})
	}
	if err == nil && results.NumPending+uint64(results.NumAckPending) == 0 {
		err = d.takeBack(tasks)
	}
	if err != nil || tasks.NumPending+results.NumPending > 0 || tasks.NumAckPending+results.NumAckPending > 0 {
		return false, err
	}
	if d.epoch == h.epoch.Load() {
		h.opt.Log.Warn("tasks got lost and are posted again", "lot", d.title)
	}
	return true, nil
}

// workHere does tasks in this process as long as the next task of the queue is of this lot.
func (d *dispatch) workHere(q *queue) {
	defer d.users.Done()
	defer q.giveBack() // if the dispatch ends before all tasks are done
	d.mu.Lock()
	before := d.doneHere
	d.mu.Unlock()
	report := func(t selfplay.Totals) {
		d.count(func() { d.doneHere = before; d.doneHere.Add(t) })
	}
	done, err := d.executor(d.ctx, taskIO{
		next: func() (number int, ok bool) {
			if d.hub.leavesTasksToWorkers() {
				return 0, false
			}
			return q.next(d.ctx)
		},
		send: func(number int, content []byte, _ selfplay.Totals) error {
			if err := d.enter(number, content); err != nil {
				return err
			}
			d.noteDone()
			d.news.Add(1)
			q.done(number)
			return nil
		},
		progress: report,
	})
	report(done)
	if err != nil {
		d.cancel(err)
	}
}

// doHere does one task in this process and returns its result.
func (d *dispatch) doHere(ctx context.Context, number int) (content []byte, err error) {
	_, err = d.executor(ctx, taskIO{
		next: selfplay.Each(number),
		send: func(_ int, c []byte, _ selfplay.Totals) error {
			content = c
			return nil
		},
		progress: func(selfplay.Totals) {},
	})
	return content, err
}
