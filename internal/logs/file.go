package logs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dojo.example/internal/atomicfile"

	"github.com/gofrs/flock"
)

// A File is the path of a log file that is rotated. When the log has reached maxLog bytes, it is
// renamed, for example from log.txt to log.1.txt (the old log), replacing the previous old log.
// Then a new log is started. Several processes may write to a log at the same time.
type File string

// maxLog is the size in bytes at which a log is renamed to the old log. A log of this size has
// about 100,000 lines.
const maxLog = 16 << 20

// Write appends a line to the log; see io.Writer. It creates the file and its folder if necessary.
// It reopens the file for each line, so that no process keeps writing to a log that another process
// has renamed.
func (path File) Write(line []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(string(path)), 0o755); err != nil {
		return 0, err
	}
	// If putAside fails, write the line to the full log anyway, although it keeps growing. On
	// Windows, putAside fails while any process has the log open.
	aside := path.putAside()
	f, err := atomicfile.Open(string(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, errors.Join(aside, err)
	}
	n, err := f.Write(line)
	return n, errors.Join(aside, err, f.Close())
}

// old returns the path of the old log; see File.
func (path File) old() string {
	extension := filepath.Ext(string(path))
	return strings.TrimSuffix(string(path), extension) + ".1" + extension
}

// isFull reports whether the log has reached maxLog bytes.
func (path File) isFull() (bool, error) {
	info, err := os.Stat(string(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size() >= maxLog, err
}

// putAside renames a full log to the old log. A lock ensures that only one process renames it: a
// second rename would overwrite the old log with the new, almost empty one.
func (path File) putAside() error {
	if full, err := path.isFull(); !full {
		return err
	}
	lock := flock.New(string(path) + ".lock")
	if locked, err := lock.TryLock(); !locked {
		return errors.Join(err, lock.Close()) // err is nil if another process holds the lock and is renaming the log
	}
	full, err := path.isFull() // check again, because another process may have renamed the log before this one got the lock
	if full {
		err = os.Rename(string(path), path.old())
	}
	return errors.Join(err, lock.Close())
}
