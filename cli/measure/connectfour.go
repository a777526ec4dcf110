package measure

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/memory"
	"dojo.example/internal/parallel"
	"dojo.example/search/solve"
	"dojo.example/search/solve/fourinrow"
)

// ConnectFour says which positions of Connect Four to solve. Each is the text of a position, or the
// columns that were played from the empty board, such as 4453 or ddec.
type ConnectFour struct {
	Positions []string
	File      string // has more positions, one a line
	Results   bool   // finds only who wins, not in how many plies
}

// SolveConnectFour solves positions of Connect Four and reports the value of each action.
func (s *Solving) SolveConnectFour(ctx context.Context, o ConnectFour) error {
	var list []columnsLine
	for _, text := range o.Positions {
		l, err := readColumnsLine(text)
		if err != nil {
			return fmt.Errorf("position %s: %w", bounded.Quote(text), err)
		}
		list = append(list, l)
	}
	if o.File != "" {
		more, err := readColumns(ctx, o.File)
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	return inOrder(ctx, s.Workers, list, func(solver *fourinrow.Solver, l columnsLine) (r console.Report, ok bool) {
		line, ok := solver.Line(l.position, !o.Results)
		if ok {
			r = console.Report{Text: inWords(l.position, line), Lines: []any{line}}
		}
		return r, ok
	}, s.Each)
}

// leastTable is the least memory for the solver of a worker, in bytes. Less memory makes hard
// positions slow.
const leastTable = 64 << 20

// inOrder solves the positions of a list, several at the same time, and calls each with the results
// in the order of the list. The function solve returns false if ctx ended the search. The workers
// share the memory equally, so there are fewer workers if the memory is small.
func inOrder[T any](ctx context.Context, workers int, list []columnsLine, solve func(*fourinrow.Solver, columnsLine) (T, bool), each func(T) error) error {
	workers, err := memory.Workers(max(1, min(workers, len(list))), leastTable, "a solver of Connect Four")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64  // index of the next position to solve
	var mu sync.Mutex      // guards waiting and done
	waiting := map[int]T{} // results that come after a position that is not solved yet
	done := 0
	parallel.For(workers, workers, func(int) {
		solver := connectFour(ctx, workers)
		for i := int(next.Add(1) - 1); i < len(list) && ctx.Err() == nil; i = int(next.Add(1) - 1) {
			r, ok := solve(solver, list[i])
			if !ok {
				return
			}
			mu.Lock()
			for waiting[i] = r; ctx.Err() == nil; done++ {
				r, ok := waiting[done]
				if !ok {
					break
				}
				delete(waiting, done)
				if err := each(r); err != nil {
					cancel(err)
				}
			}
			mu.Unlock()
		}
	})
	return context.Cause(ctx)
}

// judge returns a function that finds the actions that keep the result of a position of Connect
// Four, or nil for other games.
func (e *Evaluation) judge(ctx context.Context, file string) arena.Judge {
	if name, _, _ := strings.Cut(e.Game.Name, ":"); name != connectfour.Rules.Name {
		return nil
	}
	var solver *fourinrow.Solver
	return func(p engine.Position, result int) ([]engine.Action, error) {
		if solver == nil {
			solver = connectFour(ctx, 1)
			command := console.Command("solve", connectfour.Rules.Name, "--positions", file, "--keep", strings.TrimSuffix(file, ".txt")+".keep")
			fmt.Fprintf(e.Remarks, "solving the positions; to do this only once, evaluate with the file that this command writes: %s\n", command)
		}
		state, err := connectfour.Parse(p.String()) // p may belong to Connect Four with options, whose states have another type
		if err != nil {
			return nil, err
		}
		l := columnsLine{position: state, result: result}
		keep, ok := solver.Keep(state, l.outcome())
		if !ok {
			return nil, ctx.Err()
		}
		return keep, nil
	}
}

// inWords describes a solved position to people.
func inWords(p connectfour.State, line solve.Line) string {
	table := console.NewTable("column", "value")
	for _, a := range p.Legal(nil) {
		name := p.ActionString(a)
		table.Row(name, valueInWords(line.Moves[name]))
	}
	mover := "xo"[p.ToMove()]
	return fmt.Sprintf("%s%c is to move and %s.\n\n%s\n", p.Draw(), mover, valueInWords(line.Value), table)
}

// valueInWords describes a value of a [solve.Line]: W5 is "wins in 5 plies".
func valueInWords(value string) string {
	words := map[byte]string{'W': "wins", 'D': "draws", 'L': "loses"}[value[0]]
	switch plies := value[1:]; plies {
	case "":
		return words
	case "1":
		return words + " in 1 ply"
	default:
		return words + " in " + plies + " plies"
	}
}

// connectFour returns a solver that stops when ctx ends. All solvers of the process take at most
// three quarters of the memory that it may use.
func connectFour(ctx context.Context, solvers int) *fourinrow.Solver {
	solver := fourinrow.New(int64(memory.Limit()) / 4 * 3 / int64(solvers))
	solver.Stop = func() bool { return ctx.Err() != nil }
	return solver
}

// A columnsLine is a line of a file with positions of Connect Four, such as Pascal Pons's test
// sets: the columns that were played from the empty board or the text of the position, and perhaps
// its score.
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
	if strings.Contains(l.columns, "/") {
		l.position, err = connectfour.Parse(l.columns)
	} else {
		l.position, err = connectfour.ReadColumns(l.columns)
	}
	switch {
	case err != nil:
		return l, err
	case l.position.Outcome() != engine.Ongoing:
		return l, fmt.Errorf("the game is over in the position %s", l.position)
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
