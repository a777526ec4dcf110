package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"dojo.example/data/rundir"
)

// ErrDoubt means that a worker sent a wrong result, so its other results are in doubt too. Call
// [Ledger.Settle] to deal with them before the generation continues.
var ErrDoubt = errors.New("a worker sent a wrong result, so its other results must be checked")

// A SpoiledError means that a committed generation has used a wrong result, in training or in its
// gate match.
type SpoiledError struct {
	Wrong []Entry // oldest first
}

func (e *SpoiledError) Error() string {
	w := e.Wrong[0]
	return fmt.Sprintf("generation %d was made with a wrong result: %s of %s is %.12s…, and should be %.12s…", w.Generation, w.What(), w.Worker, w.Hash, w.Right)
}

// sorted sorts entries in place by generation, then by number, and returns them.
func sorted(all []Entry) []Entry {
	slices.SortFunc(all, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Generation, y.Generation), cmp.Compare(x.Shard, y.Shard))
	})
	return all
}

// doubted lists the run's results that are wrong or in doubt. A result is in doubt if a banned
// worker sent it or confirmed it, and the trainer has not computed it itself.
func (l *Ledger) doubted() []Entry {
	banned := map[string]bool{}
	for worker := range l.Banned() {
		banned[rundir.KeyOf(worker)] = true
	}
	return l.Select(func(e Entry) bool {
		return e.Event == Wrong || e.By != Trainer && (banned[rundir.KeyOf(e.Worker)] || e.By != "" && banned[rundir.KeyOf(e.By)])
	})
}

// Doubts reports whether any result is wrong or in doubt.
func (l *Ledger) Doubts() bool { return len(l.doubted()) > 0 }

// A Replayer recomputes results of one generation in this process. It returns the SHA-256 of each
// result.
type Replayer func(ctx context.Context, generation int, results []Entry) (map[Place]string, error)

// Settle deals with the results that are in doubt, as the diagram in the package comment shows.
// committed is the number of committed generations. If results of later generations are in doubt,
// Settle calls drop to remove each of them from the run's folder, and dropped is true; the tasks of
// these results must then be done again. For results of committed generations it calls replay. If
// one of them is wrong, the error is a *SpoiledError.
func (l *Ledger) Settle(ctx context.Context, committed int, drop func(Entry) error, replay Replayer) (dropped bool, err error) {
	for {
		doubted := l.doubted()
		if len(doubted) == 0 {
			return false, nil
		}
		g := doubted[0].Generation
		if g >= committed {
			return true, l.Drop(doubted, drop)
		}
		var wrong, unknown []Entry
		for _, e := range doubted {
			switch {
			case e.Generation != g:
			case e.Event == Wrong:
				wrong = append(wrong, e)
			default:
				unknown = append(unknown, e)
			}
		}
		if len(unknown) == 0 {
			return false, &SpoiledError{wrong}
		}
		hashes, err := replay(ctx, g, unknown)
		if err != nil {
			return false, err
		}
		var found []Entry
		for _, e := range unknown {
			found = append(found, e.judged(hashes[e.Place()])...)
		}
		if err := l.Append(found...); err != nil {
			return false, err
		}
	}
}

// Drop removes results from the run. For each result it first calls drop, which removes the file,
// and then writes an entry to the ledger. So every picked result whose file still exists is in the
// ledger.
func (l *Ledger) Drop(results []Entry, drop func(Entry) error) error {
	for _, e := range results {
		if err := drop(e); err != nil {
			return err
		}
		e.Event, e.Picked = Dropped, false
		if err := l.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// judged returns the entries for the ledger after the trainer has computed the result of e itself.
// right is the SHA-256 of the trainer's result. If it equals the hash in e, the result is
// confirmed. Otherwise the result is wrong, and so is the result of a worker that confirmed it.
func (e Entry) judged(right string) []Entry {
	confirmer := e.By
	e.By, e.Picked = Trainer, false
	if e.Hash == right {
		e.Event = Confirmed
		return []Entry{e}
	}
	e.Event, e.Right = Wrong, right
	verdicts := []Entry{e}
	if confirmer != "" && confirmer != Trainer {
		e.Worker = confirmer
		verdicts = append(verdicts, e)
	}
	return verdicts
}
