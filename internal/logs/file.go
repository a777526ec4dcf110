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

// A File is the path of a log of limited size. When the file has reached maxLog bytes, it is
// renamed to the old log, for example from log.txt to log.1.txt, and a new file begins. The rename
// replaces the previous old log. Several processes may write to a log at the same time.
type File string

// maxLog is the size in bytes at which a log is put aside: about 100,000 lines.
const maxLog = 16 << 20

// Write appends a line to the log; see io.Writer. It creates the file and its folder if necessary.
// It opens the file anew for each line, so that no process keeps writing to the old log.
func (path File) Write(line []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(string(path)), 0o755); err != nil {
		return 0, err
	}
	aside := path.putAside() // on an error the log keeps growing, on Windows as long as any process has it open
	f, err := atomicfile.Open(string(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, errors.Join(aside, err)
	}
	n, err := f.Write(line)
	return n, errors.Join(aside, err, f.Close())
}

// old returns the path of the old log.
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

// putAside renames a full log to the old log. A lock ensures that only one of several processes
// does so. A second rename would replace the old log with the new one.
func (path File) putAside() error {
	if full, err := path.isFull(); !full {
		return err
	}
	lock := flock.New(string(path) + ".lock")
	if locked, err := lock.TryLock(); !locked {
		return errors.Join(err, lock.Close()) // if err is nil, another process is putting the log aside
	}
	full, err := path.isFull() // check again: another process may have put the log aside in the meantime
	if full {
		err = os.Rename(string(path), path.old())
	}
	return errors.Join(err, lock.Close())
}
