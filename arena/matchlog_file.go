package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// logHeader is the first line of a match log's file.
type logHeader struct {
	Version int    `json:"ledger"`
	Game    string `json:"game"`
}

// logVersion is the version of the form that this program writes and reads.
const logVersion = 1

// maxLog is the largest number of bytes of a match log's file.
const maxLog = 1 << 30

// OpenMatchLog reads the match log of a game from a file, or creates the file; if path is ""
// the log is in memory only.
func OpenMatchLog(game, path string) (*MatchLog, error) {
	if path == "" {
		return newMatchLog(game, path), nil
	}
	l, err := ReadMatchLog(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		header, err := json.Marshal(logHeader{logVersion, game})
		if err == nil {
			err = atomicfile.WriteBytes(path, append(header, '\n'))
		}
		if err != nil {
			return nil, fmt.Errorf("ladder: %w", err)
		}
		return newMatchLog(game, path), nil
	case err == nil && l.Game != game:
		err = fmt.Errorf("ladder: %s is of %s, not %s", path, l.Game, game)
	}
	return l, err
}

// ReadMatchLog reads a match log from a file. A last line that is incomplete, because a program
// was killed while it wrote it, is ignored, and the next line overwrites it.
func ReadMatchLog(path string) (*MatchLog, error) {
	text, err := regular.Read(path, maxLog)
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	var header logHeader
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	switch err := bounded.Unmarshal(line, &header); {
	case err != nil || header.Version == 0:
		return nil, fmt.Errorf("%s is no ladder's file: its first line is not one of a match log", path)
	case header.Version != logVersion:
		return nil, fmt.Errorf("ladder: %s has version %d; this program reads %d", path, header.Version, logVersion)
	}
	l := newMatchLog(header.Game, path)
	l.size = int64(len(text) - len(rest))
	n := 1
	for line := range bytes.Lines(rest) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			l.torn = int64(len(line))
			break
		}
		var p Played
		if err := bounded.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("ladder: %s line %d: %w", path, n, err)
		}
		if len(p.Games) != 2 || p.A.Player == "" || p.B.Player == "" {
			return nil, fmt.Errorf("ladder: %s line %d is no pair of games", path, n)
		}
		l.add(p)
		l.size += int64(len(line))
	}
	return l, nil
}

// append adds a pair and writes it to the file. On an error the file stays as it was.
func (l *MatchLog) append(p Played) (err error) {
	l.add(p)
	if l.path == "" {
		return nil
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("ladder: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = fmt.Errorf("ladder: %w", err)
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	end := info.Size()
	if l.torn > 0 && end == l.size+l.torn {
		end = l.size
		if err := file.Truncate(end); err != nil {
			return err
		}
	}
	l.torn = 0
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if _, err := file.Write(append(line, '\n')); err != nil {
		return errors.Join(err, file.Truncate(end))
	}
	return nil
}
