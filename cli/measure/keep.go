package measure

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/search/solve/fourinrow"
)

// KeepColumns solves the positions of Connect Four in a file and appends a line for each to the file
// called to. If that file has the first lines already, KeepColumns continues after them. A line has the
// columns of the position, its result for the player to move (1, 0 or -1), the columns that keep the
// result, and the number of columns that are not full:
//
//	13712 1 abcf 7
//
// Each line is on the disk before the search of the next position begins.
func (s *Solving) KeepColumns(ctx context.Context, positions, to string) error {
	list, err := readColumns(ctx, positions)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	done, err := continued(file, list)
	if err != nil {
		return errors.Join(fmt.Errorf("keep: %s %w", to, err), file.Close())
	}
	solver := connectFour(ctx)
	progress := console.NewBar(s.Remarks, len(list), "positions solved")
	for i := done; i < len(list) && err == nil; i++ {
		progress.Set(i, "")
		err = cmp.Or(appendKeep(file, solver, &list[i]), ctx.Err())
	}
	progress.Clear()
	return errors.Join(err, file.Close())
}

// continued returns how many positions of list the file has already. It removes an incomplete line at
// the end of the file.
func continued(file *os.File, list []columnsLine) (done int, err error) {
	text, err := io.ReadAll(file)
	if err != nil {
		return 0, err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	for line := range strings.Lines(string(text[:whole])) {
		columns, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if done == len(list) || columns != list[done].columns {
			return 0, fmt.Errorf("line %d has the position %s, which the file of positions does not have there; name another file", done+1, bounded.Quote(columns))
		}
		done++
	}
	if whole < len(text) {
		err = file.Truncate(int64(whole))
	}
	return done, err
}

// appendKeep solves a position, appends its line to the file and waits until it is on the disk. If the
// solver is stopped, appendKeep returns nil and writes nothing.
func appendKeep(file *os.File, solver *fourinrow.Solver, l *columnsLine) error {
	if !l.known {
		v, ok := solver.Value(l.position, false)
		if !ok {
			return nil
		}
		l.result = int(v.Outcome.Value() * l.position.ToMove().Sign())
	}
	keep, ok := solver.Keep(l.position, l.outcome())
	if !ok {
		return nil
	}
	letters := ""
	for _, a := range keep {
		letters += l.position.ActionString(a)
	}
	if _, err := fmt.Fprintln(file, l.columns, l.result, letters, len(l.position.Legal(nil))); err != nil {
		return err
	}
	return file.Sync()
}
