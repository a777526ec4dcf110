package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A queue takes tasks from the stream jobs for this process, the hub or a worker, and renews
// the leases of those that are at work.
type queue struct {
	tasks  jetstream.Consumer
	worker string // the worker\'s name, "" in the hub; tasks with this name in Except are left to others

	localMu sync.Mutex
	local   []task // tasks that this process has given itself, which are in no stream; guarded by localMu

	mu     sync.Mutex
	lot    lot                   // next hands out tasks of this lot; guarded by mu
	leased map[int]jetstream.Msg // the messages of the tasks of lot that are at work, by number; nil for local tasks; guarded by mu
	peeked *fetchedTask          // the next task, already taken but not yet handed out; guarded by mu
}

// A fetchedTask is a task and its message in the stream; msg is nil for a local task.
type fetchedTask struct {
	task
	msg jetstream.Msg
}

func newQueue(tasks jetstream.Consumer, worker string) *queue {
	return &queue{tasks: tasks, worker: worker, leased: map[int]jetstream.Msg{}}
}

// addLocal adds a local task: one that only this process knows of.
func (q *queue) addLocal(t task) {
	q.localMu.Lock()
	defer q.localMu.Unlock()
	q.local = append(q.local, t)
}

// takeLocal takes the oldest local task; nil if there is none.
func (q *queue) takeLocal() *fetchedTask {
	q.localMu.Lock()
	defer q.localMu.Unlock()
	if len(q.local) == 0 {
		return nil
	}
	t := q.local[0]
	q.local = q.local[1:]
	return &fetchedTask{task: t}
}

// hasLocal reports whether some local tasks are not done yet.
func (q *queue) hasLocal() bool {
	q.localMu.Lock()
	waiting := len(q.local) > 0
	q.localMu.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting = waiting || q.peeked != nil && q.peeked.msg == nil
	for _, msg := range q.leased {
		waiting = waiting || msg == nil
	}
	return waiting
}

// begin waits for a task, at most as long as wait. From then on next hands out tasks of that
// task's lot, l. ok is false if no task came. No task of another lot may be at work.
func (q *queue) begin(ctx context.Context, wait time.Duration) (l lot, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peeked == nil {
		if q.peeked, err = q.take(ctx, wait); q.peeked == nil {
			return lot{}, false, err
		}
	}
	q.lot = q.peeked.lot
	return q.lot, true, nil
}

// take takes a local task, or else one from the stream, for which it waits at most as long as
// wait; nil if none comes. A task that is already at work in this process, or that it must
// leave to others, goes back to the stream: if a process did a shard twice at the same time,
// the games of both would be mixed up.
func (q *queue) take(ctx context.Context, wait time.Duration) (*fetchedTask, error) {
	for {
		t := q.takeLocal()
		if t == nil {
			var err error
			if t, err = q.fetch(ctx, wait); t == nil {
				return nil, err
			}
		}
		_, busy := q.leased[t.Number]
		busy = busy && t.lot == q.lot
		if !busy && (t.Except == "" || t.Except != q.worker) {
			return t, nil
		}
		if t.msg == nil {
			continue // the one at work is enough
		}
		if err := t.msg.NakWithDelay(lease / 10); err != nil {
			return nil, fmt.Errorf("leave a task to others: %w", err)
		}
		if wait > 0 {
			return nil, nil // the caller comes again
		}
	}
}

// fetch takes a task from the stream; see take.
func (q *queue) fetch(ctx context.Context, wait time.Duration) (*fetchedTask, error) {
	var batch jetstream.MessageBatch
	var err error
	if wait == 0 {
		batch, err = q.tasks.FetchNoWait(1)
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
		batch, err = q.tasks.Fetch(1, jetstream.FetchContext(ctx))
	}
	if err != nil {
		return nil, unlessOver(ctx, fmt.Errorf("take a task: %w", err))
	}
	if msg, ok := <-batch.Messages(); ok {
		var t task
		if err := json.Unmarshal(msg.Data(), &t); err != nil {
			return nil, errors.Join(fmt.Errorf("a task cannot be read: %w", err), msg.Term())
		}
		return &fetchedTask{t, msg}, nil
	}
	err = batch.Error()
	if err == nil || isOver(ctx) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, nats.ErrTimeout) {
		return nil, nil
	}
	return nil, fmt.Errorf("take a task: %w", err)
}

// isOver reports whether ctx has ended, or is about to: NATS refuses a context whose
// deadline has passed even before the context itself knows.
func isOver(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// unlessOver returns err, or nil if ctx has ended, which then is the reason for err.
func unlessOver(ctx context.Context, err error) error {
	if isOver(ctx) {
		return nil
	}
	return err
}

// next returns the number of the next task of the lot; ok is false if the next task is of
// another lot or there is none. See taskIO.
func (q *queue) next() (number int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peeked == nil {
		q.peeked, _ = q.take(context.Background(), 0) // an error shows again in begin
	}
	if q.peeked == nil || q.peeked.lot != q.lot {
		return 0, false
	}
	number = q.peeked.Number
	q.leased[number] = q.peeked.msg
	q.peeked = nil
	return number, true
}

// done removes a task from the stream when its result has been sent.
func (q *queue) done(number int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	msg := q.leased[number]
	delete(q.leased, number)
	if msg == nil {
		return nil
	}
	return msg.Ack()
}

// leasedCount is the number of tasks that are at work.
func (q *queue) leasedCount() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.leased)
}

// drop removes the task that begin has found, because its lot is over.
func (q *queue) drop() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peeked == nil {
		return nil
	}
	msg := q.peeked.msg
	q.peeked = nil
	if msg == nil {
		return nil
	}
	return msg.Ack()
}

// giveBack returns the tasks that are not done to the stream, so that others get them at
// once. If that fails, others get them when the leases end. A local task that was not handed
// out is queued again: its lot is usually still open, and no other process knows of it.
func (q *queue) giveBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, msg := range q.leased {
		if msg != nil {
			_ = msg.Nak()
		}
	}
	clear(q.leased)
	switch {
	case q.peeked == nil:
	case q.peeked.msg == nil:
		q.addLocal(q.peeked.task)
	default:
		_ = q.peeked.msg.Nak()
	}
	q.peeked = nil
}

// renewLeases renews the leases of all tasks that the queue has taken, until ctx ends.
func (q *queue) renewLeases(ctx context.Context) {
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		q.mu.Lock()
		for _, msg := range q.leased {
			if msg != nil {
				_ = msg.InProgress() // if it fails, another worker does the same task
			}
		}
		if q.peeked != nil && q.peeked.msg != nil {
			_ = q.peeked.msg.InProgress()
		}
		q.mu.Unlock()
	}
}
