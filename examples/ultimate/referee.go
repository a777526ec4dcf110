package ultimate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// referee is the protocol of CodinGame's Ultimate Tic-Tac-Toe. Each turn, the player gets the row
// and the column of the opponent's last stone, or -1 -1, then the number of legal cells, and then
// the row and the column of each legal cell. Rows count from the top. A player must therefore
// remember its own stones.
var referee = engine.Protocol{
	Name:      "codingame",
	FirstTurn: 1000,
	Turn:      100,
	FromStart: true,
	Read:      read,
	Ask:       ask,
	Answer:    answer,
	Reply:     func(_ engine.Position, a engine.Action) string { return rowAndColumn(a) },
}

// rowAndColumn returns the row and the column of an action's cell, as the referee writes them.
func rowAndColumn(a engine.Action) string {
	return fmt.Sprint(squareOf[a]/side, squareOf[a]%side)
}

// readCell parses a row and a column and returns the action of the cell.
func readCell(text string) (engine.Action, error) {
	row, column, _ := strings.Cut(strings.TrimSpace(text), " ")
	r := engine.TextReader{Game: "ultimate"}
	y := r.Number("row", row, 0, side-1)
	x := r.Number("column", column, 0, side-1)
	return engine.Action(actionAt[y*side+x]), r.Err
}

// answer returns the action's name for the line of an answer.
func answer(line string) (string, error) {
	a, err := readCell(line)
	return State{}.ActionString(a), err
}

// ask returns the referee's input for one turn.
func ask(p, after engine.Position) (string, error) {
	cell, err := between(after, p)
	if err != nil {
		return "", err
	}
	legal := p.Legal(nil)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%d\n", cell, len(legal))
	for _, a := range legal {
		fmt.Fprintln(&b, rowAndColumn(a))
	}
	return b.String(), nil
}

// noCell stands for the opponent's last cell if there is none.
const noCell = "-1 -1"

// between returns the cell of the opponent's stone that leads from the position after the player's
// last answer to p.
func between(after, p engine.Position) (string, error) {
	if after == nil {
		after = engine.Forget(start)
		if after.State() == p.State() {
			return noCell, nil
		}
	}
	for _, a := range after.Legal(nil) {
		if after.Play(a).State() == p.State() {
			return rowAndColumn(a), nil
		}
	}
	return "", fmt.Errorf("ultimate: the referee's games begin with an empty board, and cannot come to %q (--openings 0 plays from there)", p)
}

// read reads the referee's input for one turn.
func read(line func() (string, error), after engine.Position) (engine.Position, error) {
	cell, err := line()
	if err != nil {
		return nil, err
	}
	p := after
	if p == nil {
		p = engine.Forget(start)
	}
	if cell != noCell {
		a, err := readCell(cell)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(p.Legal(nil), a) {
			return nil, fmt.Errorf("ultimate: the opponent's cell %q is not legal in %q", cell, p)
		}
		p = p.Play(a)
	}
	return p, readLegal(line, p)
}

// readLegal reads the legal cells and compares them with the legal actions of p.
func readLegal(line func() (string, error), p engine.Position) error {
	text, err := line()
	if err != nil {
		return err
	}
	legal := p.Legal(nil)
	if text != strconv.Itoa(len(legal)) {
		return fmt.Errorf("ultimate: the referee counts %q legal cells in %q, and there are %d", text, p, len(legal))
	}
	for range legal {
		text, err := line()
		if err != nil {
			return err
		}
		a, err := readCell(text)
		if err != nil {
			return err
		}
		if !slices.Contains(legal, a) {
			return fmt.Errorf("ultimate: the cell %q, which the referee lists, is not legal in %q", text, p)
		}
	}
	return nil
}
