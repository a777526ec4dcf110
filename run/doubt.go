package run

import (
	"cmp"
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
		l.doubtful[e.Worker] = append(l.doubtful[e.Worker], handIn{place: at, picked: e.Picked})
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
// last confirmed shard is no longer doubted, unless a shard among it is still to be
// computed again.
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

// Owed returns the rollback that must follow from the wrong shards that were found since
// the last one: all that their workers have handed in since their last confirmed shards
// is undone, and what was learnt from it. It is nil if there is nothing to undo.
func (l *Ledger) Owed() *Rollback {
	var doubtful []place
	b := &Rollback{Number: l.rollback + 1, Wrong: l.found, Generation: -1}
	for _, w := range l.found {
		if e, ok := l.HandIn(w); ok && e.Worker == w.Worker {
			doubtful = append(doubtful, w.place())
		}
		if slices.Contains(b.Workers, w.Worker) {
			continue
		}
		b.Workers = append(b.Workers, w.Worker)
		for _, h := range l.doubtful[w.Worker] {
			if !h.confirmed {
				doubtful = append(doubtful, h.place)
			}
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	b.Generation = slices.MinFunc(doubtful, func(x, y place) int { return cmp.Compare(x.generation, y.generation) }).generation
	for _, at := range doubtful {
		if at.generation == b.Generation && !at.gate { // its gate is played again whatever goes
			b.Shards = append(b.Shards, at.shard)
		}
	}
	slices.Sort(b.Shards)
	b.Shards = slices.Compact(b.Shards)
	return b
}

// rollBack forgets the shards that a rollback removed.
func (l *Ledger) rollBack(e Entry) {
	l.rollback, l.found = e.Number, nil
	b := Rollback{Generation: e.Generation, Shards: e.Shards}
	gone := func(at place) bool {
		return b.removes(at.generation, at.shard) && !at.gate || at.gate && at.generation >= b.Generation
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

// CutOff returns by worker why those that were wrong were cut off.
func (l *Ledger) CutOff() map[string]Entry { return l.cutOff }
