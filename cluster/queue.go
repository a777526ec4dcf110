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

// A queue takes tasks from the stream jobs. It keeps those that are being played from
// being given to others.
type queue struct {
	tasks  jetstream.Consumer
	worker string // its name; tasks that except it are left to others

	mine sync.Mutex
	own  []task // tasks that this process gave itself; guarded by mine

	mu    sync.Mutex
	job   task                  // whose shards next hands out; guarded by mu
	held  map[int]jetstream.Msg // the tasks that are being played, by shard; nil for one's own; guarded by mu
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
	q.mine.Lock()
	defer q.mine.Unlock()
	q.own = append(q.own, t)
}

// takeOwn takes a task of one's own; nil if there is none.
func (q *queue) takeOwn() *taken {
	q.mine.Lock()
	defer q.mine.Unlock()
	if len(q.own) == 0 {
		return nil
	}
	t := q.own[0]
	q.own = q.own[1:]
	return &taken{task: t}
}

// begin waits for a task, for a while, and makes next hand out shards of its job; ok
// is false if none came.
func (q *queue) begin(ctx context.Context, wait time.Duration) (job task, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead == nil {
		if q.ahead, err = q.take(ctx, wait); q.ahead == nil {
			return task{}, false, err
		}
	}
	q.job = q.ahead.task
	return q.job, true, nil
}

// take takes a task, one's own or one from the stream, and waits for one for a while if
// wait is not 0; nil if none comes. A task that this process plays already, or leaves to
// others, goes back to the stream.
func (q *queue) take(ctx context.Context, wait time.Duration) (*taken, error) {
	for {
		t := q.takeOwn()
		if t == nil {
			var err error
			if t, err = q.fetch(ctx, wait); t == nil {
				return nil, err
			}
		}
		_, busy := q.held[t.Shard]
		if !busy && (t.Except == "" || t.Except != q.worker) {
			return t, nil
		}
		if t.msg != nil {
			if err := t.msg.NakWithDelay(lease / 10); err != nil {
				return nil, fmt.Errorf("leave a task to others: %w", err)
			}
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

// next hands out the next shard of the job, if the stream has one; see selfplay.Shards.
func (q *queue) next() (shard int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead == nil {
		q.ahead, _ = q.take(context.Background(), 0) // an error shows again in begin
	}
	if q.ahead == nil || !q.ahead.sameJob(q.job) {
		return 0, false
	}
	shard = q.ahead.Shard
	q.held[shard] = q.ahead.msg
	q.ahead = nil
	return shard, true
}

// done says that a shard has been sent, so that nobody else gets its task.
func (q *queue) done(shard int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	msg := q.held[shard]
	delete(q.held, shard)
	if msg == nil {
		return nil
	}
	return msg.Ack()
}

// giveBack gives the tasks that are not done to others at once. If it fails they get
// them when the lease ends.
func (q *queue) giveBack() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ahead != nil {
		q.held[q.ahead.Shard] = q.ahead.msg
		q.ahead = nil
	}
	for _, msg := range q.held {
		if msg != nil {
			_ = msg.Nak()
		}
	}
	clear(q.held)
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
				_ = msg.InProgress() // if it fails, another worker plays the same shard
			}
		}
		if q.ahead != nil && q.ahead.msg != nil {
			_ = q.ahead.msg.InProgress()
		}
		q.mu.Unlock()
	}
}
