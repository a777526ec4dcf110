// Package audit decides whether to believe what workers send. A [Ledger] says which results of a run came from
// workers, an [Audit] has some of them computed again while a generation is played, and [Ledger.Settle]
// deals with what is doubted when a worker was found to be wrong.
//
// A result is a shard of a generation's games, or a pair of games of its gate. It goes through these states.
// What the ledger does not have was computed by the trainer itself, which is trusted.
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
//	of a banned worker, and not confirmed by the trainer: doubted (of the others nothing changes)
//	      │ its generation is not committed            │ its generation is committed
//	      ▼                                            ▼
//	   dropped: the task is done again              the trainer computes it ─▶ confirmed by the trainer
//	                                                   │
//	                                                   ▼
//	                                                wrong: the run stops (SpoiledError)
//
// A generation is committed only when nothing of it is picked, and nothing is doubted.
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

// A Store keeps the results of an audit, by number.
type Store interface {
	Read(number int) ([]byte, error) // the stored result, or fs.ErrNotExist
	Write(number int, content []byte) error
}

// A Crowd chooses which results are computed again and by whom. It decides after a result has arrived, so that
// the worker cannot know in advance which results are checked.
type Crowd interface {
	Picks(share float64, e Entry) bool // decides whether a result is computed again
	ChecksHere() bool                  // decides whether the trainer does that
	Another(than string) string        // a worker with another key, which chance chooses; "" for none
	Works(worker string) bool          // reports whether a worker is there
	Ask(who string, number int)        // tells that somebody is to compute a result again
	Ban(e Entry)                       // bans the worker of a wrong result
	Mended(number int)                 // tells that a result of this process was wrong, and was replaced
}

// CheckedHere is the share of the results to be computed again that the trainer computes itself, and
// not another worker, and of the confirmations by workers that it checks.
const CheckedHere = 0.25

// An Audit checks results of workers: the shards of a generation, or the pairs of its gate. It stores each
// result, notes in the ledger which worker sent it, and has some of them computed again: a quarter by the
// trainer, the others by workers with other keys. Only who was asked can confirm a result. If two results
// differ, the trainer computes it too, to find out which is wrong. The methods of an Audit may be called by
// several goroutines at a time. The exported fields are set before.
type Audit struct {
	Ledger     *Ledger
	Generation int
	Gate       bool
	Verified   float64 // the share of the results that are computed again, by and by; 0 for none
	Store      Store
	Crowd      Crowd
	Play       func(ctx context.Context, number int) ([]byte, error) // computes a result in this process

	mu       sync.Mutex
	asked    map[int]inquiry // by number: who is to compute a result again; guarded by mu
	disputes int             // the results that this process computes because two differ; guarded by mu
	doubt    error           // ErrDoubt when something is doubted; guarded by mu
}

// An inquiry is the question to a worker, or to Trainer, to compute a result again.
type inquiry struct {
	who string
	at  time.Time
}

// Anybody stands for all workers, and for Trainer.
const Anybody = ""

// Asks returns the first result that a worker, Trainer or Anybody is to compute again, and that busy says is
// not being computed.
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

// Submit takes a result from a worker, or from Trainer. isNew says that there was none before. The error is
// ErrDoubt if results that were accepted before can no longer be trusted.
func (a *Audit) Submit(ctx context.Context, from string, number int, content []byte) (isNew bool, err error) {
	isNew, stored, err := a.take(from, number, content)
	if err != nil || stored == nil {
		return isNew, err
	}
	right := content
	if from != Trainer {
		right, err = a.Play(ctx, number) // other results go on meanwhile
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

// take stores a result, or confirms the stored one. If that is another one, take returns it, and the
// dispute is open.
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

// enter stores the first result at a number. It is written into the ledger before it is
// stored: if the process dies in between, no worker's result is mistaken for the trainer's.
func (a *Audit) enter(from string, number int, content []byte) error {
	if from == Trainer {
		if old, ok := a.Ledger.Result(a.place(number)); ok { // a worker's result that was lost
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

// probation is the number of a new key's first results that are all computed again.
const probation = 4

// share is the share of a worker's results that are computed again. It falls with their number,
// so that the first ones of a new key are all checked.
func (a *Audit) share(worker string) float64 {
	if a.Verified == 0 {
		return 0
	}
	return max(a.Verified, probation/float64(1+a.Ledger.Sent(worker)))
}

// inquire has a result of a worker computed again, here or by somebody else. The caller holds a.mu.
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

// confirm takes another result that is equal to the stored one. That of the trainer counts
// whether or not somebody was asked, or has confirmed it before.
func (a *Audit) confirm(from string, asked bool, number int, content []byte) error {
	e, ok := a.stored(number, content)
	switch {
	case !ok || e.By == Trainer: // the trainer's own, or confirmed by it
		return nil
	case from != Trainer && (!asked || e.By != "" || rundir.KeyOf(from) == rundir.KeyOf(e.Worker)):
		return nil // the sender was not asked, or has the key whose result is in doubt
	}
	e.Event, e.By = Confirmed, from
	e.Picked = from != Trainer && a.Crowd.ChecksHere() // those who confirm are checked too
	if err := a.Ledger.Append(e); err != nil {
		return err
	}
	if e.Picked {
		a.inquire(number, e.Worker, true)
	}
	return nil
}

// stored returns the ledger's entry of the worker that sent the stored result; ok is false if it is this
// process's own.
func (a *Audit) stored(number int, content []byte) (e Entry, ok bool) {
	e, ok = a.Ledger.Result(a.place(number))
	return e, ok && e.Hash == rundir.TextHash(content)
}

// judge is called when the stored result and the one that from has sent differ. right is the result that
// this process has computed. Each worker that has sent or confirmed another one is banned. The caller
// holds a.mu.
func (a *Audit) judge(number int, right, stored []byte, from string, sent []byte) error {
	var verdicts []Entry
	if e, ok := a.stored(number, stored); ok {
		verdicts = e.judged(rundir.TextHash(right))
	} else if !bytes.Equal(stored, right) { // this computer has made a mistake
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

// IsSettled reports whether all results that were picked have been computed again. While Submit decides
// between two results, it waits.
func (a *Audit) IsSettled() (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.disputes == 0 && len(a.unsettled()) == 0, a.doubt
}

// unsettled lists the results that were picked and have not been computed again yet.
func (a *Audit) unsettled() []Entry {
	return a.Ledger.Select(func(e Entry) bool { return e.Picked && e.Generation == a.Generation && e.Gate == a.Gate })
}

// InquireAgain asks somebody for the second results that nobody was asked for yet, that a worker was
// asked for who is away, or that a worker was asked for before the time late.
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
