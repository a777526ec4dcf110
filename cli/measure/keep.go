package measure

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/memory"
	"dojo.example/search/solve/fourinrow"
)

// A columnsLine is a line of a file with positions of Connect Four, such as Pascal Pons's test sets:
// the columns that were played from the empty board, and perhaps the score of the position.
type columnsLine struct {
	columns  string
	position connectfour.State
	result   int  // 1 if the player to move wins, -1 if the opponent wins, 0 for a draw
	known    bool // whether the line has the score, and so the result
}

// readColumns reads a file of positions, one a line. It skips empty lines.
func readColumns(ctx context.Context, name string) (list []columnsLine, err error) {
	file, err := console.OpenInput(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("positions: %w", err)
	}
	defer file.Close() // the file was only read, so errors do not matter
	lines := bufio.NewScanner(bounded.Lines(file))
	lines.Buffer(nil, 2*bounded.Line)
	for n := 1; lines.Scan(); n++ {
		l, err := readColumnsLine(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("positions: %s line %d: %w", name, n, err)
		}
		if l.columns != "" {
			list = append(list, l)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("positions: %s line %d: %w", name, len(list)+1, err)
	}
	return list, nil
}

func readColumnsLine(text string) (l columnsLine, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return l, nil
	}
	l.columns = fields[0]
	if l.position, err = connectfour.ReadColumns(l.columns); err != nil {
		return l, err
	}
	if l.position.Outcome() != engine.Ongoing {
		return l, fmt.Errorf("the game of %q is over", l.columns)
	}
	if len(fields) > 1 {
		score, err := strconv.Atoi(fields[1])
		if err != nil {
			return l, fmt.Errorf("the score %q is not a number", fields[1])
		}
		l.result, l.known = min(max(score, -1), 1), true
	}
	return l, nil
}

// outcome returns the result as an outcome.
func (l *columnsLine) outcome() engine.Outcome {
	switch mover := l.position.ToMove(); l.result {
	case 1:
		return engine.WonBy(mover)
	case -1:
		return engine.WonBy(1 - mover)
	}
	return engine.Draw
}

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
	solver, err := s.connectFour(ctx)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	progress := console.NewBar(s.Remarks, len(list), "positions solved")
	for i := done; i < len(list) && err == nil; i++ {
		progress.Set(i, "")
		err = cmp.Or(appendKeep(file, solver, &list[i]), ctx.Err())
	}
	progress.Clear()
	return errors.Join(err, file.Close())
}

// connectFour returns a solver that stops when ctx ends. Its table takes at most half of the memory
// that the process may use.
func (s *Solving) connectFour(ctx context.Context) (*fourinrow.Solver, error) {
	bytes := fourinrow.Bytes(int64(memory.Limit()) / 2)
	if err := s.need(bytes, "a table of positions"); err != nil {
		return nil, err
	}
	solver := fourinrow.New(bytes)
	solver.Stop = func() bool { return ctx.Err() != nil }
	return solver, nil
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
