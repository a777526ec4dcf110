package rundir

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

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// A Rollback says how far a run goes back because shards of a worker that it has
// accepted, or pairs of games of a gate, are wrong or may be. The ledger owes it (see [Ledger.Owed])
// until the last file is undone, so that who is killed half way does it again. It is kept
// in the folder rollbacks, e.g. as 000000.json. The files that are undone move to a folder
// beside it, e.g. 000000, where they have the paths that they had in the run.
type Rollback struct {
	Number  int       `json:"number"`
	Time    time.Time `json:"time"`
	Workers []string  `json:"workers"` // who are cut off
	Wrong   []Entry   `json:"wrong"`   // of the ledger: what they were caught with

	// Generation is the first that does not count any more. Of its shards those with
	// the numbers in Shards go; the others stay, for they were played before
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

// Undoes reports whether what an entry is about goes.
func (b Rollback) Undoes(e Entry) bool {
	return e.Generation > b.Generation || e.Generation == b.Generation && (e.Gate || slices.Contains(b.Shards, e.Shard))
}

// RollbackPath is the file of a rollback.
func (f Folder) RollbackPath(number int) string {
	return f.Path("rollbacks", fmt.Sprintf("%06d.json", number))
}

// Undone is the folder of the files that a rollback has undone.
func (f Folder) Undone(number int) string { return f.Path("rollbacks", fmt.Sprintf("%06d", number)) }

// Undo moves the files that a rollback undoes aside, and then writes the rollback's own file. It may
// be called again after it was interrupted anywhere. The caller first makes best, metrics.jsonl and
// the events anew from the records that stay, and notes the rollback in the ledger afterwards.
func (f Folder) Undo(b *Rollback) error {
	// From the newest: at any moment a run without the last generations is left.
	for _, dir := range []string{"generations", "gates", "models", "trainer"} {
		if err := f.putAsideFrom(dir, b); err != nil {
			return err
		}
	}
	if err := f.putSolvedAside(b); err != nil {
		return err
	}
	shards, err := f.Shards()
	if err != nil {
		return err
	}
	for _, s := range shards {
		if !b.Undoes(Entry{Generation: s.Generation, Shard: s.Number}) {
			continue
		}
		if err := f.putAside(b, s.Path); err != nil {
			return err
		}
		if err := f.removeIfEmpty(s.Generation); err != nil {
			return err
		}
	}
	last, err := f.lastRecord()
	if err != nil {
		return err
	}
	undone, err := numbered(filepath.Join(f.Undone(b.Number), "generations"), "", ".json")
	if err != nil {
		return err
	}
	b.Committed, b.Time = last+1+len(undone), time.Now().UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path("rollbacks"), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.RollbackPath(b.Number), append(text, '\n'))
}

// putAside moves a file of the run to the same path in the folder of what is undone.
func (f Folder) putAside(b *Rollback, path string) error {
	name, err := filepath.Rel(string(f), path)
	if err != nil {
		return err
	}
	to := filepath.Join(f.Undone(b.Number), name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return atomicfile.Rename(path, to)
}

// putAsideFrom moves the files of the rollback's generation and of later ones out of a folder
// of the run, the newest first.
func (f Folder) putAsideFrom(dir string, b *Rollback) error {
	entries, err := os.ReadDir(f.Path(dir))
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(entries) { // ReadDir sorts them
		name := e.Name()
		n, ok := number(name, "", filepath.Ext(name))
		if !ok || n < b.Generation {
			continue
		}
		if err := f.putAside(b, f.Path(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// putSolvedAside moves the answers of the models that are undone out of solved.jsonl.
func (f Folder) putSolvedAside(b *Rollback) error {
	text, err := regular.Read(f.Solved(), 1<<26)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var kept, undone []byte
	for line := range bytes.Lines(text) {
		var of solvedKey // stays empty if the line cannot be read; such lines are kept
		_ = bounded.Unmarshal(line, &of)
		if n, ok := number(of.Model, "", ""); ok && n >= b.Generation {
			undone = append(undone, line...)
		} else {
			kept = append(kept, line...)
		}
	}
	if len(undone) == 0 {
		return nil
	}
	aside := filepath.Join(f.Undone(b.Number), filepath.Base(f.Solved()))
	if err := os.MkdirAll(filepath.Dir(aside), 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(aside, undone); err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.Solved(), kept)
}
