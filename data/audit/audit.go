// Package audit decides which results of workers to trust. A [Ledger] records which results of a
// run came from workers. While a generation is played, an [Audit] sees to it that some of the
// results are recomputed. When a worker has sent a wrong result, its other results are in doubt,
// and [Ledger.Settle] decides what happens to them.
//
// A result is a shard of a generation's self-play games, or a pair of games of the generation's
// gate (the match that decides whether the new model replaces the old one). The diagram shows the
// states of a result. A picked result must be recomputed. The trainer trusts the results that it
// computes itself, so the ledger does not contain them.
//
//	                 ┌──────────┐ chance   ┌──────────┐ somebody else     ┌────────────────────────┐
//	a worker sends ─▶│  handed  │─────────▶│  picked  │──────────────────▶│ confirmed by a worker  │
//	                 │          │          │          │ gets the same     │ or by the trainer      │
//	                 └──────────┘          └──────────┘                   └────────────────────────┘
//	                      │                     │ another result: the trainer         │
//	                      │                     ▼ computes it                         │ a quarter are picked
//	                      │                ┌──────────┐                               │ again, for the trainer
//	                      │                │  wrong   │ its worker, and who           │
//	                      │                │          │ confirmed it, are banned      │
//	                      │                └──────────┘                               │
//	                      ▼                     ▼                                     ▼
//	of a banned worker, and not confirmed by the trainer: in doubt (all other results stay)
//	      │ its generation is not committed            │ its generation is committed
//	      ▼                                            ▼
//	   dropped: the task is done again              the trainer computes it ─▶ confirmed by the trainer
//	                                                   │
//	                                                   ▼
//	                                                wrong: the run stops (SpoiledError)
//
// A generation is committed only when none of its results is picked or in doubt.
package audit

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"dojo.example/data/rundir"
)

// A Store holds the results that an Audit checks. The number of a result is the number of a shard,
// or of a pair of games in a gate.
type Store interface {
	Read(number int) ([]byte, error) // returns the stored result, or fs.ErrNotExist
	Write(number int, content []byte) error
}

// A Crowd chooses which results are recomputed and who recomputes them. It chooses after a result
// has arrived, so a worker cannot know in advance which of its results will be checked.
type Crowd interface {
	// Picks decides whether a result is recomputed; share is the probability.
	Picks(share float64, e Entry) bool
	// ChecksHere decides whether the trainer recomputes a result; if not, a worker does.
	ChecksHere() bool
	// Another returns a random worker whose key differs from the key of the given worker. It
	// returns "" if there is none.
	Another(than string) string
	Works(worker string) bool   // reports whether a worker is connected
	Ask(who string, number int) // asks a worker, or Trainer, to recompute a result
	Ban(e Entry)                // bans the worker that sent a wrong result
	// Mended reports that a result of this process was wrong and has been replaced.
	Mended(number int)
}

// CheckedHere is the share of the picked results that the trainer itself recomputes; other workers
// recompute the rest. It is also the probability that the trainer checks a confirmation by another
// worker.
const CheckedHere = 0.25

// An Audit checks the results of workers: the shards of a generation, or the pairs of games of its
// gate. It stores each result and records in the ledger which worker sent it. It sees to it that
// some results are recomputed: a quarter of them by the trainer, the others by workers with other
// keys. A worker can confirm a result only if it was asked to recompute it. If two results differ,
// the trainer also computes the result, to find out which one is wrong. Set the exported fields
// before you call a method. The methods are safe for concurrent use.
type Audit struct {
	Ledger     *Ledger
	Generation int
	Gate       bool
	// Verified is the share of a worker's results that are recomputed once the worker has sent
	// many. If it is 0, nothing is recomputed.
	Verified float64
	Store    Store
	Crowd    Crowd
	Play     func(ctx context.Context, number int) ([]byte, error) // computes a result in this process

	mu sync.Mutex
	// asked holds the requests to recompute a result, by number of the result. It is guarded by mu.
	asked map[int]inquiry
	// disputes is the number of results that this process is computing because two results differ.
	// It is guarded by mu.
	disputes int
	doubt    error // nil, or ErrDoubt once a result is in doubt; guarded by mu
}

// An inquiry is a request to a worker, or to Trainer, to recompute a result.
type inquiry struct {
	who string
	at  time.Time
}

// Anybody, passed to [Audit.Asks], means any worker or Trainer.
const Anybody = ""

// Asks returns the lowest number of a result that somebody has been asked to recompute. The
// parameter who names this somebody: a worker, Trainer, or Anybody. Asks skips a result if busy
// returns true for its number, because somebody is already computing it. ok is false if no result
// is left.
func (a *Audit) Asks(who string, busy func(number int) bool) (number int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n, q := range a.asked {
		if (who == Anybody || q.who == who) && !busy(n) && (!ok || n < number) {
			number, ok = n, true
		}
	}
	return number, ok
}

// Submit takes a result from a worker or from Trainer. isNew reports whether it is the first result
// with this number. The error is ErrDoubt if results that were accepted earlier are now in doubt.
func (a *Audit) Submit(ctx context.Context, from string, number int, content []byte) (isNew bool, err error) {
	isNew, stored, err := a.take(from, number, content)
	if err != nil || stored == nil {
		return isNew, err
	}
	right := content
	if from != Trainer {
		// The lock is not held here: Play is slow, and other results can be submitted meanwhile.
		right, err = a.Play(ctx, number)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.disputes--
	if err == nil {
		stored, err = a.Store.Read(number)
	}
	if err != nil {
		return false, err
	}
	return false, a.judge(number, right, stored, from, content)
}

// take stores the first result with a number. If a result with this number is stored already, take
// compares the two. Equal results confirm the stored one. If they differ, take returns the stored
// result and opens a dispute.
func (a *Audit) take(from string, number int, content []byte) (isNew bool, other []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.doubt != nil {
		return false, nil, a.doubt
	}
	asked := a.asked[number].who == from
	if asked || from == Trainer {
		delete(a.asked, number)
	}
	stored, err := a.Store.Read(number)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil, a.enter(from, number, content)
	case err != nil:
		return false, nil, err
	case bytes.Equal(stored, content):
		return false, nil, a.confirm(from, asked, number, content)
	}
	a.disputes++
	return false, stored, nil
}

// enter stores the first result with a number. It writes to the ledger first and then to the store.
// So even if the process dies in between, no worker's result is mistaken for a result of the
// trainer.
func (a *Audit) enter(from string, number int, content []byte) error {
	if from == Trainer {
		// If the ledger has a worker's result with this number, the file of that result was lost.
		if old, ok := a.Ledger.Result(a.place(number)); ok {
			old.Event = Dropped
			if err := a.Ledger.Append(old); err != nil {
				return err
			}
		}
		return a.Store.Write(number, content)
	}
	e := a.entry(Handed, from, number, content)
	e.Picked = a.Crowd.Picks(a.share(from), e)
	if err := a.Ledger.Append(e); err != nil {
		return err
	}
	if err := a.Store.Write(number, content); err != nil {
		return err
	}
	if e.Picked {
		a.inquire(number, from, a.Crowd.ChecksHere())
	}
	return nil
}

// With a new key, the first results, as many as probation, are all recomputed. Later results are
// checked with a lower probability.
const probation = 4

// share returns the share of a worker's results that are recomputed. It is 1 for the first results
// with a new key and becomes smaller with each result that is sent with the key.
func (a *Audit) share(worker string) float64 {
	if a.Verified == 0 {
		return 0
	}
	return max(a.Verified, probation/float64(1+a.Ledger.Sent(worker)))
}

// inquire asks somebody to recompute a worker's result. If here is true, it asks the trainer.
// Otherwise it asks another worker, or the trainer if there is no other worker. The caller holds
// a.mu.
func (a *Audit) inquire(number int, worker string, here bool) {
	who := Trainer
	if !here {
		if other := a.Crowd.Another(worker); other != "" {
			who = other
		}
	}
	if a.asked == nil {
		a.asked = map[int]inquiry{}
	}
	a.asked[number] = inquiry{who, time.Now()}
	a.Crowd.Ask(who, number)
}

func (a *Audit) place(number int) Place { return Place{a.Generation, number, a.Gate} }

func (a *Audit) entry(event Event, worker string, number int, content []byte) Entry {
	return Entry{Event: event, Generation: a.Generation, Shard: number, Gate: a.Gate, Worker: worker, Hash: rundir.TextHash(content)}
}

// confirm records that a second result equals the stored one. A worker's confirmation counts only
// if the worker was asked, if nobody has confirmed the result yet, and if the worker's key differs
// from the key of the worker that sent the result. A confirmation by the trainer always counts.
func (a *Audit) confirm(from string, asked bool, number int, content []byte) error {
	e, ok := a.stored(number, content)
	switch {
	case !ok || e.By == Trainer: // nothing to do: the trainer has computed or confirmed it itself
		return nil
	case from != Trainer && (!asked || e.By != "" || rundir.KeyOf(from) == rundir.KeyOf(e.Worker)):
		return nil // this confirmation does not count
	}
	e.Event, e.By = Confirmed, from
	// The trainer also checks some of the confirmations by workers.
	e.Picked = from != Trainer && a.Crowd.ChecksHere()
	if err := a.Ledger.Append(e); err != nil {
		return err
	}
	if e.Picked {
		a.inquire(number, e.Worker, true)
	}
	return nil
}

// stored returns the ledger's entry for the stored result, whose bytes are content. ok is false if
// this process computed the stored result itself, because such a result has no entry.
func (a *Audit) stored(number int, content []byte) (e Entry, ok bool) {
	e, ok = a.Ledger.Result(a.place(number))
	return e, ok && e.Hash == rundir.TextHash(content)
}

// judge decides which of two different results is wrong: stored or sent. The result sent arrived
// later, from the worker or trainer whose name is from. right is the result that this process has
// computed. judge bans each worker that sent or confirmed a result other than right. The caller
// holds a.mu.
func (a *Audit) judge(number int, right, stored []byte, from string, sent []byte) error {
	var verdicts []Entry
	if e, ok := a.stored(number, stored); ok {
		verdicts = e.judged(rundir.TextHash(right))
	} else if !bytes.Equal(stored, right) { // the trainer computed the stored result, and made a mistake
		if err := a.Store.Write(number, right); err != nil {
			return err
		}
		a.Crowd.Mended(number)
	}
	if !bytes.Equal(sent, right) {
		verdicts = append(verdicts, a.entry(Wrong, from, number, sent).judged(rundir.TextHash(right))...)
	}
	if err := a.Ledger.Append(verdicts...); err != nil {
		return err
	}
	for _, e := range verdicts {
		if e.Event == Wrong {
			a.Crowd.Ban(e)
		}
	}
	if a.Ledger.Doubts() {
		a.doubt = ErrDoubt
	}
	return a.doubt
}

// IsSettled reports whether all results that had to be recomputed have been recomputed, and whether
// all differences between results have been resolved. The error is ErrDoubt if a result is in
// doubt.
func (a *Audit) IsSettled() (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.disputes == 0 && len(a.unsettled()) == 0, a.doubt
}

// unsettled lists the results that must still be recomputed.
func (a *Audit) unsettled() []Entry {
	return a.Ledger.Select(func(e Entry) bool { return e.Picked && e.Generation == a.Generation && e.Gate == a.Gate })
}

// InquireAgain looks at each result that must still be recomputed. It asks somebody to recompute it
// if nobody has been asked yet, if the worker that was asked is away, or if that worker was asked
// before late and has not answered.
func (a *Audit) InquireAgain(late time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.unsettled() {
		q, ok := a.asked[e.Shard]
		if a.disputes == 0 && (!ok || q.who != Trainer && (q.at.Before(late) || !a.Crowd.Works(q.who))) {
			a.inquire(e.Shard, e.Worker, e.By != "" || a.Crowd.ChecksHere())
		}
	}
}
