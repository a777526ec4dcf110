package wallonitama

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The texts of the original (section 5): the assignments of a setup.m, and the call of
// an AI function, whose arguments have this order.
var (
	callOrder  = [...]string{"currentPlayer", "board", "cardA1", "cardA2", "cardB1", "cardB2", "sideCard", "turnNum"}
	callText   = regexp.MustCompile(`(?s)\bAI\w*\s*\((.*)\)`)
	assignment = regexp.MustCompile(`(?s)(\w+)\s*=\s*(\[.*?\]|'[^']*'|\d+)`)
	argument   = regexp.MustCompile(`(?s)\[.*?\]|'[^']*'|\d+`)
	matlabRow  = regexp.MustCompile(`'([^']*)'`)
	matlabNote = regexp.MustCompile(`%[^\n]*`)
)

// isMatlab reports whether a text is the original's: a position line has neither quotes
// nor equals signs.
func isMatlab(text string) bool { return strings.ContainsAny(text, "='") }

// parseMatlab reads one set-up or one call.
func parseMatlab(text string) (State, error) {
	text = matlabNote.ReplaceAllString(text, "")
	values := map[string]string{}
	if call := callText.FindStringSubmatch(text); call != nil {
		arguments := argument.FindAllString(call[1], -1)
		if len(arguments) != len(callOrder) {
			return State{}, fmt.Errorf("wallonitama: the call has %d arguments, want %s", len(arguments), strings.Join(callOrder[:], ", "))
		}
		for i, name := range callOrder {
			values[name] = arguments[i]
		}
	} else {
		for _, m := range assignment.FindAllStringSubmatch(text, -1) {
			if _, twice := values[m[1]]; twice {
				return State{}, fmt.Errorf("wallonitama: %s is set twice; give the lines of one case", m[1])
			}
			values[m[1]] = m[2]
		}
	}
	for _, name := range callOrder {
		if values[name] == "" {
			return State{}, fmt.Errorf("wallonitama: the set-up does not give %s", name)
		}
	}
	return fromMatlab(values)
}

// fromMatlab returns the state with the given literals by name.
func fromMatlab(values map[string]string) (State, error) {
	turns, err := strconv.Atoi(values["turnNum"])
	if err != nil || turns < 1 || turns > maxTurns {
		return State{}, fmt.Errorf("wallonitama: turnNum %s is not from 1 to %d", values["turnNum"], maxTurns)
	}
	mover := strings.Trim(values["currentPlayer"], "'")
	if mover != "A" && mover != "B" {
		return State{}, fmt.Errorf("wallonitama: currentPlayer %s is neither 'A' nor 'B'", values["currentPlayer"])
	}
	var cards [5]card
	for i, name := range callOrder[2:7] {
		if cards[i], err = readCard(strings.Join(rowsOf(values[name]), "")); err != nil {
			return State{}, fmt.Errorf("%w (%s)", err, name)
		}
	}
	return assemble(rowsOf(values["board"]), mover[0], turns, cards, false)
}

// rowsOf returns the rows of a character matrix, written ['ab';'cd'] or
// ['a','b';'c','d'].
func rowsOf(matrix string) (rows []string) {
	for line := range strings.SplitSeq(matrix, ";") {
		var row strings.Builder
		for _, m := range matlabRow.FindAllStringSubmatch(line, -1) {
			row.WriteString(m[1])
		}
		if row.Len() > 0 { // a matrix may end with a semicolon
			rows = append(rows, row.String())
		}
	}
	return rows
}
