package run

import (
	"cmp"
	"maps"
	"slices"
)

// apply takes an entry into account.
func (l *Ledger) apply(e Entry) {
	at := e.place()
	switch e.Event {
	case Handed:
		l.forget(at)
		if n := len(l.doubtful[e.Worker]); n == 0 || l.doubtful[e.Worker][n-1].generation < e.Generation {
			l.prune(e.Generation)
		}
		l.shards[at] = e
		l.doubtful[e.Worker] = append(l.doubtful[e.Worker], handIn{place: at, hash: e.Hash, picked: e.Picked})
	case Confirmed:
		l.confirm(e, at)
	case Dropped:
		l.forget(at)
	case Wrong:
		l.cutOff[e.Worker] = e
		l.found = append(l.found, e)
	case RolledBack:
		l.rollBack(e)
	}
}

// recent is the number of generations whose shards a Ledger finds by their place.
const recent = 4

// prune forgets where the shards of old generations come from.
func (l *Ledger) prune(generation int) {
	for at := range l.shards {
		if at.generation+recent <= generation {
			delete(l.shards, at)
		}
	}
}

// forget makes a shard one that no worker handed in.
func (l *Ledger) forget(at place) {
	if old, ok := l.shards[at]; ok {
		delete(l.shards, at)
		l.filter(old.Worker, func(h handIn) bool { return h.place != at })
	}
}

// filter keeps those hand-ins of a worker that pass the test.
func (l *Ledger) filter(worker string, keep func(handIn) bool) {
	var kept []handIn
	for _, h := range l.doubtful[worker] {
		if keep(h) {
			kept = append(kept, h)
		}
	}
	l.doubtful[worker] = kept
}

// confirm notes that a shard of a worker was right. What the worker handed in before its
// last confirmed shard is no longer doubted, except from the first shard on that must still
// be computed again.
func (l *Ledger) confirm(c Entry, at place) {
	all, last := l.doubtful[c.Worker], -1
	for i := range all {
		if all[i].place == at {
			all[i].confirmed = true
		}
	}
	for i, h := range all {
		if h.confirmed {
			last = i
		} else if h.picked {
			break
		}
	}
	l.doubtful[c.Worker] = all[last+1:]
	if e, ok := l.shards[at]; ok {
		e.Picked, e.By = false, c.By
		l.shards[at] = e
	}
}

// Doubted lists what may have to be undone because of the wrong results that were found since
// the last rollback: these, with the event Wrong, and all that their workers have handed in since
// their last confirmed shards. The oldest generation is the first.
func (l *Ledger) Doubted() []Entry {
	doubted := map[place]Entry{}
	for _, w := range l.found {
		for _, h := range l.doubtful[w.Worker] {
			if !h.confirmed {
				doubted[h.place] = Entry{Event: Handed, Generation: h.generation, Shard: h.shard, Gate: h.gate, Worker: w.Worker, Hash: h.hash}
			}
		}
	}
	for _, w := range l.found {
		e, ok := l.HandIn(w)
		if !ok {
			e, ok = doubted[w.place()]
		}
		if ok && e.Worker == w.Worker && e.Hash == w.Hash {
			doubted[w.place()] = w
		}
	}
	return slices.SortedFunc(maps.Values(doubted), func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Generation, y.Generation), cmp.Compare(x.Shard, y.Shard))
	})
}

// Owed returns the rollback that undoes all that is doubted; nil if nothing is.
func (l *Ledger) Owed() *Rollback { return l.Undoing(l.Doubted()) }

// Undoing returns the rollback that undoes entries that are doubted, and what was learnt from
// them. It is nil if there are none.
func (l *Ledger) Undoing(doubted []Entry) *Rollback {
	if len(doubted) == 0 {
		return nil
	}
	b := &Rollback{Number: l.rollback + 1, Wrong: l.found, Generation: doubted[0].Generation}
	for _, w := range l.found {
		if !slices.Contains(b.Workers, w.Worker) {
			b.Workers = append(b.Workers, w.Worker)
		}
	}
	for _, e := range doubted {
		b.Generation = min(b.Generation, e.Generation)
	}
	for _, e := range doubted {
		if e.Generation == b.Generation && !e.Gate { // its gate is played again in any case
			b.Shards = append(b.Shards, e.Shard)
		}
	}
	slices.Sort(b.Shards)
	return b
}

// rollBack forgets the shards that a rollback removed.
func (l *Ledger) rollBack(e Entry) {
	l.rollback, l.found = e.Number, nil
	b := Rollback{Generation: e.Generation, Shards: e.Shards}
	gone := func(at place) bool {
		return b.Undoes(Entry{Generation: at.generation, Shard: at.shard, Gate: at.gate})
	}
	for at := range l.shards {
		if gone(at) {
			delete(l.shards, at)
		}
	}
	for worker := range l.doubtful {
		l.filter(worker, func(h handIn) bool { return !gone(h.place) })
	}
}

// HandIn returns the newest hand-in of what an entry is about, if that is of a recent
// generation; ok is false if no worker handed it in.
func (l *Ledger) HandIn(of Entry) (e Entry, ok bool) {
	e, ok = l.shards[of.place()]
	return e, ok
}

// Pairs lists the newest hand-ins of the pairs of a recent generation's gate.
func (l *Ledger) Pairs(generation int) []Entry {
	var all []Entry
	for at, e := range l.shards {
		if at.gate && at.generation == generation {
			all = append(all, e)
		}
	}
	return all
}

// Pending lists what is still to be computed again, of recent generations.
func (l *Ledger) Pending() []Entry {
	var all []Entry
	for _, e := range l.shards {
		if e.Picked {
			all = append(all, e)
		}
	}
	return all
}

// CutOff returns, for each worker that was cut off, the wrong result that was the reason.
func (l *Ledger) CutOff() map[string]Entry { return l.cutOff }
