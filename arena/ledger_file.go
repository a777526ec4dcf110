package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"dojo/engine"
	"dojo/internal/atomicfile"
	"dojo/internal/bounded"
	"dojo/internal/regular"
)

// ledgerHeader is the first line of a ledger's file.
type ledgerHeader struct {
	Ledger int    `json:"ledger"` // the version of the form
	Game   string `json:"game"`
}

// ledgerVersion is the version of the form that this program writes and reads.
const ledgerVersion = 1

// maxLedger is the largest number of bytes of a ledger's file.
const maxLedger = 1 << 30

// LedgerGame reads the name of the game of the ledger in a file; it is empty if there
// is no such file.
func LedgerGame(path string) (string, error) {
	text, err := regular.Read(path, maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("ledger: %w", err)
	}
	header, _, err := readLedgerHeader(path, text)
	return header.Game, err
}

func readLedgerHeader(path string, text []byte) (h ledgerHeader, rest []byte, err error) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	switch err := bounded.Unmarshal(line, &h); {
	case err != nil || h.Ledger == 0:
		return h, nil, fmt.Errorf("%s is no ladder's file: its first line is not one of a ledger of games", path)
	case h.Ledger != ledgerVersion:
		return h, nil, fmt.Errorf("ledger: %s has version %d; this program reads %d", path, h.Ledger, ledgerVersion)
	}
	return h, rest, nil
}

// OpenLedger reads the ledger of a game from a file, or creates the file; if path is "" the
// ledger is in memory only. A last line that is incomplete, because a program was killed while
// it wrote it, is ignored, and the next line overwrites it.
func OpenLedger(game engine.Game, path string) (*Ledger, error) {
	l := &Ledger{path: path, game: game, matches: map[matchKey][]Played{}}
	if path == "" {
		return l, nil
	}
	text, err := regular.Read(path, maxLedger)
	if errors.Is(err, fs.ErrNotExist) {
		return l, l.begin()
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	header, rest, err := readLedgerHeader(path, text)
	if err != nil {
		return nil, err
	}
	if header.Game != game.Name {
		return nil, fmt.Errorf("ledger: %s is of %s, not %s", path, header.Game, game.Name)
	}
	n := 1
	l.size = int64(len(text) - len(rest))
	for line := range bytes.Lines(rest) {
		n++
		if !bytes.HasSuffix(line, []byte("\n")) {
			l.torn = int64(len(line))
			break
		}
		var p Played
		if err := bounded.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("ledger: %s line %d: %w", path, n, err)
		}
		if len(p.Games) != 2 || p.A.Player == "" || p.B.Player == "" {
			return nil, fmt.Errorf("ledger: %s line %d is no pair of games", path, n)
		}
		l.add(p)
		l.size += int64(len(line))
	}
	return l, nil
}

// begin writes a file without games.
func (l *Ledger) begin() error {
	line, err := json.Marshal(ledgerHeader{ledgerVersion, l.game.Name})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if err := atomicfile.WriteBytes(l.path, line); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	return nil
}

// append adds a pair and writes it to the file.
func (l *Ledger) append(p Played) (err error) {
	l.add(p)
	if l.path == "" {
		return nil
	}
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	end := info.Size()
	if l.torn > 0 && end == l.size+l.torn {
		if err := file.Truncate(l.size); err != nil {
			return fmt.Errorf("ledger: %w", err)
		}
		end = l.size
	}
	l.torn = 0
	if _, err := file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("ledger: %w", errors.Join(err, file.Truncate(end)))
	}
	return nil
}
