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
	tasks jetstream.Consumer

	mu    sync.Mutex
	lot   lot                   // whose tasks next hands out; guarded by mu
	held  map[int]jetstream.Msg // the tasks of lot that are at work, by number; guarded by mu
	ahead *taken                // a task that was taken and not yet handed out; guarded by mu
}

// A taken is a task and its message.
type taken struct {
	task
	msg jetstream.Msg
}

func newQueue(tasks jetstream.Consumer) *queue {
	return &queue{tasks: tasks, held: map[int]jetstream.Msg{}}
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

// take takes a task from the stream, and waits for one for a while if wait is not 0; nil
// if none comes.
func (q *queue) take(ctx context.Context, wait time.Duration) (*taken, error) {
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
	msg, ok := q.held[number]
	if !ok { // it came twice, and was done twice
		return nil
	}
	delete(q.held, number)
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
	return msg.Ack()
}

// giveBack gives the tasks that are not done to others at once. If it fails they get
// them when the lease ends.
func (q *queue) giveBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, msg := range q.held {
		_ = msg.Nak()
	}
	clear(q.held)
	if q.ahead != nil {
		_ = q.ahead.msg.Nak()
		q.ahead = nil
	}
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
			_ = msg.InProgress() // if it fails, another worker does the same task
		}
		if q.ahead != nil {
			_ = q.ahead.msg.InProgress()
		}
		q.mu.Unlock()
	}
}
