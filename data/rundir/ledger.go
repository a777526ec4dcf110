package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/internal/journal"
)

// An Entry is a line of the ledger, ledger.jsonl, which says where the shards and the pairs
// of games of gates come from that this machine did not play, and which of them were
// computed a second time. The oldest line is the first. What the ledger does not have was
// played here.
//
//	{"event":"shard","generation":3,"shard":7,"worker":"box1","hash":"9f…","picked":true,"time":…}
//	{"event":"confirmed","generation":3,"shard":7,"worker":"box1","hash":"9f…","by":"box2","time":…}
//	{"event":"wrong","generation":3,"shard":8,"worker":"box2","hash":"77…","right":"a0…","by":"trainer","time":…}
//	{"event":"rollback","generation":2,"shards":[1,4],"number":0,"time":…}
//	{"event":"dropped","generation":3,"shard":9,"worker":"box3","hash":"c1…","time":…}
//	{"event":"shard","generation":3,"shard":2,"gate":true,"worker":"box1","hash":"4b…","time":…}
type Entry struct {
	Event      Event     `json:"event"`
	Generation int       `json:"generation"`
	Shard      int       `json:"shard"`            // its number
	Gate       bool      `json:"gate,omitempty"`   // Shard is the number of a pair of the generation's gate
	Worker     string    `json:"worker,omitempty"` // who handed it in
	Hash       string    `json:"hash,omitempty"`   // the SHA-256 of what was handed in
	Picked     bool      `json:"picked,omitempty"` // it must be computed again
	By         string    `json:"by,omitempty"`     // who computed it again
	Right      string    `json:"right,omitempty"`  // the SHA-256 of what the trainer computed
	Shards     []int     `json:"shards,omitempty"` // see Rollback
	Number     int       `json:"number,omitempty"` // of the rollback
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
	file journal.Journal

	handIns  map[Place]Entry  // the newest hand-ins, but for what was undone; By says who confirmed one
	handed   map[string]int   // by key (see KeyOf): how often it handed something in
	cutOff   map[string]Entry // by worker: why it was cut off
	found    []Entry          // wrong shards since the last rollback
	rollback int              // the number of the last rollback, -1 if there is none
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
	return &Ledger{handIns: map[Place]Entry{}, handed: map[string]int{}, cutOff: map[string]Entry{}, rollback: -1}
}

// OpenLedger reads the ledger of a run; one that is missing is empty.
func (f Folder) OpenLedger() (*Ledger, error) {
	l := NewLedger()
	l.file = journal.Journal{Path: f.Ledger(), Sync: true}
	return l, l.Refresh()
}

// Refresh reads what has been appended to the file since it was last read.
func (l *Ledger) Refresh() error { return readLedger(&l.file, l.apply) }

// ReadLedger calls f for every entry of a run's ledger, the oldest first.
func ReadLedger(folder Folder, f func(Entry)) error {
	return readLedger(&journal.Journal{Path: folder.Ledger()}, f)
}

func readLedger(file *journal.Journal, f func(Entry)) error {
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
