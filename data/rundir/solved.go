package rundir

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
)

// MaxSolved is the largest size of solved.jsonl in bytes.
const MaxSolved = 4 << 20

// A solvedKey identifies what a line of solved.jsonl is about: a model, a file of solved positions,
// and the search budget per position.
type solvedKey struct {
	Model       string
	Solved      string
	Simulations int
	TimeMS      float64 `json:"time_ms"`
}

// AddSolved appends a line of JSON to solved.jsonl. It removes earlier lines about the same model,
// positions and budget. While another process changes the file, AddSolved waits.
func (f Folder) AddSolved(ctx context.Context, line []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", f.Solved(), err)
		}
	}()
	var about solvedKey
	if err := json.Unmarshal(line, &about); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Path("locks"), 0o755); err != nil {
		return err
	}
	lock, err := f.lockAlone(ctx, "solved")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	old, err := regular.Read(f.Solved(), MaxSolved)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var text []byte
	number := 0
	for other := range bytes.Lines(old) {
		number++
		var x solvedKey
		if err := json.Unmarshal(other, &x); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		if x != about {
			text = append(append(text, bytes.TrimSuffix(other, []byte("\n"))...), '\n')
		}
	}
	text = append(append(text, bytes.TrimSpace(line)...), '\n')
	return atomicfile.WriteBytes(f.Solved(), text)
}
