// Package regular opens only regular files, because reading anything else, such as a FIFO, could
// block forever.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"dojo.example/internal/bounded"
)

// Open opens a regular file, or a symbolic link to one, for reading.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.Unwrap(err)}
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is not a regular file but a %s", kind(info.Mode()))}
	}
	return os.Open(path)
}

// Read returns the content of a regular file. It returns an error if the file has more than limit
// bytes.
func Read(path string, limit int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // ignore errors, because the file was only read
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > limit {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is longer than %d bytes", limit)}
	}
	return text, nil
}

// ReadText is like Read, for text files written with an editor or a shell; see [bounded.Plain].
func ReadText(path string, limit int64) ([]byte, error) {
	text, err := Read(path, limit)
	if err == nil {
		text, err = bounded.Plain(text)
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
	}
	return text, err
}

// kind names the type of a file that is not regular, for error messages.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
