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

// An Entry is one line of the file ledger.jsonl. New lines are added at the end.
//
//	{"event":"shard","generation":3,"shard":7,"worker":"box1","hash":"9f…","picked":true,"time":…}
//	{"event":"confirmed","generation":3,"shard":7,"worker":"box1","hash":"9f…","by":"box2","time":…}
//	{"event":"wrong","generation":3,"shard":8,"worker":"box2","hash":"77…","right":"a0…","by":"trainer","time":…}
//	{"event":"dropped","generation":3,"shard":9,"worker":"box3","hash":"c1…","time":…}
//	{"event":"back","generation":2,"number":0,"time":…}
//	{"event":"shard","generation":3,"shard":2,"gate":true,"worker":"box1","hash":"4b…","time":…}
type Entry struct {
	Event      Event `json:"event"`
	Generation int   `json:"generation"`
	Shard      int   `json:"shard"` // number of the shard, or of the pair if Gate is true
	// Gate is true if the result is a pair of the generation's gate match.
	Gate   bool      `json:"gate,omitempty"`
	Worker string    `json:"worker,omitempty"` // worker that sent the result
	Hash   string    `json:"hash,omitempty"`   // SHA-256 of the result, in hexadecimal digits
	Picked bool      `json:"picked,omitempty"` // whether the result must be computed again
	By     string    `json:"by,omitempty"`     // worker that computed the result again, or Trainer
	Right  string    `json:"right,omitempty"`  // SHA-256 of the trainer's own result
	Shards []int     `json:"shards,omitempty"` // only in the event "rollback": the shards that were removed
	Number int       `json:"number,omitempty"` // only in the events "back" and "rollback": the number of the return; see rundir.Return
	Time   time.Time `json:"time"`
}

// What describes the result for messages, for example "shard 7 of generation 3".
func (e Entry) What() string {
	if e.Gate {
		return fmt.Sprintf("pair %d of the gate of generation %d", e.Shard, e.Generation)
	}
	return fmt.Sprintf("shard %d of generation %d", e.Shard, e.Generation)
}

// Event is the kind of an Entry.
type Event string

// The events of a ledger.
const (
	Handed    Event = "shard"     // a worker sent a result
	Confirmed Event = "confirmed" // somebody computed the result again and got the same bytes
	// Wrong means that the trainer got other bytes when it recomputed the result. The worker is
	// banned.
	Wrong   Event = "wrong"
	Dropped Event = "dropped" // the result was removed, and its task is done again
	// Back means that the run went back: the generation and all later ones were removed. See
	// rundir.Return.
	Back Event = "back"
	// Only older programs wrote rolledBack. It means that the gate of the generation, the shards
	// listed in the entry, and all later generations were removed.
	rolledBack Event = "rollback"
)

// Trainer is the trainer's name in the ledger.
const Trainer = "trainer"

// A Ledger holds the entries of a run's ledger file and the state that follows from them. Only the
// process that holds the run's lock for training (rundir.Folder.LockStages) may write to it. Its
// methods are safe for concurrent use.
type Ledger struct {
	mu      sync.Mutex
	file    journal.Journal  // guarded by mu
	results map[Place]Entry  // newest entry for each worker's result in the run; guarded by mu
	sent    map[string]int   // number of results sent, by key (see rundir.KeyOf); guarded by mu
	banned  map[string]Entry // for each banned worker, its wrong result; guarded by mu
	// Returns to an earlier generation are numbered. back is the number of the last one, or -1 if
	// there is none. It is guarded by mu.
	back int
}

// A Place identifies a result: a shard of a generation, or a pair of games of a generation's gate.
type Place struct {
	Generation, Number int
	Gate               bool
}

// Place returns the place of the entry's result.
func (e Entry) Place() Place { return Place{e.Generation, e.Shard, e.Gate} }

// NewLedger returns an empty ledger that exists only in memory.
func NewLedger() *Ledger {
	return &Ledger{results: map[Place]Entry{}, sent: map[string]int{}, banned: map[string]Entry{}, back: -1}
}

// Open reads the ledger of a run. If the run has no ledger file, the ledger is empty.
func Open(folder rundir.Folder) (*Ledger, error) {
	l := NewLedger()
	l.file = journal.Journal{Path: folder.Ledger(), Sync: true}
	return l, l.Refresh()
}

// Refresh reads the entries that other processes have appended to the file since the last call.
func (l *Ledger) Refresh() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return read(&l.file, l.apply)
}

// Read calls f for every entry of a run's ledger, oldest first.
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

// Append adds entries to the end of the ledger and returns when they are on disk. If it returns an
// error, the ledger is unchanged.
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

// apply updates l with an entry of the ledger file. The caller holds l.mu.
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

// remove deletes the results for whose place the function gone returns true. The caller holds l.mu.
func (l *Ledger) remove(gone func(Place) bool) {
	maps.DeleteFunc(l.results, func(p Place, _ Entry) bool { return gone(p) })
}

// Result returns the newest entry about the result at a place. ok is false if the run has no result
// of a worker at this place.
func (l *Ledger) Result(at Place) (e Entry, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok = l.results[at]
	return e, ok
}

// Select lists the entries of the workers' results that are in the run and for which pick returns
// true. The list is sorted by generation and number.
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

// Picked reports whether the result of an entry must still be recomputed. Pass it to
// [Ledger.Select].
func Picked(e Entry) bool { return e.Picked }

// Sent returns how many results were sent with the worker's key. All names with this key count
// together.
func (l *Ledger) Sent(worker string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sent[rundir.KeyOf(worker)]
}

// Banned returns the banned workers. The value for each worker is the wrong result for which it was
// banned.
func (l *Ledger) Banned() map[string]Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.banned)
}

// Returns returns how often the run has gone back to an earlier generation.
func (l *Ledger) Returns() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.back + 1
}
