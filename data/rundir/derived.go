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

// metrics.jsonl and the events file contain the same data as the records. They exist for programs
// such as tail -f and TensorBoard, which keep a file open and read what is appended. Therefore each
// new generation is appended to the files, and the files are not replaced. If the process is killed
// while it appends, the end of a file may be incomplete. The next process completes it.

// maxDerived is the largest size of metrics.jsonl or of an events file, in bytes.
const maxDerived = 1 << 30

// eventsName is the name of the run's first events file.
const eventsName = "events.out.tfevents.dojo"

// PublishMetrics sets the content of metrics.jsonl to text, which has one line for each record.
// Normally PublishMetrics only appends the missing lines. It replaces the file if the existing
// lines are not the beginning of text, as after a return to an earlier generation.
func (f Folder) PublishMetrics(text []byte) error {
	if grown, err := grow(f.Metrics(), text, true); grown || err != nil {
		return err
	}
	return atomicfile.WriteBytes(f.Metrics(), text)
}

// PublishEvents sets the content of the events file. The parameter all holds the TensorBoard events
// of all records. Normally PublishEvents only appends the missing events. If the existing content
// is not the beginning of the new content, as after a return to an earlier generation, it writes a
// file with a new name and removes the old one. The new name sorts after the old name, because
// TensorBoard reads the files in the order of their names.
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
			number = 0 // the name of the first events file contains no number
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

// eventFiles lists the events files, sorted by name.
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

// Unpublish removes the files best and metrics.jsonl. If there is an events file, Unpublish
// replaces it by an empty one with a new name.
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

// grow completes the file at path by appending what is missing. whole is the complete content. If
// there is no file, or if whole does not begin with the content of the file, grow returns false and
// changes nothing. If lines is true, the file consists of text lines. Then grow also accepts and
// overwrites an incomplete last line, which has no line feed.
func grow(path string, whole []byte, lines bool) (grown bool, err error) {
	now, err := regular.Read(path, maxDerived)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same := 0 // length of the common prefix of now and whole
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
