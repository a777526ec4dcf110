package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"dojo.example/data/rundir"
)

// ErrDoubt says that a worker sent a wrong result, so that others may be wrong too, and no more can be
// decided before [Ledger.Settle] has dealt with them.
var ErrDoubt = errors.New("a worker's result was wrong: what else it sent must be computed again")

// A SpoiledError says that a committed generation has learnt from a wrong result.
type SpoiledError struct {
	Wrong []Entry // the oldest is the first
}

func (e *SpoiledError) Error() string {
	w := e.Wrong[0]
	return fmt.Sprintf("generation %d was made with a wrong result: %s of %s is %.12s…, and should be %.12s…", w.Generation, w.What(), w.Worker, w.Hash, w.Right)
}

// sorted sorts entries by generation, and then by number.
func sorted(all []Entry) []Entry {
	slices.SortFunc(all, func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Generation, y.Generation), cmp.Compare(x.Shard, y.Shard))
	})
	return all
}

// doubted lists the results in the run that are wrong, or that a banned worker has sent or confirmed and the
// trainer has not computed itself.
func (l *Ledger) doubted() []Entry {
	banned := map[string]bool{}
	for worker := range l.Banned() {
		banned[rundir.KeyOf(worker)] = true
	}
	return l.Select(func(e Entry) bool {
		return e.Event == Wrong || e.By != Trainer && (banned[rundir.KeyOf(e.Worker)] || e.By != "" && banned[rundir.KeyOf(e.By)])
	})
}

// Doubts reports whether some results are doubted.
func (l *Ledger) Doubts() bool { return len(l.doubted()) > 0 }

// A Replayer computes results of one generation again, in this process, and returns the SHA-256 of each.
type Replayer func(ctx context.Context, generation int, results []Entry) (map[Place]string, error)

// Settle deals with the results that are doubted, of a run with a number of committed generations: see
// the diagram of the package. drop removes a result that does not count yet from the run's folder. If it
// was called, dropped is true: tasks are missing again. The error is a *SpoiledError if a result in a
// committed generation is wrong.
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

// Drop removes results, of which drop removes the files. A file goes before its entry: one that
// is there and was picked is in the ledger.
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

// judged returns what the ledger is to say of a result, now that the trainer has computed it and right
// is the hash of that: that it is confirmed, or that it is wrong, as is who confirmed it.
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
