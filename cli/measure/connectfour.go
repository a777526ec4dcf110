package measure

import (
	"bufio"
	"context"
	"fmt"
	"strconv"
	"strings"

	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/internal/bounded"
	"dojo.example/internal/console"
	"dojo.example/internal/memory"
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
	solver := connectFour(ctx)
	for _, l := range list {
		line, ok := solver.Line(l.position, !o.Results)
		if !ok {
			return ctx.Err()
		}
		if err := s.Each(console.Report{Text: inWords(l.position, line), Lines: []any{line}}); err != nil {
			return err
		}
	}
	return nil
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
			solver = connectFour(ctx)
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

// connectFour returns a solver that stops when ctx ends. It takes at most three quarters of the
// memory that the process may use.
func connectFour(ctx context.Context) *fourinrow.Solver {
	solver := fourinrow.New(int64(memory.Limit()) / 4 * 3)
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
