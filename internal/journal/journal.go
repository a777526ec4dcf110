// Package journal stores values as lines of JSON in a file, to which it only appends. If a process
// is killed, the last line may be incomplete. Readers ignore that line, and the next append
// overwrites it.
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

// A Journal is a file of JSON lines. Only one goroutine may use a Journal at a time, but other
// processes may append lines to the same file.
type Journal struct {
	Path string // path of the file; with "", Read finds nothing and Append does nothing
	Sync bool   // if true, Append waits until the lines are on the disk

	end   int64 // position in bytes after the last line that this Journal has read or written
	lines int   // number of lines before end
}

// Read calls f for each line that was added since the last call of Read or Append. If the file does
// not exist, it returns fs.ErrNotExist.
func (j *Journal) Read(f func(line []byte) error) error {
	if j.Path == "" {
		return nil
	}
	file, err := regular.Open(j.Path)
	if err != nil {
		return err
	}
	defer file.Close() // ignore errors, because the file was only read
	if _, err := file.Seek(j.end, io.SeekStart); err != nil {
		return err
	}
	if j.end == 0 {
		mark := make([]byte, len(bounded.BOM))
		if n, _ := file.ReadAt(mark, 0); string(mark[:n]) == bounded.BOM {
			j.end = int64(n) // skip the byte order mark of an editor; bounded.Lines removes it
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

// Append adds a line for each value to the file. If it returns an error, the file is unchanged.
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
	whole := bytes.LastIndexByte(rest, '\n') + 1 // other processes have added complete lines up to here
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
