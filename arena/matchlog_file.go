package arena

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
)

// logHeader is the first line of a match log's file.
type logHeader struct {
	Version int    `json:"match_log,omitempty"`
	Ledger  int    `json:"ledger,omitempty"` // version of the format in a file of an older program
	Game    string `json:"game"`
}

// logVersion is the version of the file format that this program reads and writes.
const logVersion = 1

// OpenMatchLog reads the match log of a game from a file, and creates the file if it does not
// exist. If path is "", the log is only in memory.
func OpenMatchLog(game, path string) (*MatchLog, error) {
	if path == "" {
		return newMatchLog(game, path), nil
	}
	l, err := ReadMatchLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		var header []byte
		if header, err = json.Marshal(logHeader{Version: logVersion, Game: game}); err == nil {
			err = atomicfile.WriteBytes(path, append(header, '\n'))
		}
		if err != nil {
			return nil, fmt.Errorf("match log: %w", err)
		}
		return ReadMatchLog(path)
	}
	if err == nil && l.Game != game {
		err = fmt.Errorf("match log: %s is for %s, not for %s", path, l.Game, game)
	}
	return l, err
}

// ReadMatchLog reads a match log from a file.
func ReadMatchLog(path string) (*MatchLog, error) {
	l := newMatchLog("", path)
	err := l.file.Read(l.readLine)
	if err == nil && l.Game == "" {
		err = fmt.Errorf("%s: %w", path, errNoLog)
	}
	if err != nil {
		return nil, fmt.Errorf("match log: %w", err)
	}
	return l, nil
}

var errNoLog = errors.New("it is not a match log: its first line is not the header of one")

// readLine reads the next line of the file. The first line is the header.
func (l *MatchLog) readLine(line []byte) error {
	if l.Game == "" {
		var header logHeader
		err := bounded.Unmarshal(line, &header)
		switch version := cmp.Or(header.Version, header.Ledger); {
		case err != nil || version == 0 || header.Game == "":
			return errNoLog
		case version != logVersion:
			return fmt.Errorf("it has version %d, but this program reads only version %d", version, logVersion)
		}
		l.Game = header.Game
		return nil
	}
	var p Played
	if err := bounded.Unmarshal(line, &p); err != nil {
		return err
	}
	if len(p.Games) != 2 || p.Pair < 0 || p.A.Player == "" || p.B.Player == "" {
		return errors.New("the line is not a pair of games")
	}
	l.add(p)
	return nil
}
