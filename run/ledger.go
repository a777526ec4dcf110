package run

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"dojo/internal/regular"
)

// An Entry is a line of the ledger, ledger.jsonl, which says where the shards come from
// that this machine did not play, and which of them were computed a second time. The
// oldest line is the first. A shard that the ledger does not have was played here.
//
//	{"event":"shard","generation":3,"shard":7,"worker":"box1","hash":"9f…","picked":true,"time":…}
//	{"event":"confirmed","generation":3,"shard":7,"worker":"box1","hash":"9f…","by":"box2","time":…}
//	{"event":"wrong","generation":3,"shard":8,"worker":"box2","hash":"77…","right":"a0…","by":"trainer","time":…}
//	{"event":"rollback","generation":2,"shards":[1,4],"number":0,"time":…}
//	{"event":"dropped","generation":3,"shard":9,"worker":"box3","hash":"c1…","time":…}
type Entry struct {
	Event      Event     `json:"event"`
	Generation int       `json:"generation"`
	Shard      int       `json:"shard"`
	Worker     string    `json:"worker,omitempty"` // who handed the shard in
	Hash       string    `json:"hash,omitempty"`   // the SHA-256 of the file that was handed in
	Picked     bool      `json:"picked,omitempty"` // it is to be computed again
	By         string    `json:"by,omitempty"`     // who computed it again
	Right      string    `json:"right,omitempty"`  // the SHA-256 of what the trainer computed
	Shards     []int     `json:"shards,omitempty"` // see Rollback
	Number     int       `json:"number,omitempty"` // of the rollback
	Time       time.Time `json:"time"`
}

// Event is what an Entry tells.
type Event string

// The events of a ledger.
const (
	Handed     Event = "shard"     // a worker handed a shard in
	Confirmed  Event = "confirmed" // computing the shard again gave the same bytes
	Wrong      Event = "wrong"     // the trainer computed other bytes; the worker is cut off
	RolledBack Event = "rollback"  // see Rollback
	Dropped    Event = "dropped"   // the shard was removed before it was computed again
)

// Trainer is the name, in the ledger, of the trainer itself.
const Trainer = "trainer"

// Ledger is the file of the ledger.
func (f Folder) Ledger() string { return f.Path("ledger.jsonl") }

// A Ledger is the ledger of a run and what follows from it. It may be written by the
// process alone that holds the lock of the stages, by one goroutine at a time.
type Ledger struct {
	path string
	end  int64 // of the entries that have been read or written, in bytes

	shards   map[place]Entry     // the newest hand-in of recent shards; By says who confirmed it
	doubtful map[string][]handIn // by worker: what it handed in since its last confirmed shard
	cutOff   map[string]Entry    // by worker: why it was cut off
	found    []Entry             // wrong shards since the last rollback
	rollback int                 // the number of the last rollback, -1 if there is none
}

// A place is that of a shard in a run.
type place struct{ generation, shard int }

// A handIn is a shard that a worker handed in.
type handIn struct {
	place
	picked, confirmed bool
}

// OpenLedger reads the ledger of a run; one that is missing is empty. A last line that
// a killed process left incomplete does not count.
func (f Folder) OpenLedger() (*Ledger, error) {
	l := &Ledger{path: f.Ledger(), shards: map[place]Entry{}, doubtful: map[string][]handIn{}, cutOff: map[string]Entry{}, rollback: -1}
	return l, l.Refresh()
}

// Refresh reads what has been appended to the file since it was last read.
func (l *Ledger) Refresh() error {
	file, err := regular.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer file.Close() // it was only read
	if _, err := file.Seek(l.end, io.SeekStart); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("ledger: %s: the line at byte %d: %w", l.path, l.end, err)
		}
		l.end += int64(len(line))
		l.apply(e)
	}
}

// Append adds entries to the end of the ledger, and returns when they are on the disk.
// On an error the ledger is as it was.
func (l *Ledger) Append(entries ...Entry) error {
	var text []byte
	for _, e := range entries {
		e.Time = time.Now().UTC().Truncate(time.Second)
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := l.write(text); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for _, e := range entries {
		l.apply(e)
	}
	return nil
}

// write writes the text behind the entries, over what a killed process may have left
// there.
func (l *Ledger) write(text []byte) (err error) {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Truncate(l.end); err != nil {
		return err
	}
	if _, err := file.WriteAt(text, l.end); err != nil {
		return errors.Join(err, file.Truncate(l.end))
	}
	if err := file.Sync(); err != nil {
		return err
	}
	l.end += int64(len(text))
	return nil
}

// apply takes an entry into account.
func (l *Ledger) apply(e Entry) {
	at := place{e.Generation, e.Shard}
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
		if e, ok := l.Shard(w.Generation, w.Shard); ok && e.Worker == w.Worker {
			doubtful = append(doubtful, place{w.Generation, w.Shard})
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
		if at.generation == b.Generation {
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
	gone := Rollback{Generation: e.Generation, Shards: e.Shards}.removes
	for at := range l.shards {
		if gone(at.generation, at.shard) {
			delete(l.shards, at)
		}
	}
	for worker := range l.doubtful {
		l.filter(worker, func(h handIn) bool { return !gone(h.generation, h.shard) })
	}
}

// Shard returns the newest hand-in of a shard of a recent generation; ok is false if no
// worker handed it in.
func (l *Ledger) Shard(generation, shard int) (e Entry, ok bool) {
	e, ok = l.shards[place{generation, shard}]
	return e, ok
}

// Pending lists the shards of recent generations that are still to be computed again.
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
