package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"sync"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/internal/journal"
)

// An Entry is a line of the ledger, ledger.jsonl. The oldest line is the first.
//
//	{"event":"shard","generation":3,"shard":7,"worker":"box1","hash":"9f…","picked":true,"time":…}
//	{"event":"confirmed","generation":3,"shard":7,"worker":"box1","hash":"9f…","by":"box2","time":…}
//	{"event":"wrong","generation":3,"shard":8,"worker":"box2","hash":"77…","right":"a0…","by":"trainer","time":…}
//	{"event":"dropped","generation":3,"shard":9,"worker":"box3","hash":"c1…","time":…}
//	{"event":"back","generation":2,"number":0,"time":…}
//	{"event":"shard","generation":3,"shard":2,"gate":true,"worker":"box1","hash":"4b…","time":…}
type Entry struct {
	Event      Event     `json:"event"`
	Generation int       `json:"generation"`
	Shard      int       `json:"shard"`            // its number
	Gate       bool      `json:"gate,omitempty"`   // Shard is the number of a pair of the generation's gate
	Worker     string    `json:"worker,omitempty"` // who sent it
	Hash       string    `json:"hash,omitempty"`   // the SHA-256 of what was sent
	Picked     bool      `json:"picked,omitempty"` // it must be computed again
	By         string    `json:"by,omitempty"`     // who computed it again
	Right      string    `json:"right,omitempty"`  // the SHA-256 of what the trainer computed
	Shards     []int     `json:"shards,omitempty"` // of an event "rollback"
	Number     int       `json:"number,omitempty"` // of the return; see rundir.Return
	Time       time.Time `json:"time"`
}

// What names what the entry is about.
func (e Entry) What() string {
	if e.Gate {
		return fmt.Sprintf("pair %d of the gate of generation %d", e.Shard, e.Generation)
	}
	return fmt.Sprintf("shard %d of generation %d", e.Shard, e.Generation)
}

// Event is what an Entry tells.
type Event string

// The events of a ledger.
const (
	Handed     Event = "shard"     // a worker sent a result
	Confirmed  Event = "confirmed" // computing it again gave the same bytes
	Wrong      Event = "wrong"     // the trainer computed other bytes; the worker is banned
	Dropped    Event = "dropped"   // the result was removed, and its task is done again
	Back       Event = "back"      // the generation and all later ones were removed; see rundir.Return
	rolledBack Event = "rollback"  // of older programs: of the generation, the gate and the listed shards were removed
)

// Trainer is the name, in the ledger, of the trainer itself.
const Trainer = "trainer"

// A Ledger is the ledger of a run and what follows from it. It may be written only by the process
// that holds the lock of the stages. Its methods may be called by several goroutines at a time.
type Ledger struct {
	mu      sync.Mutex
	file    journal.Journal  // guarded by mu
	results map[Place]Entry  // the results in the run that came from workers, as of the last entry; guarded by mu
	sent    map[string]int   // by key (see rundir.KeyOf): how many results it has sent; guarded by mu
	banned  map[string]Entry // by worker: the wrong result that was the reason; guarded by mu
	back    int              // the number of the last return, -1 if there is none; guarded by mu
}

// A Place identifies a shard of a run, or a pair of a gate.
type Place struct {
	Generation, Number int
	Gate               bool
}

// Place is what the entry is about.
func (e Entry) Place() Place { return Place{e.Generation, e.Shard, e.Gate} }

// NewLedger returns an empty ledger that is kept in memory alone.
func NewLedger() *Ledger {
	return &Ledger{results: map[Place]Entry{}, sent: map[string]int{}, banned: map[string]Entry{}, back: -1}
}

// Open reads the ledger of a run; one that is missing is empty.
func Open(folder rundir.Folder) (*Ledger, error) {
	l := NewLedger()
	l.file = journal.Journal{Path: folder.Ledger(), Sync: true}
	return l, l.Refresh()
}

// Refresh reads what another process has appended to the file.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return read(&l.file, l.apply)
}

// Read calls f for every entry of a run's ledger, the oldest first.
func Read(folder rundir.Folder, f func(Entry)) error {
	return read(&journal.Journal{Path: folder.Ledger()}, f)
}

func read(file *journal.Journal, f func(Entry)) error {
	err := file.Read(func(line []byte) error {
		var e Entry
		err := bounded.Unmarshal(line, &e)
		if err == nil {
			f(e)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// Append adds entries to the end of the ledger, and returns when they are on the disk.
// On an error the ledger is as it was.
func (l *Ledger) Append(entries ...Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []any
	for _, e := range entries {
		e.Time = time.Now().UTC().Truncate(time.Second)
		lines = append(lines, e)
	}
	if err := l.file.Append(lines...); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for _, e := range entries {
		l.apply(e)
	}
	return nil
}

// apply takes an entry into account. The caller holds l.mu.
func (l *Ledger) apply(e Entry) {
	at := e.Place()
	stored, ok := l.results[at]
	switch e.Event {
	case Handed:
		l.results[at] = e
		l.sent[rundir.KeyOf(e.Worker)]++
	case Confirmed:
		if ok {
			stored.Event, stored.Picked, stored.By = Confirmed, e.Picked, e.By
			l.results[at] = stored
		}
	case Dropped:
		delete(l.results, at)
	case Wrong:
		l.banned[e.Worker] = e
		if ok && stored.Hash == e.Hash {
			stored.Event, stored.Picked, stored.Right = Wrong, false, e.Right
			l.results[at] = stored
		}
	case Back:
		l.back = e.Number
		l.remove(func(p Place) bool { return p.Generation >= e.Generation })
	case rolledBack:
		l.back = e.Number
		listed := map[int]bool{}
		for _, n := range e.Shards {
			listed[n] = true
		}
		l.remove(func(p Place) bool {
			return p.Generation > e.Generation || p.Generation == e.Generation && (p.Gate || listed[p.Number])
		})
	}
}

// remove forgets the results of some places. The caller holds l.mu.
func (l *Ledger) remove(gone func(Place) bool) {
	maps.DeleteFunc(l.results, func(p Place, _ Entry) bool { return gone(p) })
}

// Result returns the last entry about the result in the run at a place; ok is false if no worker sent it.
func (l *Ledger) Result(at Place) (e Entry, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok = l.results[at]
	return e, ok
}

// Select lists the results in the run that came from workers and for which pick says so, by generation and number.
func (l *Ledger) Select(pick func(Entry) bool) (all []Entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.results {
		if pick(e) {
			all = append(all, e)
		}
	}
	return sorted(all)
}

// Picked reports whether a result must still be computed again; see [Ledger.Select].
func Picked(e Entry) bool { return e.Picked }

// Sent is how many results a worker has sent, under any name.
func (l *Ledger) Sent(worker string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent[rundir.KeyOf(worker)]
}

// Banned returns, for each worker that is banned, the wrong result that was the reason.
func (l *Ledger) Banned() map[string]Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.banned)
}

// Returns is how often the run has gone back.
func (l *Ledger) Returns() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.back + 1
}
