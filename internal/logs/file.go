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

// A File is the path of a log whose size is bounded. When the file has maxLog bytes it
// becomes the old log, e.g. log.1.txt of log.txt, in place of the one before, and a new file is
// begun. Several processes may write to a log at a time.
type File string

// maxLog is the size in bytes from which on a log is put aside: some 100,000 lines.
const maxLog = 16 << 20

// Write appends to the log; see io.Writer. The file and its folder are made when they are
// needed. The file is opened for each line, so that no process goes on to write to the old log.
func (path File) Write(line []byte) (int, error) {
	if err := os.MkdirAll(filepath.Dir(string(path)), 0o755); err != nil {
		return 0, err
	}
	aside := path.putAside() // if it fails, the log grows on; on Windows it does while anybody has it open
	f, err := atomicfile.Open(string(path), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, errors.Join(aside, err)
	}
	n, err := f.Write(line)
	return n, errors.Join(aside, err, f.Close())
}

// old is the path of the old log.
func (path File) old() string {
	extension := filepath.Ext(string(path))
	return strings.TrimSuffix(string(path), extension) + ".1" + extension
}

// isFull reports whether the log has maxLog bytes.
func (path File) isFull() (bool, error) {
	info, err := os.Stat(string(path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size() >= maxLog, err
}

// putAside makes a full log the old one. A lock sees to it that only one of several processes
// does so: the second would put the new log in place of the old.
func (path File) putAside() error {
	if full, err := path.isFull(); !full {
		return err
	}
	lock := flock.New(string(path) + ".lock")
	if locked, err := lock.TryLock(); !locked {
		return errors.Join(err, lock.Close()) // without an error, another process is doing it
	}
	full, err := path.isFull() // it may have been put aside since
	if full {
		err = os.Rename(string(path), path.old())
	}
	return errors.Join(err, lock.Close())
}
