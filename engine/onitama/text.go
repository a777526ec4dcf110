package onitama

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/fivebyfive"
)

// ActionString returns an action in the notation of rule 7: "6 C1C2" moves a man with card 6, and
// "3 PASS" passes with card 3.
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

var lettering = engine.Lettering{Letters: "WwBb", Width: side, Rows: "12345", Name: cellName}

// rows returns the rows of the board, beginning with row 5.
func (s State) rows() []string {
	rows := lettering.Write(s.Sets()...)
	slices.Reverse(rows)
	return rows
}

// heldCard is a card as its owner holds it. The owner is 0 for First and 1 for Second. The centre
// card has owner -1, and it points in the direction of the player to move.
type heldCard struct {
	card
	owner, sign int // sign is -1 if the card is rotated by half a turn
}

// held returns the cards of First, the cards of Second, and the centre card.
func (s State) held() [handSize]heldCard {
	h := fivebyfive.Hands(s.Mover, s.hand)
	return [handSize]heldCard{{h[0], 0, 1}, {h[1], 0, 1}, {h[2], 1, -1}, {h[3], 1, -1}, {h[4], -1, int(s.Mover.Sign())}}
}

// String returns the position in one line, in the format of rule 10.
func (s State) String() string {
	h := fivebyfive.Hands(s.Mover, s.hand)
	return fmt.Sprintf("%s %d %d,%d %d,%d %d %d", strings.Join(s.rows(), "/"), s.Mover, h[0], h[1], h[2], h[3], h[4], s.plies)
}

// Parse parses a position in the one-line format of rule 10, whose last field is optional, or the
// referee's input for a turn (rule 6).
func Parse(text string) (State, error) {
	if strings.Contains(strings.TrimSpace(text), "\n") {
		return parseBlock(text)
	}
	fields := strings.Fields(text)
	if len(fields) != 5 && len(fields) != 6 {
		return State{}, fmt.Errorf("onitama: position %q has %d parts, want 5 or 6 (board, side, two hands, centre and perhaps the actions played)", text, len(fields))
	}
	r := engine.TextReader{Game: "onitama"}
	mover := r.Number("side to move", fields[1], 0, 1)
	var hand [handSize]card
	for i, c := range slices.Concat(r.Numbers("hand of first", fields[2], 2, 0, cards-1),
		r.Numbers("hand of second", fields[3], 2, 0, cards-1), []int{r.Number("centre card", fields[4], 0, cards-1)}) {
		hand[i] = card(c)
	}
	plies := 0
	if len(fields) == 6 {
		plies = r.Number("number of actions played", fields[5], 0, Turns)
	}
	return assemble(r, strings.Split(fields[0], "/"), engine.Player(mover), hand, plies)
}

// assemble returns the state with the given rows of the board, beginning with row 5, and the given
// cards: two of First, two of Second, and the centre card. It returns an error if r already holds
// an error, or if the position cannot occur in a game.
func assemble(r engine.TextReader, rows []string, mover engine.Player, hand [handSize]card, plies int) (State, error) {
	rows = slices.Clone(rows)
	slices.Reverse(rows)
	sides, _ := fivebyfive.Read(&r, &lettering, rows)
	s := State{Sides: sides, plies: uint8(plies), hand: hand}
	seen := [cards]bool{}
	for _, c := range hand {
		if seen[c] {
			r.Fail("card %d (%s) occurs twice", c, deck[c].name)
		}
		seen[c] = true
	}
	if s.MyMaster == gone && s.TheirMaster == gone {
		r.Fail("the board has no master")
	}
	for p, n := range [2]int{students(s.Mine, s.MyMaster), students(s.Theirs, s.TheirMaster)} {
		if n > side-1 {
			r.Fail("the board has %d students of %s, but at most %d are allowed", n, engine.Player(p), side-1)
		}
	}
	if r.Err != nil {
		return State{}, r.Err
	}
	if s.outcome = s.Winner(home, target); s.outcome == engine.Ongoing && plies == Turns { // rule 5
		s.outcome = engine.Draw
	}
	if mover == engine.Second {
		s = s.turned()
	}
	return s, nil
}

// turned returns the position with the other player to move.
func (s State) turned() State {
	s.Sides = s.Passed()
	s.hand = fivebyfive.Swapped(s.hand)
	return s
}

// students returns the number of men without the master.
func students(men board, master uint8) int {
	return bits.OnesCount32(men &^ (1 << master))
}
