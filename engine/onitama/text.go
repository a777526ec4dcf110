package onitama

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"dojo/engine"
)

// absolute converts a cell of the mover's view to the board that both players see
// (rule 1).
func (s State) absolute(cell int) int {
	if s.mover == engine.Second {
		return cells - 1 - cell
	}
	return cell
}

// ActionString names an action as on the wire (rule 7): "6 C1C2", "3 PASS".
func (s State) ActionString(a engine.Action) string {
	from, slot, to := split(a)
	id := strconv.Itoa(int(s.hand[slot]))
	if from == to {
		return id + " PASS"
	}
	from, to = s.absolute(from), s.absolute(to)
	return id + " " + cellName(from) + cellName(to)
}

func cellName(cell int) string {
	return string([]byte{'A' + byte(cell%side), '1' + byte(cell/side)})
}

// man returns what stands on an absolute cell: one of WwBb or a dot.
func (s State) man(cell int) byte {
	at := s.absolute(cell)
	men := [2]string{"Ww", "Bb"}
	switch {
	case s.mine>>at&1 != 0:
		if at == int(s.myMaster) {
			return men[s.mover][0]
		}
		return men[s.mover][1]
	case s.theirs>>at&1 != 0:
		if at == int(s.theirMaster) {
			return men[1-s.mover][0]
		}
		return men[1-s.mover][1]
	}
	return '.'
}

// row returns row y of the board, counted from 0 at first's side.
func (s State) row(y int) string {
	var line [side]byte
	for x := range line {
		line[x] = s.man(y*side + x)
	}
	return string(line[:])
}

// hands returns the cards of first and of second, and the centre card.
func (s State) hands() (first, second [2]card, shared card) {
	first, second = [2]card(s.hand[0:2]), [2]card(s.hand[2:4])
	if s.mover == engine.Second {
		first, second = second, first
	}
	return first, second, s.hand[centre]
}

// String writes the position line of rule 10.
func (s State) String() string {
	var rows []string
	for y := side - 1; y >= 0; y-- {
		rows = append(rows, s.row(y))
	}
	first, second, shared := s.hands()
	return fmt.Sprintf("%s %d %d,%d %d,%d %d %d", strings.Join(rows, "/"), s.mover,
		first[0], first[1], second[0], second[1], shared, s.plies)
}

// Parse reads the position line of rule 10, whose last field may be missing,
// or the input block of rule 6.
func Parse(text string) (State, error) {
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return parseBlock(text)
	}
	fields := strings.Fields(text)
	if len(fields) != 5 && len(fields) != 6 {
		return State{}, fmt.Errorf("onitama: position %q needs 5 or 6 parts (board, side, two hands, centre and perhaps the actions played) and has %d", text, len(fields))
	}
	mover, err := number("side to move", fields[1], 1)
	if err != nil {
		return State{}, err
	}
	var hand [handSize]card
	for i, f := range fields[2:5] {
		name := [...]string{"hand of first", "hand of second", "centre card"}[i]
		ids := strings.Split(f, ",")
		if want := [...]int{2, 2, 1}[i]; len(ids) != want {
			return State{}, fmt.Errorf("onitama: %s %q has %d cards, want %d", name, f, len(ids), want)
		}
		for j, id := range ids {
			n, err := number(name, id, cards-1)
			if err != nil {
				return State{}, err
			}
			hand[2*i+j] = card(n)
		}
	}
	plies := 0
	if len(fields) == 6 {
		if plies, err = number("number of actions played", fields[5], Turns); err != nil {
			return State{}, err
		}
	}
	return assemble(strings.Split(fields[0], "/"), engine.Player(mover), hand, plies)
}

func number(name, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most || text != strconv.Itoa(n) {
		return 0, fmt.Errorf("onitama: %s %q is not a number from 0 to %d", name, text, most)
	}
	return n, nil
}

// assemble returns the state with the given rows, row 5 first, and the cards of first,
// second and the centre. It refuses positions that no game can reach.
func assemble(rows []string, mover engine.Player, hand [handSize]card, plies int) (State, error) {
	s := State{plies: uint8(plies), myMaster: gone, theirMaster: gone}
	if err := s.putRows(rows); err != nil {
		return State{}, err
	}
	seen := [cards]bool{}
	for _, c := range hand {
		if seen[c] {
			return State{}, fmt.Errorf("onitama: card %d (%s) is there twice", c, deck[c].name)
		}
		seen[c] = true
	}
	if s.myMaster == gone && s.theirMaster == gone {
		return State{}, fmt.Errorf("onitama: the board has no master")
	}
	for p, n := range [2]int{students(s.mine, s.myMaster), students(s.theirs, s.theirMaster)} {
		if n > side-1 {
			return State{}, fmt.Errorf("onitama: the board has %d students of %s, at most %d can be", n, engine.Player(p), side-1)
		}
	}
	switch { // rule 5, in the referee's order; first is still "mine"
	case s.myMaster == gone:
		s.outcome = engine.SecondWins
	case s.myMaster == target:
		s.outcome = engine.FirstWins
	case s.theirMaster == gone:
		s.outcome = engine.FirstWins
	case s.theirMaster == home:
		s.outcome = engine.SecondWins
	case plies == Turns:
		s.outcome = engine.Draw
	}
	s.hand = hand
	if mover == engine.Second {
		s.mover = mover
		s.mine, s.theirs = rotate(s.theirs), rotate(s.mine)
		s.myMaster, s.theirMaster = opposite(s.theirMaster), opposite(s.myMaster)
		s.hand = [handSize]card{hand[2], hand[3], hand[0], hand[1], hand[4]}
	}
	return s, nil
}

// put places a man of the board's text on a cell, first's as mine.
func (s *State) put(man byte, cell int) error {
	master, men := &s.myMaster, &s.mine
	switch man {
	case '.':
		return nil
	case 'B', 'b':
		master, men = &s.theirMaster, &s.theirs
	case 'W', 'w':
	default:
		return fmt.Errorf("onitama: %s holds %q, want one of WwBb or a dot", cellName(cell), man)
	}
	if man == 'W' || man == 'B' {
		if *master != gone {
			return fmt.Errorf("onitama: the board has two masters %c, on %s and %s", man, cellName(int(*master)), cellName(cell))
		}
		*master = uint8(cell)
	}
	*men |= 1 << cell
	return nil
}

// putRows places the men of the rows of the board, row 5 first.
func (s *State) putRows(rows []string) error {
	if len(rows) != side {
		return fmt.Errorf("onitama: the board has %d rows, want %d", len(rows), side)
	}
	for i, row := range rows {
		if len(row) != side {
			return fmt.Errorf("onitama: row %d %q has %d cells, want %d", side-i, row, len(row), side)
		}
		for x := range side {
			if err := s.put(row[x], (side-1-i)*side+x); err != nil {
				return err
			}
		}
	}
	return nil
}

// students counts the men but the master.
func students(men board, master uint8) int {
	return bits.OnesCount32(men &^ (1 << master))
}
