package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/listed"
	"dojo.example/internal/regular"
)

// Records reads the records of the committed generations, in order. If a record is missing although
// a later record exists, or although metrics.jsonl has a line for it, the error names the missing
// file.
func (f Folder) Records() ([][]byte, error) {
	// Commit writes a record first, and then the record's line in metrics.jsonl. Therefore count
	// the lines before you read the records. Otherwise a generation that is committed in between
	// would look like a missing record.
	lines, err := f.metricsLines()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f, err)
	}
	last, err := f.lastRecord()
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", f, err)
	}
	var all [][]byte
	for {
		path := f.Record(len(all))
		text, err := f.ReadRecord(len(all))
		switch {
		case err == nil:
			all = append(all, text)
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("run %s: %w", f, err)
		case len(all) < last:
			return nil, fmt.Errorf("%s is missing, though %s exists; restore it from a backup or from its line in metrics.jsonl", path, filepath.Base(f.Record(last)))
		case len(all) < lines:
			return nil, fmt.Errorf("%s is missing, though metrics.jsonl has its line; restore it from this line, or remove metrics.jsonl to continue with generation %d", path, len(all))
		}
		return all, nil
	}
}

// ReadRecord reads the record of a generation and checks its seal, a checksum. If the generation is
// not committed, the error is [fs.ErrNotExist].
func (f Folder) ReadRecord(generation int) ([]byte, error) {
	before, err := f.recordText(generation - 1)
	if err != nil {
		return nil, err
	}
	text, err := f.recordText(generation)
	if err != nil {
		return nil, err
	}
	if err := checkSeal(before, text); err != nil {
		return nil, fmt.Errorf("%s %w; restore it from a backup or from its line in metrics.jsonl", f.Record(generation), err)
	}
	return text, nil
}

// recordText reads the file of a record. It removes white space at the end, for example a line feed
// that an editor has added. For a negative generation it returns nil.
func (f Folder) recordText(generation int) ([]byte, error) {
	if generation < 0 {
		return nil, nil
	}
	text, err := regular.Read(f.Record(generation), listed.MaxRecord)
	return bytes.TrimSpace(text), err
}

// Each record begins with a seal, a checksum of this record and of the record before it:
//
//	{"seal":"9f…","generation":12,…}
//
// The seal is the SHA-256 of the previous record followed by the part of this record after the
// seal's last digit. Because the previous record contains its own seal, a valid seal confirms all
// earlier records too.
const (
	sealOpening    = `{"seal":"`
	sealDigits     = 2 * sha256.Size
	sealSeparation = `",`
)

// seal computes the seal, a checksum, of a record. before is the previous record, and rest is the
// part of this record after the seal.
func seal(before, rest []byte) []byte {
	h := sha256.New()
	_, _ = h.Write(before) // writing to a hash never fails
	_, _ = h.Write(rest)
	return hex.AppendEncode(nil, h.Sum(nil))
}

// checkSeal returns an error unless the seal (a checksum) in record is correct. before is the
// previous record.
func checkSeal(before, record []byte) error {
	rest, ok := bytes.CutPrefix(record, []byte(sealOpening))
	switch {
	case !ok:
		return errors.New("is damaged: it has no seal")
	case len(rest) < sealDigits || !bytes.Equal(rest[:sealDigits], seal(before, rest[sealDigits:])):
		return errors.New("is damaged: its seal does not match its text and the record before it")
	}
	return nil
}

// lastRecord returns the number of the last generation that has a record, or -1 if no generation
// has one.
func (f Folder) lastRecord() (int, error) {
	all, err := numbered(f.Path("generations"), "", ".json")
	if err != nil || len(all) == 0 {
		return -1, err
	}
	return all[len(all)-1], nil
}

// metricsLines returns the number of lines in metrics.jsonl, or 0 if the file does not exist.
func (f Folder) metricsLines() (int, error) {
	text, err := regular.Read(f.Metrics(), 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return bytes.Count(text, []byte("\n")), err
}

// Commit adds a seal, a checksum, to the record of a generation and writes the record. This commits
// the generation. record is a JSON object whose first key is "generation". Commit returns the
// record with its seal.
func (f Folder) Commit(generation int, record []byte) ([]byte, error) {
	before, err := f.recordText(generation - 1)
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	rest := append([]byte(sealSeparation), record[1:]...)
	record = slices.Concat([]byte(sealOpening), seal(before, rest), rest)
	if err := atomicfile.WriteBytes(f.Record(generation), record); err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	return record, nil
}

// SetBest sets the name of the model that plays the next games of self-play.
func (f Folder) SetBest(name string) error {
	return atomicfile.WriteBytes(f.Path("best"), []byte(name))
}
