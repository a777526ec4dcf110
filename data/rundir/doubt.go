package rundir

import (
	"cmp"
	"maps"
	"slices"
)

// apply takes an entry into account.
func (l *Ledger) apply(e Entry) {
	at := e.Place()
	switch e.Event {
	case Handed:
		l.handIns[at] = e
		l.handed[KeyOf(e.Worker)]++
	case Confirmed:
		if h, ok := l.handIns[at]; ok {
			h.Picked, h.By = e.Picked, e.By
			l.handIns[at] = h
		}
	case Dropped:
		delete(l.handIns, at)
	case Wrong:
		l.cutOff[e.Worker] = e
		l.found = append(l.found, e)
	case RolledBack:
		l.rollback, l.found = e.Number, nil
		b := Rollback{Generation: e.Generation, Shards: e.Shards}
		maps.DeleteFunc(l.handIns, func(_ Place, h Entry) bool { return b.Undoes(h) })
	}
}

// HandIns is how often a worker has handed something in, under any name.
func (l *Ledger) HandIns(worker string) int { return l.handed[KeyOf(worker)] }

// Doubted lists what may have to be undone because of the wrong results that were found since
// the last rollback: these, with the event Wrong, and all that their workers have handed in or
// confirmed, but for what the trainer has confirmed. The oldest generation is the first.
func (l *Ledger) Doubted() []Entry {
	doubted, wrong := map[Place]Entry{}, map[string]bool{}
	for _, w := range l.found {
		wrong[KeyOf(w.Worker)] = true
	}
	for at, h := range l.handIns {
		if len(wrong) > 0 && h.By != Trainer && (wrong[KeyOf(h.Worker)] || h.By != "" && wrong[KeyOf(h.By)]) {
			h.Picked = false
			doubted[at] = h
		}
	}
	for _, w := range l.found {
		if h, ok := l.handIns[w.Place()]; ok && h.Worker == w.Worker && h.Hash == w.Hash {
			doubted[w.Place()] = w
		}
	}
	return slices.SortedFunc(maps.Values(doubted), func(x, y Entry) int {
		return cmp.Or(cmp.Compare(x.Generation, y.Generation), cmp.Compare(x.Shard, y.Shard))
	})
}

// Owed returns the rollback that undoes all that is doubted, and what was learnt from it; nil if
// nothing is.
func (l *Ledger) Owed() *Rollback {
	doubted := l.Doubted()
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
		if e.Generation == b.Generation && !e.Gate { // its gate is played again in any case
			b.Shards = append(b.Shards, e.Shard)
		}
	}
	return b
}

// Judged returns what the ledger is to say of a hand-in, now that the trainer has computed the same and
// right is the hash of that: that it is confirmed, or that it is wrong, as is who confirmed it.
func (e Entry) Judged(right string) []Entry {
	confirmer := e.By
	e.By, e.Picked = Trainer, false
	if e.Hash == right {
		e.Event = Confirmed
		return []Entry{e}
	}
	e.Event, e.Right = Wrong, right
	verdicts := []Entry{e}
	if confirmer != "" {
		e.Worker = confirmer
		verdicts = append(verdicts, e)
	}
	return verdicts
}

// HandIn returns the newest hand-in of what an entry is about; ok is false if no worker handed it
// in.
func (l *Ledger) HandIn(of Entry) (e Entry, ok bool) {
	e, ok = l.handIns[of.Place()]
	return e, ok
}

// Pairs lists the newest hand-ins of the pairs of a generation's gate.
func (l *Ledger) Pairs(generation int) (all []Entry) {
	for at, e := range l.handIns {
		if at.Gate && at.Generation == generation {
			all = append(all, e)
		}
	}
	return all
}

// Pending lists what is still to be computed again.
func (l *Ledger) Pending() (all []Entry) {
	for _, e := range l.handIns {
		if e.Picked {
			all = append(all, e)
		}
	}
	return all
}

// CutOff returns, for each worker that was cut off, the wrong result that was the reason.
func (l *Ledger) CutOff() map[string]Entry { return l.cutOff }
