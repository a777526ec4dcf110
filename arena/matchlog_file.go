package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	l, torn, err := readMatchLog(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		var header []byte
		if header, err = json.Marshal(logHeader{logVersion, game}); err == nil {
			err = atomicfile.WriteBytes(path, append(header, '\n'))
		}
		l = newMatchLog(game, path)
	case err == nil && l.Game != game:
		err = fmt.Errorf("%s is of %s, not %s", path, l.Game, game)
	case torn > 0:
		err = os.Truncate(path, torn)
	}
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	return l, nil
}

// ReadMatchLog reads a match log from a file. A last line that is incomplete, because a program
// was killed while it wrote it, is ignored; OpenMatchLog removes it.
func ReadMatchLog(path string) (*MatchLog, error) {
	l, _, err := readMatchLog(path)
	if err != nil {
		return nil, fmt.Errorf("ladder: %w", err)
	}
	return l, nil
}

// readMatchLog also returns where an incomplete last line begins, 0 if there is none.
func readMatchLog(path string) (l *MatchLog, torn int64, err error) {
	text, err := regular.Read(path, maxLog)
	if err != nil {
		return nil, 0, err
	}
	var header logHeader
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	switch err := bounded.Unmarshal(line, &header); {
	case err != nil || header.Version == 0:
		return nil, 0, fmt.Errorf("%s is no ladder's file: its first line is not one of a match log", path)
	case header.Version != logVersion:
		return nil, 0, fmt.Errorf("%s has version %d; this program reads %d", path, header.Version, logVersion)
	}
	l = newMatchLog(header.Game, path)
	n := 1
	for line := range bytes.Lines(rest) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			return l, int64(len(text) - len(line)), nil
		}
		var p Played
		if err := bounded.Unmarshal(line, &p); err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", path, n, err)
		}
		if len(p.Games) != 2 || p.A.Player == "" || p.B.Player == "" {
			return nil, 0, fmt.Errorf("%s line %d is no pair of games", path, n)
		}
		l.add(p)
	}
	return l, 0, nil
}

// append adds a pair and writes it to the file. On an error the file stays as it was.
func (l *MatchLog) append(p Played) error {
	l.add(p)
	if l.path == "" {
		return nil
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		var end int64
		if end, err = file.Seek(0, io.SeekEnd); err == nil {
			if _, err = file.Write(append(line, '\n')); err != nil {
				err = errors.Join(err, file.Truncate(end))
			}
		}
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return fmt.Errorf("ladder: %w", err)
	}
	return nil
}
