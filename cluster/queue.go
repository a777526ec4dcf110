package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A queue takes tasks from the stream jobs for this process, the hub or a worker, and renews
// the leases of the tasks that it is working on.
type queue struct {
	tasks jetstream.Consumer
	log   *slog.Logger

	taking sync.Mutex // held while a task is taken, which may wait for the server

	mu      sync.Mutex
	local   []task                // tasks that this process has given itself, which are in no stream; guarded by mu
	lot     lot                   // next hands out tasks of this lot; guarded by mu
	leased  map[int]jetstream.Msg // the messages of the tasks of lot that are at work, by number; nil for local tasks; guarded by mu
	tickets map[int]string        // of the tasks that are at work; guarded by mu
	begun   map[int]time.Time     // when the tasks that are at work were handed out; guarded by mu
	slow    time.Duration         // the longest time that a task has taken; guarded by mu
	peeked  *fetchedTask          // the next task, already taken but not yet handed out; guarded by mu
	unsent  []jetstream.Msg       // the messages of tasks that are done, which the server does not know yet; guarded by mu
}

// A fetchedTask is a task and its message in the stream; msg is nil for a local task.
type fetchedTask struct {
	task
	msg jetstream.Msg
}

func newQueue(tasks jetstream.Consumer, log *slog.Logger) *queue {
	return &queue{tasks: tasks, log: log, leased: map[int]jetstream.Msg{}, tickets: map[int]string{}, begun: map[int]time.Time{}}
}

// addLocal adds a local task: one that only this process knows of.
func (q *queue) addLocal(t task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.local = append(q.local, t)
}

// hasLocal reports whether some local tasks are not done yet.
func (q *queue) hasLocal() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := len(q.local) > 0 || q.peeked != nil && q.peeked.msg == nil
	for _, msg := range q.leased {
		waiting = waiting || msg == nil
	}
	return waiting
}

// begin waits for a task, at most as long as wait. From then on next hands out tasks of that
// task's lot, l. ok is false if no task came. No task of another lot may be at work.
func (q *queue) begin(ctx context.Context, wait time.Duration) (l lot, ok bool, err error) {
	q.taking.Lock()
	defer q.taking.Unlock()
	err = q.peek(ctx, wait)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peeked == nil {
		return lot{}, false, err
	}
	q.lot = q.peeked.lot
	return q.lot, true, nil
}

// next returns the number of the next task of the lot; ok is false if the next task is of
// another lot, there is none, or ctx has ended. See taskIO.
func (q *queue) next(ctx context.Context) (number int, ok bool) {
	q.taking.Lock()
	defer q.taking.Unlock()
	_ = q.peek(ctx, 0) // an error shows again in begin
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.peeked == nil || q.peeked.lot != q.lot {
		return 0, false
	}
	number = q.peeked.Number
	q.leased[number], q.tickets[number], q.begun[number] = q.peeked.msg, q.peeked.Ticket, time.Now()
	q.peeked = nil
	return number, true
}

// peek takes a local task, or else one from the stream, for which it waits at most as long as
// wait, unless a task is already peeked. A task that is already at work in this process goes
// back to the stream: if a process did a shard twice at the same time, the games of both would
// be mixed up.
func (q *queue) peek(ctx context.Context, wait time.Duration) error {
	for !q.peekLocal() {
		t, err := q.fetch(ctx, wait)
		if t == nil {
			return err
		}
		q.mu.Lock()
		taken := q.offer(t)
		q.mu.Unlock()
		if taken {
			return nil
		}
		if err := t.msg.NakWithDelay(lease / 10); err != nil {
			return fmt.Errorf("leave a task to others: %w", err)
		}
		if wait > 0 {
			return nil // the caller comes again
		}
	}
	return nil
}

// peekLocal takes the oldest local task that is not already at work, unless a task is already
// peeked. It returns false if there is none.
func (q *queue) peekLocal() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.peeked == nil && len(q.local) > 0 {
		t := q.local[0]
		q.local = q.local[1:]
		q.offer(&fetchedTask{task: t}) // one that is at work already is enough
	}
	return q.peeked != nil
}

// offer makes t the next task, unless it is already at work. The caller holds q.mu.
func (q *queue) offer(t *fetchedTask) bool {
	_, busy := q.leased[t.Number]
	if busy && t.lot == q.lot {
		return false
	}
	q.peeked = t
	return true
}

// fetch takes a task from the stream; see fetchMessage. One that was damaged on its way is removed:
// the hub posts it again.
func (q *queue) fetch(ctx context.Context, wait time.Duration) (*fetchedTask, error) {
	msg, err := fetchMessage(ctx, q.tasks, wait)
	if err != nil {
		return nil, fmt.Errorf("take a task: %w", err)
	}
	if msg == nil {
		return nil, nil
	}
	t, err := decodeTask(msg.Data())
	if err != nil {
		q.log.Warn("a task that was damaged on its way was dropped", "error", err)
		return nil, msg.Term()
	}
	return &fetchedTask{t, msg}, nil
}

// fetchMessage takes a message from a stream, for which it waits at most as long as wait, and
// no longer than until ctx ends; nil if none comes.
func fetchMessage(ctx context.Context, stream jetstream.Consumer, wait time.Duration) (msg jetstream.Msg, err error) {
	var batch jetstream.MessageBatch
	if wait == 0 {
		batch, err = stream.FetchNoWait(1)
	} else {
		limited, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		batch, err = stream.Fetch(1, jetstream.FetchContext(limited))
		if err != nil && isOver(limited) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, unlessOver(ctx, err)
	}
	select {
	case msg = <-batch.Messages():
	case <-ctx.Done():
		go func() { // it does not wait for others until the lease ends
			if late := <-batch.Messages(); late != nil {
				_ = late.Nak()
			}
		}()
		return nil, nil
	}
	if err = batch.Error(); msg != nil || err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) {
		return msg, nil
	}
	return nil, unlessOver(ctx, err)
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

// done removes a task from the stream when its result has been sent. If that fails, renewLeases
// tries again.
func (q *queue) done(number int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if msg := q.leased[number]; msg != nil && msg.Ack() != nil {
		q.unsent = append(q.unsent, msg)
	}
	delete(q.leased, number)
	delete(q.tickets, number)
	if begun, ok := q.begun[number]; ok {
		q.slow = max(q.slow, time.Since(begun))
		delete(q.begun, number)
	}
}

// ticket returns the ticket of a task that this process is working on.
func (q *queue) ticket(number int) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tickets[number]
}

// longestTask is the longest time that a task has taken in this process.
func (q *queue) longestTask() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.slow
}

// oldestTask is how long the oldest of the tasks that are at work has been so; 0 for none.
func (q *queue) oldestTask() (age time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, begun := range q.begun {
		age = max(age, time.Since(begun))
	}
	return age
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
	clear(q.tickets)
	clear(q.begun)
	switch {
	case q.peeked == nil:
	case q.peeked.msg == nil:
		q.local = append(q.local, q.peeked.task)
	default:
		_ = q.peeked.msg.Nak()
	}
	q.peeked = nil
}

// renewLeases renews the leases of all tasks that the queue has taken, and removes tasks that
// done could not remove, until ctx ends.
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
		q.unsent = slices.DeleteFunc(q.unsent, func(msg jetstream.Msg) bool { return msg.Ack() == nil })
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
