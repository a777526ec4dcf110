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

// A queue takes tasks from the stream jobs. It keeps those that are at work from being
// given to others.
type queue struct {
	tasks  jetstream.Consumer
	worker string // its name; tasks that except it are left to others

	given sync.Mutex
	own   []task // tasks that this process gave itself; guarded by given

	mu    sync.Mutex
	lot   lot                   // whose tasks next hands out; guarded by mu
	held  map[int]jetstream.Msg // the tasks of lot that are at work, by number; nil for one's own; guarded by mu
	ahead *taken                // a task that was taken and not yet handed out; guarded by mu
}

// A taken is a task and its message; nil for one's own.
type taken struct {
	task
	msg jetstream.Msg
}

func newQueue(tasks jetstream.Consumer, worker string) *queue {
	return &queue{tasks: tasks, worker: worker, held: map[int]jetstream.Msg{}}
}

// give adds a task of one's own.
func (q *queue) give(t task) {
	q.given.Lock()
	defer q.given.Unlock()
	q.own = append(q.own, t)
}

// takeOwn takes a task of one's own; nil if there is none.
func (q *queue) takeOwn() *taken {
	q.given.Lock()
	defer q.given.Unlock()
	if len(q.own) == 0 {
		return nil
	}
	t := q.own[0]
	q.own = q.own[1:]
	return &taken{task: t}
}

// hasOwn reports whether tasks of one's own are not done.
func (q *queue) hasOwn() bool {
	q.given.Lock()
	waiting := len(q.own) > 0
	q.given.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting = waiting || q.ahead != nil && q.ahead.msg == nil
	for _, msg := range q.held {
		waiting = waiting || msg == nil
	}
	return waiting
}

// begin waits for a task, for a while, and makes next hand out tasks of its lot; ok is
// false if none came. No task of another lot may be at work.
func (q *queue) begin(ctx context.Context, wait time.Duration) (l lot, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead == nil {
		if q.ahead, err = q.take(ctx, wait); q.ahead == nil {
			return lot{}, false, err
		}
	}
	q.lot = q.ahead.lot
	return q.lot, true, nil
}

// take takes a task, one's own or one from the stream, and waits for one for a while if
// wait is not 0; nil if none comes. A task that this process does already, or leaves to
// others, goes back to the stream: doing a shard twice at once would mix its games.
func (q *queue) take(ctx context.Context, wait time.Duration) (*taken, error) {
	for {
		t := q.takeOwn()
		if t == nil {
			var err error
			if t, err = q.fetch(ctx, wait); t == nil {
				return nil, err
			}
		}
		_, busy := q.held[t.Number]
		busy = busy && t.lot == q.lot
		if !busy && (t.Except == "" || t.Except != q.worker) {
			return t, nil
		}
		if t.msg == nil {
			continue // what is at work will do
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
func (q *queue) fetch(ctx context.Context, wait time.Duration) (*taken, error) {
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
		return &taken{t, msg}, nil
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

// unlessOver returns err, or nil if it only says that ctx has ended.
func unlessOver(ctx context.Context, err error) error {
	if isOver(ctx) {
		return nil
	}
	return err
}

// next hands out the number of the next task, if the stream has one of the lot; see
// bench.
func (q *queue) next() (number int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead == nil {
		q.ahead, _ = q.take(context.Background(), 0) // an error shows again in begin
	}
	if q.ahead == nil || q.ahead.lot != q.lot {
		return 0, false
	}
	number = q.ahead.Number
	q.held[number] = q.ahead.msg
	q.ahead = nil
	return number, true
}

// done says that what a task gave has been sent, so that nobody else gets the task.
func (q *queue) done(number int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	msg := q.held[number]
	delete(q.held, number)
	if msg == nil {
		return nil
	}
	return msg.Ack()
}

// count is the number of tasks that are at work.
func (q *queue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.held)
}

// drop throws away the task that begin has found: its lot is over.
func (q *queue) drop() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead == nil {
		return nil
	}
	msg := q.ahead.msg
	q.ahead = nil
	if msg == nil {
		return nil
	}
	return msg.Ack()
}

// giveBack gives the tasks that are not done to others at once. If it fails they get
// them when the lease ends. A task of one's own that was not handed out waits again:
// its lot is usually still open, and nobody else knows of it.
func (q *queue) giveBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, msg := range q.held {
		if msg != nil {
			_ = msg.Nak()
		}
	}
	clear(q.held)
	switch {
	case q.ahead == nil:
	case q.ahead.msg == nil:
		q.give(q.ahead.task)
	default:
		_ = q.ahead.msg.Nak()
	}
	q.ahead = nil
}

// keep asks for more time for the tasks that are held, again and again until ctx ends.
func (q *queue) keep(ctx context.Context) {
	tick := time.NewTicker(lease / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		q.mu.Lock()
		for _, msg := range q.held {
			if msg != nil {
				_ = msg.InProgress() // if it fails, another worker does the same task
			}
		}
		if q.ahead != nil && q.ahead.msg != nil {
			_ = q.ahead.msg.InProgress()
		}
		q.mu.Unlock()
	}
}
