package rundir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// Ledger is the path of the file that records which results came from workers; see package audit.
func (f Folder) Ledger() string { return f.Path("ledger.jsonl") }

// A Return describes how a run goes back to an earlier generation. Before any file is moved, the
// Return is written to a file such as rollbacks/000000.json. So if the process is killed, the next
// process can finish the return. The files of the removed generations move to the folder
// rollbacks/000000, where they keep the paths that they had in the run.
type Return struct {
	Number     int       `json:"number"` // number of the return, counted from 0
	Time       time.Time `json:"time"`
	Generation int       `json:"generation"` // first generation whose files are moved
	Committed  int       `json:"committed"`  // number of committed generations before the return

	// Workers names the workers that were the reason for the return. Only older programs, which
	// went back automatically, wrote it.
	Workers []string `json:"workers,omitempty"`
}

// ReturnPath is the path of the file that describes a return.
func (f Folder) ReturnPath(number int) string {
	return f.Path("rollbacks", fmt.Sprintf("%06d.json", number))
}

// Aside is the folder to which the return with the given number moves files.
func (f Folder) Aside(number int) string { return f.Path("rollbacks", fmt.Sprintf("%06d", number)) }

// BeginReturn writes the file that describes a return. The caller has locked the stages of the run
// (see [Folder.LockStages]).
func (f Folder) BeginReturn(b Return) error {
	b.Time = time.Now().UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path("rollbacks"), 0o755); err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.ReturnPath(b.Number), append(text, '\n'))
}

// Begun reads the description of the return with the given number. ok is false if this return has
// not begun. The error is ErrHalfUndone if an older program was killed during a return.
func (f Folder) Begun(number int) (b Return, ok bool, err error) {
	text, err := regular.Read(f.ReturnPath(number), MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		// Older programs moved the files first and then wrote the description. So if there are
		// files but no description, an older program was killed in between.
		for _, path := range []string{f.Path("rollbacks", "pending.json"), f.Aside(number)} {
			if _, err := os.Stat(path); err == nil {
				return b, false, fmt.Errorf("%s: %w", path, ErrHalfUndone)
			}
		}
		return b, false, nil
	}
	if err == nil {
		err = bounded.Unmarshal(text, &b)
	}
	switch {
	case err != nil:
	case b.Workers != nil:
		err = fmt.Errorf("%s: %w", f.ReturnPath(number), ErrHalfUndone)
	case b.Number != number || b.Generation < 0:
		err = fmt.Errorf("%s is damaged: it should describe return %d to an earlier generation", f.ReturnPath(number), number)
	}
	return b, err == nil, err
}

// ErrHalfUndone means that a run is in an inconsistent state, because an older program was killed
// while the run went back. See [Folder.Begun].
var ErrHalfUndone = errors.New("an older program was killed while the run went back")

// PutAside moves the files of a return. Call it again if it was interrupted. Before the call, the
// caller must rewrite best, metrics.jsonl and the events from the records that remain. After the
// call, it must record the return in the ledger.
func (f Folder) PutAside(ctx context.Context, b Return) error {
	// Move the newest files first, so that an interruption at any moment leaves a consistent run
	// with fewer generations.
	for _, dir := range []string{"generations", "gates", "models", "trainer"} {
		if err := f.putAsideFrom(dir, b); err != nil {
			return err
		}
	}
	lock, err := f.lockAlone(ctx, "solved")
	if err != nil {
		return err
	}
	if err := errors.Join(f.putSolvedAside(b), lock.Close()); err != nil {
		return err
	}
	shards, err := f.Shards()
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(shards) {
		if s.Generation < b.Generation {
			break
		}
		if err := f.putAside(b, s.Path); err != nil {
			return err
		}
		if err := f.removeIfEmpty(s.Generation); err != nil {
			return err
		}
	}
	if err := os.Remove(f.Path("rollbacks", "pending.json")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// putAside moves a file of the run to the return's folder, where it has the same relative path as
// in the run.
func (f Folder) putAside(b Return, path string) error {
	name, err := filepath.Rel(string(f), path)
	if err != nil {
		return err
	}
	to := filepath.Join(f.Aside(b.Number), name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return atomicfile.Rename(path, to)
}

// putAsideFrom moves files out of the run's subfolder dir. It moves the files of generation
// b.Generation and of all later generations, newest first.
func (f Folder) putAsideFrom(dir string, b Return) error {
	entries, err := os.ReadDir(f.Path(dir))
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(entries) { // newest first, because ReadDir sorts the entries
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

// putSolvedAside moves the lines about removed models from solved.jsonl to the return's folder.
func (f Folder) putSolvedAside(b Return) error {
	text, err := regular.Read(f.Solved(), 1<<26)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var kept, aside []byte
	for line := range bytes.Lines(text) {
		// A line that cannot be parsed leaves this variable empty, and stays in solved.jsonl.
		var of solvedKey
		_ = bounded.Unmarshal(line, &of)
		if n, ok := number(of.Model, "", ""); ok && n >= b.Generation {
			aside = append(aside, line...)
		} else {
			kept = append(kept, line...)
		}
	}
	if len(aside) == 0 {
		return nil
	}
	path := filepath.Join(f.Aside(b.Number), filepath.Base(f.Solved()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(path, aside); err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.Solved(), kept)
}
