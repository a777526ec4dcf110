package cluster

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"io/fs"
	"math/rand/v2"
	"sync"
	"time"

	"dojo.example/data/rundir"
)

// A sharedLedger is the run's ledger, which says which worker sent which result, with a lock
// for the audits that use it at the same time.
type sharedLedger struct {
	mu     sync.Mutex
	ledger *rundir.Ledger // guarded by mu
}

// refresh reads the entries that a rollback has added to the ledger's file.
func (b *sharedLedger) refresh() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ledger.Refresh()
}

// beginGate drops the pairs of an earlier, unfinished match of this gate from the ledger,
// because they are played again.
func (b *sharedLedger) beginGate(generation int) error {
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
		stale[i].Event = rundir.Dropped
	}
	return b.ledger.Append(stale...)
}

// An audit verifies results of workers: the shards of a generation, or the pairs of games of
// its gate, which this file calls shards too. It stores each result, records in the run's
// ledger which worker sent it, and has some of them computed again: a quarter by this process,
// the others by workers with other keys, which chance chooses. Only who was asked can confirm
// a result, and a quarter of these confirmations are checked by this process. If two results of a shard differ, one of them is wrong, and this process plays
// the shard itself to find out which. Its methods may be called by several goroutines at a
// time.
type audit struct {
	hub *Hub
	*sharedLedger
	verified   float64 // the share of the results that are computed again, by and by
	generation int
	gate       bool // the shards are the pairs of games of a gate or a match

	read   func(shard int) ([]byte, error)                      // returns the stored result
	write  func(shard int, content []byte) error                // stores a result
	play   func(ctx context.Context, shard int) ([]byte, error) // plays the shard in this process
	ask    func(shard int, of string, here bool) (who string)   // decides who plays it again: rundir.Trainer, or a worker with another key than of
	cutOff func(rundir.Entry)                                   // of a worker whose result was wrong

	asked       map[int]inquiry  // by shard: who is to play it again; guarded by mu
	disputes    int              // the shards that this process plays because two results differ; guarded by mu
	rollbackDue *rundir.Rollback // what must be undone before the games go on; nil for nothing; guarded by mu
}

// checkedHere is the share of the results to be verified that this process computes itself, and
// not another worker; and of the confirmations by workers that it checks.
const checkedHere = 0.25

// An inquiry is the question to a worker, or to rundir.Trainer, to play a shard again.
type inquiry struct {
	who string
	at  time.Time
}

// anybody stands for all workers, and for rundir.Trainer.
const anybody = ""

// asks returns the first shard that a worker, rundir.Trainer or anybody is to play again, and that plays
// says is not being played.
func (a *audit) asks(who string, plays func(shard int) bool) (shard int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n, q := range a.asked {
		if (who == anybody || q.who == who) && !plays(n) && (!ok || n < shard) {
			shard, ok = n, true
		}
	}
	return shard, ok
}

// submit takes a result of a shard from a worker, or from rundir.Trainer. isNew says that the shard had no
// result before. The error is a *rundir.Rollback if shards that were accepted before can no longer be
// trusted.
func (a *audit) submit(ctx context.Context, from string, shard int, content []byte) (isNew bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rollbackDue != nil {
		return false, a.rollbackDue
	}
	asked := a.asked[shard].who == from
	if asked || from == rundir.Trainer {
		delete(a.asked, shard)
	}
	file, err := a.read(shard)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, a.enter(from, shard, content)
	case err != nil:
		return false, err
	case bytes.Equal(file, content):
		return false, a.confirm(from, asked, shard, content)
	}
	right := content
	if from != rundir.Trainer {
		a.disputes++
		a.mu.Unlock() // other results go on meanwhile
		right, err = a.play(ctx, shard)
		a.mu.Lock()
		a.disputes--
		if err == nil {
			file, err = a.read(shard)
		}
		if err != nil {
			return false, err
		}
	}
	return false, a.judge(shard, right, file, from, content)
}

// enter stores the first result of a shard. It is written into the ledger before it is
// stored: if the process dies in between, no worker's result is mistaken for the trainer's.
func (a *audit) enter(from string, shard int, content []byte) error {
	if from == rundir.Trainer {
		if old, ok := a.ledger.HandIn(rundir.Entry{Generation: a.generation, Shard: shard, Gate: a.gate}); ok { // a worker's result that was lost
			old.Event = rundir.Dropped
			if err := a.ledger.Append(old); err != nil {
				return err
			}
		}
		return a.write(shard, content)
	}
	e := a.ledgerEntry(rundir.Handed, from, shard, content)
	e.Picked = a.hub.picks(a.share(from), e)
	if err := a.ledger.Append(e); err != nil {
		return err
	}
	if err := a.write(shard, content); err != nil {
		return err
	}
	if e.Picked {
		a.inquire(shard, from, a.hub.checksHere())
	}
	return nil
}

// probation is the number of a new key's first results that are all computed again.
const probation = 4

// share is the share of a worker's results that are computed again. It falls with their number,
// so that the first ones of a new key are all checked.
func (a *audit) share(worker string) float64 {
	if a.verified == 0 {
		return 0
	}
	return max(a.verified, probation/float64(1+a.ledger.HandIns(worker)))
}

// inquire has a shard of a worker played again, here or by somebody else. The caller holds a.mu.
func (a *audit) inquire(shard int, worker string, here bool) {
	a.asked[shard] = inquiry{a.ask(shard, worker, here), time.Now()}
}

func (a *audit) ledgerEntry(event rundir.Event, worker string, shard int, content []byte) rundir.Entry {
	return rundir.Entry{Event: event, Generation: a.generation, Shard: shard, Gate: a.gate, Worker: worker, Hash: rundir.TextHash(content)}
}

// confirm takes another result of a shard that is equal to the stored one. That of the trainer counts
// whether or not somebody was asked, or has confirmed it before.
func (a *audit) confirm(from string, asked bool, shard int, content []byte) error {
	e, ok := a.handIn(shard, content)
	switch {
	case !ok || e.By == rundir.Trainer: // the trainer's own, or confirmed by it
		return nil
	case from != rundir.Trainer && (!asked || e.By != "" || rundir.KeyOf(from) == rundir.KeyOf(e.Worker)):
		return nil // the sender was not asked, or has the key whose result is in doubt
	}
	e.Event, e.By = rundir.Confirmed, from
	e.Picked = from != rundir.Trainer && a.hub.checksHere() // those who confirm are checked too
	if err := a.ledger.Append(e); err != nil {
		return err
	}
	if e.Picked {
		a.inquire(shard, e.Worker, true)
	}
	return nil
}

// handIn returns the ledger's entry of the worker that sent the stored result, file, of a
// shard; ok is false if the result is this process's own.
func (a *audit) handIn(shard int, file []byte) (e rundir.Entry, ok bool) {
	e, ok = a.ledger.HandIn(rundir.Entry{Generation: a.generation, Shard: shard, Gate: a.gate})
	return e, ok && e.Hash == rundir.TextHash(file)
}

// judge is called when the stored result of a shard, file, and the one that from has sent
// differ. right is the result that this process has computed. Each worker that has sent or
// confirmed another one is cut off.
func (a *audit) judge(shard int, right, file []byte, from string, sent []byte) error {
	var verdicts []rundir.Entry
	if e, ok := a.handIn(shard, file); ok {
		verdicts = e.Judged(rundir.TextHash(right))
	} else if !bytes.Equal(file, right) {
		a.hub.opt.Log.Error("a shard in the run's folder was wrong, and is replaced", "generation", a.generation, "shard", shard)
		if err := a.write(shard, right); err != nil {
			return err
		}
	}
	if !bytes.Equal(sent, right) {
		verdicts = append(verdicts, a.ledgerEntry(rundir.Wrong, from, shard, sent).Judged(rundir.TextHash(right))...)
	}
	if err := a.ledger.Append(verdicts...); err != nil {
		return err
	}
	for _, e := range verdicts {
		if e.Event == rundir.Wrong {
			a.cutOff(e)
		}
	}
	if a.rollbackDue = a.ledger.Owed(); a.rollbackDue != nil {
		return a.rollbackDue
	}
	return nil
}

// isSettled reports whether all shards that were picked for verification have been computed
// again. While submit decides between two results, it waits.
func (a *audit) isSettled() (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rollbackDue != nil {
		return false, a.rollbackDue
	}
	return a.disputes == 0 && len(a.unsettled()) == 0, nil
}

// unsettled lists the shards that were picked for verification and have not been computed
// again yet.
func (a *audit) unsettled() (all []rundir.Entry) {
	for _, e := range a.ledger.Pending() {
		if e.Generation == a.generation && e.Gate == a.gate {
			all = append(all, e)
		}
	}
	return all
}

// inquireAgain asks somebody for the second results that nobody was asked for yet, that a worker was
// asked for who is away, or that a worker was asked for before the time late.
func (a *audit) inquireAgain(late time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.unsettled() {
		q, ok := a.asked[e.Shard]
		if a.disputes == 0 && (!ok || q.who != rundir.Trainer && (q.at.Before(late) || !a.hub.roster.works(q.who))) {
			a.inquire(e.Shard, e.Worker, e.By != "" || a.hub.checksHere())
		}
	}
}

// rollback returns how far the run must go back; nil if it need not.
func (a *audit) rollback() *rundir.Rollback {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.rollbackDue
}

// unpredictable returns a source of random numbers that nobody can foresee.
func unpredictable() rand.Source {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // it never fails
	return rand.NewChaCha8(seed)
}

// chance returns a random number in [0, 1), with which the hub decides whether a result is
// computed again, and by whom. It is drawn when the result has come, so that the worker could not
// know the decision.
func (h *Hub) chance() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.secretRand.Float64()
}
