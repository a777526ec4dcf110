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
		key := KeyOf(e.Worker)
		if all := l.handIns[key]; len(all) == 0 || all[len(all)-1].generation < e.Generation {
			l.prune(e.Generation)
		}
		l.shards[at] = e
		l.handIns[key] = append(l.handIns[key], handIn{place: at, worker: e.Worker, hash: e.Hash})
		l.handed[key]++
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
		l.filter(KeyOf(old.Worker), func(h handIn) bool { return h.place != at })
	}
}

// filter keeps those hand-ins of a key that pass the test.
func (l *Ledger) filter(key string, keep func(handIn) bool) {
	l.handIns[key] = slices.DeleteFunc(l.handIns[key], func(h handIn) bool { return !keep(h) })
}

// confirm notes that a shard of a worker was right, or that another worker says so.
func (l *Ledger) confirm(c Entry, at place) {
	for i, h := range l.handIns[KeyOf(c.Worker)] {
		if h.place == at {
			l.handIns[KeyOf(c.Worker)][i].by = c.By
		}
	}
	if e, ok := l.shards[at]; ok {
		e.Picked, e.By = c.Picked, c.By
		l.shards[at] = e
	}
}

// HandIns is how often a worker has handed something in, under any name.
func (l *Ledger) HandIns(worker string) int { return l.handed[KeyOf(worker)] }

// Doubted lists what may have to be undone because of the wrong results that were found since
// the last rollback: these, with the event Wrong, and all that their workers have handed in or
// confirmed, but for what the trainer has confirmed. The oldest generation is the first.
func (l *Ledger) Doubted() []Entry {
	doubted, wrong := map[place]Entry{}, map[string]bool{}
	for _, w := range l.found {
		wrong[KeyOf(w.Worker)] = true
	}
	for key, all := range l.handIns {
		for _, h := range all {
			if len(wrong) > 0 && h.by != Trainer && (wrong[key] || h.by != "" && wrong[KeyOf(h.by)]) {
				doubted[h.place] = Entry{Event: Handed, Generation: h.generation, Shard: h.shard, Gate: h.gate, Worker: h.worker, Hash: h.hash, By: h.by}
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
	for key := range l.handIns {
		l.filter(key, func(h handIn) bool { return !gone(h.place) })
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
