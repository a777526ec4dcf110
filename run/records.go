package run

import (
	"errors"
	"fmt"
	"io/fs"

	"dojo/internal/atomicfile"
	"dojo/internal/regular"
)

// maxRecord is the most bytes that a generation's record has; written by us it
// has some 1,000.
const maxRecord = 1 << 20

// Records reads the records of the committed generations, in order.
func (f Folder) Records() ([][]byte, error) {
	var all [][]byte
	for {
		text, err := regular.Read(f.Record(len(all)), maxRecord)
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", f, err)
		}
		all = append(all, text)
	}
}

// Commit keeps the record of a generation: with it the generation counts.
func (f Folder) Commit(generation int, record []byte) error {
	if err := atomicfile.WriteBytes(f.Record(generation), record); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// SetBest names the model that plays next.
func (f Folder) SetBest(name string) error {
	return atomicfile.WriteBytes(f.Path("best"), []byte(name))
}
