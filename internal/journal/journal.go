// Package journal keeps values as lines of JSON in a file that only grows. A killed process may
// leave an incomplete last line. Readers ignore it, and the next line overwrites it.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// A Journal is a file of JSON lines. One goroutine uses a Journal at a time. Other processes may
// also append lines to the file.
type Journal struct {
	Path string // path of the file; if it is "", Read finds nothing and Append does nothing
	Sync bool   // whether Append waits until the lines are on the disk

	end   int64 // position in bytes after the last line that was read or written
	lines int   // number of lines before end
}

// Read calls f for each line that was added after the last Read or Append. If the file does not
// exist, the error is an fs.ErrNotExist.
func (j *Journal) Read(f func(line []byte) error) error {
	if j.Path == "" {
		return nil
	}
	file, err := regular.Open(j.Path)
	if err != nil {
		return err
	}
	defer file.Close() // ignore the error: the file was only read
	if _, err := file.Seek(j.end, io.SeekStart); err != nil {
		return err
	}
	if j.end == 0 {
		mark := make([]byte, len(bounded.BOM))
		if n, _ := file.ReadAt(mark, 0); string(mark[:n]) == bounded.BOM {
			j.end = int64(n) // an editor wrote the mark; Lines drops it
		}
	}
	for lines := bufio.NewReader(bounded.Lines(file)); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f(line)
		}
		if err != nil {
			return fmt.Errorf("%s line %d: %w", j.Path, j.lines+1, err)
		}
		j.end, j.lines = j.end+int64(len(line)), j.lines+1
	}
}

// Append adds values to the file. On an error the file is unchanged.
func (j *Journal) Append(values ...any) (err error) {
	if j.Path == "" || len(values) == 0 {
		return nil
	}
	var text []byte
	for _, v := range values {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		text = append(append(text, line...), '\n')
	}
	file, err := os.OpenFile(j.Path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	rest, err := io.ReadAll(io.NewSectionReader(file, j.end, math.MaxInt64-j.end))
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(rest, '\n') + 1 // rest up to here consists of lines of other processes
	end := j.end + int64(whole)
	if whole < len(rest) {
		if err := os.Truncate(j.Path, end); err != nil {
			return err
		}
	}
	_, err = file.Write(text)
	if err == nil && j.Sync {
		err = file.Sync()
	}
	if err != nil {
		return errors.Join(err, os.Truncate(j.Path, end))
	}
	j.end, j.lines = end+int64(len(text)), j.lines+bytes.Count(rest, []byte("\n"))+len(values)
	return nil
}
