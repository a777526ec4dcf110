package cluster

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"

	"dojo/run"
)

// Books are the ledger of a run, for its audits.
type books struct {
	mu     sync.Mutex
	ledger *run.Ledger // guarded by mu
}

// refresh reads what a rollback has written into the ledger.
func (b *books) refresh() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ledger.Refresh()
}

// beginGate makes the ledger forget the pairs of a gate that was begun before: they are
// played again.
func (b *books) beginGate(generation int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.ledger.Refresh(); err != nil {
		return err
	}
	stale := b.ledger.Pairs(generation)
	if len(stale) == 0 {
		return nil
	}
	for i := range stale {
		stale[i].Event = run.Dropped
	}
	return b.ledger.Append(stale...)
}

// An audit takes the finished shards of a generation, or the pairs of its gate, which are
// called shards here too. It writes down in the run's ledger which worker handed in which,
// and sees to it that some are computed again, by another worker or by this process. Two
// results of a shard that differ mean that somebody computes wrongly: this process then
// plays the shard itself. Its methods may be called by several goroutines at a time.
type audit struct {
	hub *Hub
	*books
	generation int
	gate       bool // pairs of games

	read  func(shard int) ([]byte, error)                      // what there is of a shard
	write func(shard int, content []byte) error                // puts it there
	play  func(ctx context.Context, shard int) ([]byte, error) // plays it here
	again func(shard int, except string)                       // has it played again, not by the worker of that name

	back *run.Rollback // what must be undone before the games go on; guarded by mu
}

// submit takes the content of a shard that a worker has sent, or this process, whose name
// here is run.Trainer, has played. It reports whether the shard was missing until now.
// The error is a *run.Rollback if shards that were accepted before are not to be trusted.
func (a *audit) submit(ctx context.Context, from string, shard int, content []byte) (isNew bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.back != nil {
		return false, a.back
	}
	file, err := a.read(shard)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, a.enter(from, shard, content)
	case err != nil:
		return false, err
	case bytes.Equal(file, content):
		return false, a.agree(from, shard, content)
	}
	right := content
	if from != run.Trainer {
		if right, err = a.play(ctx, shard); err != nil {
			return false, err
		}
	}
	return false, a.judge(shard, right, file, from, content)
}

// enter puts a shard that was missing into the folder. The ledger has it first, so that
// no shard of a worker is ever taken for this process's own.
func (a *audit) enter(from string, shard int, content []byte) error {
	e := a.entry(run.Handed, from, shard, content)
	if from == run.Trainer {
		if old, ok := a.ledger.HandIn(run.Entry{Generation: a.generation, Shard: shard, Gate: a.gate}); ok { // what was handed in is gone
			old.Event = run.Dropped
			if err := a.ledger.Append(old); err != nil {
				return err
			}
		}
		return a.write(shard, content)
	}
	e.Picked = a.hub.pick()
	if err := a.ledger.Append(e); err != nil {
		return err
	}
	if err := a.write(shard, content); err != nil {
		return err
	}
	if e.Picked {
		a.again(shard, from)
	}
	return nil
}

func (a *audit) entry(event run.Event, worker string, shard int, content []byte) run.Entry {
	return run.Entry{Event: event, Generation: a.generation, Shard: shard, Gate: a.gate, Worker: worker, Hash: digest(content)}
}

// agree takes a second result of a shard that is the same as the first.
func (a *audit) agree(from string, shard int, content []byte) error {
	e, ok := a.handedIn(shard, content)
	switch {
	case !ok || e.By != "": // it is this process's own, or confirmed
		return nil
	case e.Worker != from:
		e.Event, e.By, e.Picked = run.Confirmed, from, false
		return a.ledger.Append(e)
	case e.Picked: // that a worker agrees with itself proves nothing
		a.again(shard, from)
	}
	return nil
}

// handedIn returns the entry of the worker that handed in a shard as it is in the folder;
// ok is false if it is this process's own.
func (a *audit) handedIn(shard int, file []byte) (e run.Entry, ok bool) {
	e, ok = a.ledger.HandIn(run.Entry{Generation: a.generation, Shard: shard, Gate: a.gate})
	return e, ok && e.Hash == digest(file)
}

// judge decides between the file of a shard and another result of it, when this process
// has played it too, with the result right. Workers that were wrong are cut off.
func (a *audit) judge(shard int, right, file []byte, from string, sent []byte) error {
	var verdicts []run.Entry
	e, ok := a.handedIn(shard, file)
	e.By, e.Picked = run.Trainer, false
	switch {
	case ok && bytes.Equal(file, right):
		e.Event = run.Confirmed
		verdicts = append(verdicts, e)
	case ok:
		e.Event, e.Right = run.Wrong, digest(right)
		verdicts = append(verdicts, e)
	case !bytes.Equal(file, right):
		a.hub.opt.Log.Error("a shard in the run's folder was wrong, and is replaced", "generation", a.generation, "shard", shard)
		if err := a.write(shard, right); err != nil {
			return err
		}
	}
	if !bytes.Equal(sent, right) {
		e := a.entry(run.Wrong, from, shard, sent)
		e.By, e.Right = run.Trainer, digest(right)
		verdicts = append(verdicts, e)
	}
	if err := a.ledger.Append(verdicts...); err != nil {
		return err
	}
	for _, e := range verdicts {
		if e.Event == run.Wrong {
			a.hub.cutOff(e)
		}
	}
	if a.back = a.ledger.Owed(); a.back != nil {
		return a.back
	}
	return nil
}

// isSettled reports whether all shards that were picked have been computed again. It
// waits for a dispute to be decided.
func (a *audit) isSettled() (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.back != nil {
		return false, a.back
	}
	return len(a.unsettled()) == 0, nil
}

// unsettled lists the shards that are still to be computed again.
func (a *audit) unsettled() (all []run.Entry) {
	for _, e := range a.ledger.Pending() {
		if e.Generation == a.generation && e.Gate == a.gate {
			all = append(all, e)
		}
	}
	return all
}

// repeat has all shards computed again that are still to be.
func (a *audit) repeat() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.unsettled() {
		a.again(e.Shard, e.Worker)
	}
}

// rollback is what must be undone; nil if it is nothing.
func (a *audit) rollback() *run.Rollback {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.back
}

// secret returns a source of random numbers that nobody can foresee.
func secret() rand.Source {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // it never fails
	return rand.NewChaCha8(seed)
}

// pick decides whether a shard is computed again. It is asked when the shard is there:
// who handed it in could not know.
func (h *Hub) pick() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return rand.New(h.picks).Float64() < h.opt.Verify
}

// cutOff lets a worker that was wrong do nothing more.
func (h *Hub) cutOff(e run.Entry) {
	h.opt.Log.Error("what a worker handed in is wrong, and it is cut off", "worker", e.Worker, "what", e.What(), "hash", e.Hash, "right", e.Right)
	h.refuse(e.Worker, whyCutOff(e))
}

// whyCutOff tells a worker why it is no longer let in.
func whyCutOff(e run.Entry) string {
	return fmt.Sprintf("%s, which %s handed in, is wrong: its computer makes mistakes, or its program is not ours", e.What(), e.Worker)
}
