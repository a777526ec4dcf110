package onitama

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// InputBlock returns the input that CodinGame's referee sends to the player to move, without the
// line with the player's id, which the referee sends only in the first turn (rule 6).
func (s State) InputBlock() string {
	var b strings.Builder
	for _, row := range s.rows() {
		fmt.Fprintln(&b, row)
	}
	for _, c := range s.held() {
		fmt.Fprint(&b, c.owner, " ", c.card)
		for i := range 4 {
			var v vector
			if i < len(deck[c.card].vectors) {
				v = deck[c.card].vectors[i]
			}
			fmt.Fprint(&b, " ", c.sign*v.dx, " ", c.sign*v.dy)
		}
		fmt.Fprintln(&b)
	}
	actions := s.refereeOrder()
	fmt.Fprintln(&b, len(actions))
	for _, a := range actions {
		fmt.Fprintln(&b, s.ActionString(a))
	}
	return b.String()
}

// ask returns the referee's input for a turn. The first input includes the player's id (rule 6).
func ask(p, after engine.Position) (string, error) {
	s := p.State().(State)
	if after == nil {
		return fmt.Sprintf("%d\n%s", s.Mover, s.InputBlock()), nil
	}
	return s.InputBlock(), nil
}

// refereeAnswer matches the answers that the referee accepts (rule 7): the id of a card, an action
// in upper or lower case, and an optional message.
var refereeAnswer = regexp.MustCompile(`^(?i)(\d+)\s+([A-E][1-5][A-E][1-5]|PASS)(?:\s+.+)?$`)

// answer parses an answer of a player as the referee does, and returns the name of the action.
func answer(line string) (action string, err error) {
	m := refereeAnswer.FindStringSubmatch(line)
	if m == nil {
		return "", fmt.Errorf("onitama: the answer %q is not a card and a move, such as 6 C1C2; only a message may follow", line)
	}
	r := engine.TextReader{Game: "onitama"}
	card := r.Number("card", m[1], 0, cards-1)
	return fmt.Sprintf("%d %s", card, strings.ToUpper(m[2])), r.Err
}

// refereeOrder returns the legal actions in the order of rule 6. They are sorted by card, then by
// vector, then by the man's column from A to E, then by the man's row from 1 to 5.
func (s State) refereeOrder() []engine.Action {
	legal := s.Legal(nil)
	rank := func(a engine.Action) [4]int {
		from, slot, to := split(a)
		step := vector{to%side - from%side, to/side - from/side}
		at := s.Absolute(from)
		return [4]int{slot, slices.Index(deck[s.hand[slot]].vectors, step), at % side, at / side}
	}
	slices.SortFunc(legal, func(a, b engine.Action) int {
		x, y := rank(a), rank(b)
		return slices.Compare(x[:], y[:])
	})
	return legal
}

// parseBlock parses an input that the referee sends (rule 6). The line with the player's id may be
// missing. parseBlock then infers the player to move from the centre card, whose vectors are listed
// as the player to move would use them. The input does not contain the number of actions played.
// parseBlock assumes 0 if First is to move and 1 if Second is to move.
func parseBlock(text string) (s State, err error) {
	var lines []string // the lines of text, with single spaces between words
	for line := range strings.Lines(strings.TrimSpace(text)) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	movers := []engine.Player{engine.First, engine.Second}
	if id := lines[0]; id == "0" || id == "1" {
		movers, lines = movers[id[0]-'0':][:1], lines[1:]
	}
	if len(lines) < blockLines {
		return s, fmt.Errorf("onitama: the input block has %d lines, want at least %d", len(lines), blockLines)
	}
	r := engine.TextReader{Game: "onitama"}
	var hand [handSize]card
	for i, line := range lines[side : 2*side] {
		_, id, _ := strings.Cut(line, " ")
		id, _, _ = strings.Cut(id, " ")
		hand[i] = card(r.Number("card", id, 0, cards-1))
	}
	for _, mover := range movers {
		if s, err = assemble(r, lines[:side], mover, hand, int(mover)); err != nil {
			return s, err
		}
		want := strings.Split(strings.TrimSpace(s.InputBlock()), "\n")
		if slices.Equal(lines[:min(len(lines), len(want))], want) {
			return s, nil
		}
		at := 0
		for at < min(len(lines), len(want))-1 && lines[at] == want[at] {
			at++
		}
		err = fmt.Errorf("onitama: line %d of the input block is %q, want %q", at+1, lines[at], want[at])
	}
	return s, err
}

// blockLines is the number of lines of an input block up to and including the line with the number
// of actions. One line for each action follows.
const blockLines = 2*side + 1

// read reads the referee's question for one turn. In the first turn the question begins with the
// player's id. The referee does not send the number of actions played (rule 5), so read counts
// them.
func read(line func() (string, error), after engine.Position) (engine.Position, error) {
	r := engine.TextReader{Game: "onitama"}
	var id, plies int
	if after == nil {
		text, err := line()
		if err != nil {
			return nil, err
		}
		id = r.Number("player id", text, 0, 1)
		plies = id
	} else {
		before := after.State().(State)
		id, plies = int(1-before.Mover), int(before.plies)+1
	}
	if plies >= Turns {
		r.Fail("a question comes after %d actions, but the game ends after %d", plies, Turns)
	}
	block := []string{strconv.Itoa(id)}
	for want := len(block) + blockLines; r.Err == nil && len(block) < want; {
		text, err := line()
		if err != nil {
			return nil, err
		}
		if block = append(block, text); len(block) == 1+blockLines {
			want += r.Number("number of actions", text, 1, cells*perCell)
		}
	}
	if r.Err != nil {
		return nil, r.Err
	}
	s, err := parseBlock(strings.Join(block, "\n"))
	s.plies = uint8(plies)
	return engine.Forget(s), err
}
