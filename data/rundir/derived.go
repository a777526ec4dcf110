package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
)

// metrics.jsonl and the events file are made from the records, for other programs. These keep a file open and
// read what is appended (tail -f, TensorBoard), so that the files grow in place and are not replaced
// in each generation. A process that is killed may leave an incomplete end, which the next one
// completes.

// maxDerived is the largest size of such a file in bytes.
const maxDerived = 1 << 30

// eventsName is the name of the first events file of a run.
const eventsName = "events.out.tfevents.dojo"

// PublishMetrics makes metrics.jsonl hold text, the lines of all records. It replaces the file only if that
// does not begin with the lines that are there, as after a return to an earlier generation.
func (f Folder) PublishMetrics(text []byte) error {
	if grown, err := grow(f.Metrics(), text, true); grown || err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.Metrics(), text)
}

// PublishEvents makes the events file hold all, which are the frames of all records. If all does not
// begin with the frames that are there, as after a return to an earlier generation, a new file takes the place of the old one
// under a name that sorts after it: TensorBoard goes on from a file to the next.
func (f Folder) PublishEvents(all []byte) error {
	old, err := f.eventFiles()
	if err != nil {
		return err
	}
	path := f.Path(eventsName)
	if len(old) > 0 {
		path = old[len(old)-1]
	}
	grown, err := grow(path, all, false)
	if err == nil && !grown {
		number := 0
		if _, err := fmt.Sscanf(filepath.Base(path), eventsName+".%d", &number); err != nil {
			number = 0 // the first one
		}
		if len(old) > 0 {
			path = f.Path(fmt.Sprintf("%s.%06d", eventsName, number+1))
		}
		err = atomicfile.WriteBytes(path, all)
	}
	if err != nil {
		return err
	}
	for _, other := range old {
		if other != path {
			err = errors.Join(err, atomicfile.Remove(other))
		}
	}
	return err
}

// eventFiles lists the events files in the order of their names.
func (f Folder) eventFiles() ([]string, error) {
	entries, err := os.ReadDir(string(f))
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if isEvents(e.Name()) {
			all = append(all, f.Path(e.Name()))
		}
	}
	slices.Sort(all)
	return all, nil
}

// Unpublish removes best and metrics.jsonl. The events file, if there is one, becomes an empty one with a new name.
func (f Folder) Unpublish() error {
	for _, path := range []string{f.Path("best"), f.Metrics()} {
		if err := atomicfile.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if old, err := f.eventFiles(); len(old) == 0 {
		return err
	}
	return f.PublishEvents(nil)
}

// grow appends to the file at path what is missing of whole. It reports false, and changes nothing, if
// there is no such file or if whole does not begin with what it has. If lines is true the file has lines of
// text, and an incomplete last line may differ, which is then overwritten.
func grow(path string, whole []byte, lines bool) (grown bool, err error) {
	now, err := regular.Read(path, maxDerived)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same := 0 // the number of bytes that are right
	for same < min(len(now), len(whole)) && now[same] == whole[same] {
		same++
	}
	if same < len(now) && (!lines || same == len(whole) || bytes.IndexByte(now[same:], '\n') >= 0) {
		return false, nil
	}
	if same == len(whole) {
		return true, nil
	}
	file, err := atomicfile.Open(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if same < len(now) {
		if err := file.Truncate(int64(same)); err != nil {
			return false, err
		}
	}
	if _, err := file.Seek(int64(same), io.SeekStart); err != nil {
		return false, err
	}
	if _, err := file.Write(whole[same:]); err != nil {
		return false, err
	}
	return true, file.Sync()
}
