package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dojo/internal/atomicfile"
	"dojo/internal/bounded"
	"dojo/internal/regular"
)

// A Rollback says how far a run goes back because shards of a worker that it has
// accepted, or pairs of games of a gate, are wrong or may be. It is kept as a file in the folder rollbacks: as
// pending.json from before the first file of the run is removed until after the last
// one is, and then under its number, e.g. 000000.json. So a process that is killed
// half way leaves word of what is to be done.
type Rollback struct {
	Number  int       `json:"number"`
	Time    time.Time `json:"time"`
	Workers []string  `json:"workers"` // who are cut off
	Wrong   []Entry   `json:"wrong"`   // of the ledger: what they were caught with

	// Generation is the first that does not count any more. Of its shards those with
	// the numbers in Shards are removed; the others stay, for they were played before
	// anything was learnt from a doubtful shard. Its model and its gate go in any case, and
	// later generations go whole.
	Generation int   `json:"generation"`
	Shards     []int `json:"shards"`

	Committed int `json:"committed"` // the number of generations that counted before
}

// Error makes a rollback the error of a source of games that has found it necessary.
func (b *Rollback) Error() string {
	return fmt.Sprintf("what %s handed in is wrong, and the run must go back to generation %d: dojo train does that", strings.Join(b.Workers, ", "), b.Generation)
}

// removes reports whether a shard goes.
func (b Rollback) removes(generation, shard int) bool {
	return generation > b.Generation || generation == b.Generation && slices.Contains(b.Shards, shard)
}

// pendingRollback is the file of a rollback that is not finished.
func (f Folder) pendingRollback() string { return f.Path("rollbacks", "pending.json") }

// RollbackPath is the file of a rollback that is finished.
func (f Folder) RollbackPath(number int) string {
	return f.Path("rollbacks", fmt.Sprintf("%06d.json", number))
}

// BeginRollback writes down that a rollback is to be done. From here on it will be,
// whoever is killed.
func (f Folder) BeginRollback(b *Rollback) error {
	dir := f.Path("rollbacks")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	if err := atomicfile.Clean(dir); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	if err := atomicfile.WriteBytes(f.pendingRollback(), append(text, '\n')); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}

// PendingRollback is the rollback that has begun and is not finished; nil if there is
// none.
func (f Folder) PendingRollback() (*Rollback, error) {
	text, err := regular.Read(f.pendingRollback(), 1<<26)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("roll back: %w", err)
	}
	b := &Rollback{}
	if err := bounded.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("roll back: %s: %w", f.pendingRollback(), err)
	}
	if b.Generation < 0 {
		return nil, fmt.Errorf("roll back: %s: there is no generation %d", f.pendingRollback(), b.Generation)
	}
	return b, nil
}

// Undo notes the pending rollback in the ledger and removes the files that it undoes. It
// may be called again after it was interrupted anywhere. Before it, what is made from
// the records must be made anew from those that stay: see Records.
func (f Folder) Undo(b *Rollback) error {
	if err := f.note(b); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	// From the newest: at any moment a run without the last generations is left.
	for _, dir := range []string{"generations", "gates", "models", "trainer"} {
		if err := f.removeFrom(dir, b.Generation); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
	}
	if err := f.forgetSolved(b.Generation); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	shards, err := f.Shards()
	if err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	for _, s := range shards {
		if !b.removes(s.Generation, s.Number) {
			continue
		}
		if err := removeShard(f, s); err != nil {
			return fmt.Errorf("roll back: %w", err)
		}
	}
	return nil
}

// note writes a rollback into the ledger, unless it is there.
func (f Folder) note(b *Rollback) error {
	ledger, err := f.OpenLedger()
	if err != nil || ledger.rollback >= b.Number {
		return err
	}
	return ledger.Append(Entry{Event: RolledBack, Generation: b.Generation, Shards: b.Shards, Number: b.Number})
}

// removeFrom removes the files of a generation and of later ones from a folder of the
// run, the newest first.
func (f Folder) removeFrom(dir string, generation int) error {
	entries, err := os.ReadDir(f.Path(dir))
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(entries) { // ReadDir sorts them
		name := e.Name()
		n, ok := number(name, "", filepath.Ext(name))
		if !ok || n < generation {
			continue
		}
		if err := os.Remove(f.Path(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// forgetSolved removes from solved.jsonl the answers of a generation's model and of later
// ones.
func (f Folder) forgetSolved(generation int) error {
	text, err := regular.Read(f.Solved(), 1<<26)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		var of struct{ Model string }
		if err := bounded.Unmarshal(line, &of); err == nil {
			if n, ok := number(of.Model, "", ""); ok && n >= generation {
				continue
			}
		}
		kept = append(kept, line...)
	}
	if len(kept) == len(text) {
		return nil
	}
	return atomicfile.WriteBytes(f.Solved(), kept)
}

// FinishRollback files a rollback that is done.
func (f Folder) FinishRollback(b *Rollback) error {
	if err := os.Rename(f.pendingRollback(), f.RollbackPath(b.Number)); err != nil {
		return fmt.Errorf("roll back: %w", err)
	}
	return nil
}
