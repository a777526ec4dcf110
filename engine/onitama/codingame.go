package onitama

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
)

// InputBlock is the position as CodinGame's referee sends it to the player to
// move, without the id of the first turn (rule 6).
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

// ask is a turn's input, with the player's id on the first (rule 6).
func ask(p, after engine.Position) (string, error) {
	s := p.State().(State)
	if after == nil {
		return fmt.Sprintf("%d\n%s", s.Mover, s.InputBlock()), nil
	}
	return s.InputBlock(), nil
}

// refereeAnswer matches the answers that the referee accepts (rule 7): a card, an
// action in either case, and optionally a message.
var refereeAnswer = regexp.MustCompile(`^(?i)(\d+)\s+([A-E][1-5][A-E][1-5]|PASS)(?:\s+.+)?$`)

// answer reads a line as the referee does.
func answer(line string) (action string, err error) {
	m := refereeAnswer.FindStringSubmatch(line)
	if m == nil {
		return "", fmt.Errorf("onitama: %q is not a card and a move, such as 6 C1C2, with or without a message behind", line)
	}
	r := engine.TextReader{Game: "onitama"}
	card := r.Number("card", m[1], 0, cards-1)
	return fmt.Sprintf("%d %s", card, strings.ToUpper(m[2])), r.Err
}

// refereeOrder returns the legal actions in the order of rule 6: by card, then by
// vector, then by man from A1 up each column.
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

// parseBlock reads the input block of rule 6, with or without the line of the
// player's id before it. The mover follows from the id or else from the centre card,
// whose vectors are turned to the mover. The block does not have the number of
// actions played, which is taken to be 0 for first and 1 for second.
func parseBlock(text string) (State, error) {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r", "")), "\n")
	id := -1
	if first := strings.TrimSpace(lines[0]); first == "0" || first == "1" {
		id = int(first[0] - '0')
		lines = lines[1:]
	}
	const fixed = 2*side + 1
	if len(lines) < fixed {
		return State{}, fmt.Errorf("onitama: the input block has %d lines, want at least %d", len(lines), fixed)
	}
	hand, centreLine, err := blockCards(lines[side : 2*side])
	if err != nil {
		return State{}, err
	}
	rows := make([]string, side)
	for i := range rows {
		rows[i] = strings.TrimSpace(lines[i])
	}
	for _, mover := range []engine.Player{engine.First, engine.Second} {
		if id >= 0 && int(mover) != id {
			continue
		}
		s, err := assemble(rows, mover, hand, int(mover))
		if err != nil {
			return State{}, err
		}
		want := strings.Split(strings.TrimSpace(s.InputBlock()), "\n")
		if want[2*side-1] != centreLine {
			continue
		}
		got := lines[2*side:]
		for i, w := range want[2*side:] {
			if i >= len(got) || strings.TrimSpace(got[i]) != w {
				return State{}, fmt.Errorf("onitama: the input block lists other actions than the rules: line %d should be %q", i+1, w)
			}
		}
		return s, nil
	}
	return State{}, fmt.Errorf("onitama: the centre card's vectors %q suit neither player", centreLine)
}

// blockCards reads the card lines of an input block. It returns the line of the centre
// card with single spaces.
func blockCards(lines []string) (hand [handSize]card, centreLine string, err error) {
	r := engine.TextReader{Game: "onitama"}
	for i, line := range lines {
		fields := strings.Fields(line)
		owner := [...]string{"0", "0", "1", "1", "-1"}[i]
		if len(fields) != 10 || fields[0] != owner {
			return hand, "", fmt.Errorf("onitama: card line %q is not an owner %s, a card and four vectors", line, owner)
		}
		hand[i] = card(r.Number("card", fields[1], 0, cards-1))
		centreLine = strings.Join(fields, " ")
	}
	return hand, centreLine, r.Err
}

// codinGame reads the referee's questions: the player's id once, then a block for
// every turn of the player. It counts the turns of both players (rule 5).
func codinGame(r *bufio.Reader) func(engine.Position) (engine.Position, error) {
	id, plies := -1, 0
	line := func() (string, error) {
		text, err := r.ReadString('\n')
		if err == io.EOF && text != "" {
			err = nil
		}
		return strings.TrimSpace(text), err
	}
	return func(engine.Position) (engine.Position, error) {
		if id < 0 {
			text, err := line()
			if err != nil {
				return nil, err
			}
			r := engine.TextReader{Game: "onitama"}
			if id = r.Number("player id", text, 0, 1); r.Err != nil {
				return nil, r.Err
			}
			plies = id
		}
		block, err := readBlock(line)
		if err != nil {
			return nil, err
		}
		s, err := parseBlock(fmt.Sprintf("%d\n%s", id, strings.Join(block, "\n")))
		if err != nil {
			return nil, err
		}
		if plies >= Turns {
			return nil, fmt.Errorf("onitama: a question after %d actions, when the game is over", plies)
		}
		s.plies = uint8(plies)
		plies += 2
		return engine.Forget(s), nil
	}
}

// readBlock reads the lines of an input block one by one. At the end of the
// input it returns io.EOF.
func readBlock(line func() (string, error)) (block []string, err error) {
	for want := 2*side + 1; len(block) < want; {
		text, err := line()
		if err == io.EOF && len(block) > 0 {
			err = fmt.Errorf("onitama: the input ends within a turn, after %d of its lines", len(block))
		}
		if err != nil {
			return nil, err
		}
		block = append(block, text)
		if len(block) == 2*side+1 {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > cells*perCell {
				return nil, fmt.Errorf("onitama: number of actions %q is not a number from 1", text)
			}
			want += n
		}
	}
	return block, nil
}
