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

// Ledger is the file that says where results come from that this machine did not compute; see package audit.
func (f Folder) Ledger() string { return f.Path("ledger.jsonl") }

// A Return is a run's going back to an earlier generation. It is written into the folder rollbacks, e.g. as
// 000000.json, before the first file moves, so that a process that is killed meanwhile is followed by one
// that ends the return. The files move to a folder beside it, e.g. 000000, where they have the paths that
// they had in the run.
type Return struct {
	Number     int       `json:"number"` // among the run's returns, from 0
	Time       time.Time `json:"time"`
	Generation int       `json:"generation"` // the first of which the files go
	Committed  int       `json:"committed"`  // the number of generations that counted before

	Workers []string `json:"workers,omitempty"` // of an older program, which went back by itself: because of whom
}

// ReturnPath is the file of a return.
func (f Folder) ReturnPath(number int) string {
	return f.Path("rollbacks", fmt.Sprintf("%06d.json", number))
}

// Aside is the folder to which a return moves files.
func (f Folder) Aside(number int) string { return f.Path("rollbacks", fmt.Sprintf("%06d", number)) }

// BeginReturn writes the file of a return. The stages must be locked.
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

// Begun returns the return with a number; ok is false if it was not begun. If an older program, which went back
// by itself, was killed meanwhile, the error says so.
func (f Folder) Begun(number int) (b Return, ok bool, err error) {
	text, err := regular.Read(f.ReturnPath(number), MaxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		for _, path := range []string{f.Path("rollbacks", "pending.json"), f.Aside(number)} { // it moved the files first
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
		err = fmt.Errorf("%s is not the file of a return", f.ReturnPath(number))
	}
	return b, err == nil, err
}

// ErrHalfUndone says that a run was left between two states; see [Folder.Begun].
var ErrHalfUndone = errors.New("an older program was killed while the run went back")

// PutAside moves the files of a return. It may be called again after it was interrupted anywhere. The caller
// first makes best, metrics.jsonl and the events anew from the records that stay, and notes the return
// in the ledger afterwards.
func (f Folder) PutAside(ctx context.Context, b Return) error {
	// From the newest: at any moment a run without the last generations is left.
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

// putAside moves a file of the run to the same path in the folder of what is aside.
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

// putAsideFrom moves the files of the return's generation and of later ones out of a folder
// of the run, the newest first.
func (f Folder) putAsideFrom(dir string, b Return) error {
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

// putSolvedAside moves the answers of the models that go out of solved.jsonl.
func (f Folder) putSolvedAside(b Return) error {
	text, err := regular.Read(f.Solved(), 1<<26)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var kept, aside []byte
	for line := range bytes.Lines(text) {
		var of solvedKey // stays empty if the line cannot be read; such lines are kept
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
