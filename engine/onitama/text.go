package onitama

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"dojo/engine"
	"dojo/engine/fivebyfive"
)

// ActionString names an action as on the wire (rule 7): "6 C1C2", "3 PASS".
func (s State) ActionString(a engine.Action) string {
	from, slot, to := split(a)
	id := strconv.Itoa(int(s.hand[slot]))
	if from == to {
		return id + " PASS"
	}
	from, to = s.Absolute(from), s.Absolute(to)
	return id + " " + cellName(from) + cellName(to)
}

func cellName(cell int) string {
	return string([]byte{'A' + byte(cell%side), '1' + byte(cell/side)})
}

// letters are the men of first and of second.
var letters = fivebyfive.Letters{"Ww", "Bb"}

// row returns row y of the board, counted from 0 at first's side.
func (s State) row(y int) string {
	return fivebyfive.Row(y, func(cell int) byte { return s.Man(cell, letters) })
}

// hands returns the cards of first and of second, and the centre card.
func (s State) hands() (first, second [2]card, shared card) {
	first, second = [2]card(s.hand[0:2]), [2]card(s.hand[2:4])
	if s.Mover == engine.Second {
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
	return fmt.Sprintf("%s %d %d,%d %d,%d %d %d", strings.Join(rows, "/"), s.Mover,
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
	s := State{Sides: fivebyfive.Sides{MyMaster: gone, TheirMaster: gone}, plies: uint8(plies), hand: hand}
	if err := fivebyfive.ReadRows(rows, "54321", func(man byte, i, x int) error {
		cell := (side-1-i)*side + x
		known, err := s.Put(man, cell, letters, cellName)
		if !known && man != '.' {
			return fmt.Errorf("%s holds %q, want one of WwBb or a dot", cellName(cell), man)
		}
		return err
	}); err != nil {
		return State{}, fmt.Errorf("onitama: %w", err)
	}
	seen := [cards]bool{}
	for _, c := range hand {
		if seen[c] {
			return State{}, fmt.Errorf("onitama: card %d (%s) is there twice", c, deck[c].name)
		}
		seen[c] = true
	}
	if s.MyMaster == gone && s.TheirMaster == gone {
		return State{}, fmt.Errorf("onitama: the board has no master")
	}
	for p, n := range [2]int{students(s.Mine, s.MyMaster), students(s.Theirs, s.TheirMaster)} {
		if n > side-1 {
			return State{}, fmt.Errorf("onitama: the board has %d students of %s, at most %d can be", n, engine.Player(p), side-1)
		}
	}
	switch { // rule 5, in the referee's order; first is still "mine"
	case s.MyMaster == gone:
		s.outcome = engine.SecondWins
	case s.MyMaster == target:
		s.outcome = engine.FirstWins
	case s.TheirMaster == gone:
		s.outcome = engine.FirstWins
	case s.TheirMaster == home:
		s.outcome = engine.SecondWins
	case plies == Turns:
		s.outcome = engine.Draw
	}
	if mover == engine.Second {
		s.Mover = mover
		s.Mine, s.Theirs = fivebyfive.Rotate(s.Theirs), fivebyfive.Rotate(s.Mine)
		s.MyMaster, s.TheirMaster = fivebyfive.Opposite(s.TheirMaster), fivebyfive.Opposite(s.MyMaster)
		s.hand = [handSize]card{hand[2], hand[3], hand[0], hand[1], hand[4]}
	}
	return s, nil
}

// students counts the men but the master.
func students(men board, master uint8) int {
	return bits.OnesCount32(men &^ (1 << master))
}
