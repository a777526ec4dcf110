package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/regular"
	"dojo.example/search/solve/fourinrow"
)

// KeepColumns solves the positions of Connect Four in a file and appends a line for each to the
// file called to. If that file has the first lines already, KeepColumns continues after them. A
// line has the columns of the position, its result for the player to move (1, 0 or -1), the columns
// that keep the result, and the number of columns that are not full:
//
//	13712 1 abcf 7
//
// Several positions are solved at the same time. The lines have the order of the positions, and each
// line is on the disk as soon as all positions up to it are solved.
func (s *Solving) KeepColumns(ctx context.Context, positions, to string) error {
	list, err := readColumns(ctx, positions)
	if err != nil {
		return err
	}
	if a, err := os.Stat(positions); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return fmt.Errorf("keep: %s is the file of positions; name another file", to)
		}
	}
	done, end, err := continued(to, list)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	if err := file.Truncate(end); err != nil { // removes a line that a killed process has left incomplete
		return errors.Join(fmt.Errorf("keep: %w", err), file.Close())
	}
	progress := console.NewBar(s.Remarks, len(list), "positions solved")
	progress.Set(done, "")
	err = inOrder(ctx, s.Workers, list[done:], keepLine, func(line string) error {
		if _, err := file.WriteString(line); err != nil {
			return err
		}
		done++
		progress.Set(done, "")
		return file.Sync()
	})
	progress.Clear()
	return errors.Join(err, file.Close())
}

// mostKeep is the largest size of a file with lines of KeepColumns, in bytes.
const mostKeep = 1 << 30

// continued returns how many positions of list the file at path has already, and the size of their
// lines in bytes. It returns an error if KeepColumns has not written the file from this list. The
// file need not exist.
func continued(path string, list []columnsLine) (done int, end int64, err error) {
	if err := rundir.Refuse(path); err != nil {
		return 0, 0, err
	}
	text, err := regular.Read(path, mostKeep)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(text)) {
		words, next := strings.Fields(line), ""
		if done < len(list) {
			next = list[done].columns
		}
		whole := strings.HasSuffix(line, "\n")
		if whole && (len(words) != 4 || words[0] != next) || !whole && !strings.HasPrefix(next+" ", line) && !strings.HasPrefix(line, next+" ") {
			return 0, 0, fmt.Errorf("%s line %d is %s; position %d of the list is %q; name another file", path, done+1, bounded.Quote(strings.TrimSpace(line)), done+1, next)
		}
		if whole {
			done, end = done+1, end+int64(len(line))
		}
	}
	return done, end, nil
}

// keepLine solves a position and returns its line. It returns false if the solver was stopped.
func keepLine(solver *fourinrow.Solver, l columnsLine) (line string, ok bool) {
	if !l.known {
		v, ok := solver.Value(l.position, false)
		if !ok {
			return "", false
		}
		l.result = int(v.Outcome.Value() * l.position.ToMove().Sign())
	}
	keep, ok := solver.Keep(l.position, l.outcome())
	letters := ""
	for _, a := range keep {
		letters += l.position.ActionString(a)
	}
	return fmt.Sprintln(l.columns, l.result, letters, len(l.position.Legal(nil))), ok
}
