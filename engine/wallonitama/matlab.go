package wallonitama

import (
	"regexp"
	"strings"

	"dojo.example/engine"
)

// The original program has two kinds of texts (section 5 of rules.md): the assignments in setup.m,
// and the call of an AI function with its arguments in the order of callOrder.
var (
	callOrder  = [...]string{"currentPlayer", "board", "cardA1", "cardA2", "cardB1", "cardB2", "sideCard", "turnNum"}
	callText   = regexp.MustCompile(`(?s)\bAI\w*\s*\((.*)\)`)
	assignment = regexp.MustCompile(`(?s)(\w+)\s*=\s*(\[.*?\]|'[^']*'|\d+)`)
	argument   = regexp.MustCompile(`(?s)\[.*?\]|'[^']*'|\d+`)
	matlabRow  = regexp.MustCompile(`'([^']*)'`)
	matlabNote = regexp.MustCompile(`%[^\n]*`)
)

// parseMatlab parses the assignments of one case in setup.m, or one call of an AI function.
func parseMatlab(text string) (State, error) {
	text = matlabNote.ReplaceAllString(text, "")
	values := map[string]string{}
	r := engine.TextReader{Game: "wallonitama"}
	if call := callText.FindStringSubmatch(text); call != nil {
		arguments := argument.FindAllString(call[1], -1)
		if len(arguments) != len(callOrder) {
			r.Fail("the call has %d arguments, want %d: %s", len(arguments), len(callOrder), strings.Join(callOrder[:], ", "))
			return State{}, r.Err
		}
		for i, name := range callOrder {
			values[name] = arguments[i]
		}
	} else {
		for _, m := range assignment.FindAllStringSubmatch(text, -1) {
			if _, twice := values[m[1]]; twice {
				r.Fail("%s is set twice; give the lines of only one case", m[1])
			}
			values[m[1]] = m[2]
		}
	}
	for _, name := range callOrder {
		if values[name] == "" {
			r.Fail("the set-up does not set %s", name)
		}
	}
	turns := r.Number("turnNum", values["turnNum"], 1, maxTurns)
	mover := strings.Trim(values["currentPlayer"], "'")
	if mover != "A" && mover != "B" {
		r.Fail("currentPlayer %s is neither 'A' nor 'B'", values["currentPlayer"])
	}
	var cards [5]card
	for i, name := range callOrder[2:7] {
		cards[i] = readCard(&r, name, strings.Join(rowsOf(values[name]), ""))
	}
	return assemble(r, rowsOf(values["board"]), mover, turns, cards, false)
}

// rowsOf returns the rows of a MATLAB character matrix in the form ['ab';'cd'] or
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
