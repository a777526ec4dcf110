package engine

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Protocol is the text protocol of a referee that asks for moves. A player answers each question
// with one line.
type Protocol struct {
	Name string // as in dojo bot --protocol

	// FirstTurn is the time for a player's first answer, in milliseconds, including the start of
	// the program; 0 if it is the same as for later answers.
	FirstTurn int

	// Turn is the time for each later answer, in milliseconds. 0: the protocol names none, and a
	// bot that must have one gets DefaultTurn; see TurnTime.
	Turn int

	// FromStart says that the referee's games all begin with Rules.Start, and that a question
	// tells only what has happened since the last one.
	FromStart bool

	// Read reads a question by calling line, which returns the next line of the input without
	// the blanks around it. after is the position after the last answer, nil before the first
	// question; see FromStart.
	Read func(line func() (string, error), after Position) (Position, error)

	// Ask returns a position as the referee sends it to the player to move. after is the
	// position after that player's last answer, nil at his first turn. It is an error if a
	// protocol that is FromStart cannot tell the position.
	Ask func(p, after Position) (string, error)

	// Answer returns the ActionString in a line of answer, without its line end. It
	// is nil if the referee accepts nothing but an ActionString.
	Answer func(line string) (action string, err error)

	// Reply returns the line, without its line end, that answers the question of position p with
	// the legal action a; Answer reads it. It is nil if the line is the ActionString.
	Reply func(p Position, a Action) string
}

// DefaultTurn is the time for an answer, in milliseconds, of a protocol whose Turn is 0: CodinGame's
// in most of its games.
const DefaultTurn = 50

// TurnTime returns the time for each answer after the first, in milliseconds: Turn, or DefaultTurn
// if that is 0.
func (p Protocol) TurnTime() int { return cmp.Or(p.Turn, DefaultTurn) }

// TextProtocol is the name of the protocol that every [Game] has: a position on each line.
const TextProtocol = "text"

func textProtocol(parse func(text string) (Position, error)) Protocol {
	return Protocol{
		Name: TextProtocol,
		Ask:  func(p, _ Position) (string, error) { return p.String() + "\n", nil },
		Read: func(line func() (string, error), _ Position) (Position, error) {
			text, err := line()
			if err != nil {
				return nil, err
			}
			return parse(text)
		},
	}
}

// Questions returns a function that reads the next question from r, or returns io.EOF if r ends
// between questions; see Read.
func (p Protocol) Questions(r io.Reader) func(after Position) (Position, error) {
	in := bufio.NewReader(r)
	return func(after Position) (Position, error) {
		end := io.EOF
		return p.Read(func() (string, error) {
			text, err := in.ReadString('\n')
			if text = strings.TrimSpace(text); err == io.EOF {
				err = nil
				if text == "" {
					err = end
				}
			}
			end = errors.New("the input ends within a turn")
			return text, err
		}, after)
	}
}

// ActionIn returns the ActionString in a line of answer; see Answer.
func (p Protocol) ActionIn(line string) (action string, err error) {
	if p.Answer == nil {
		return strings.TrimSpace(line), nil
	}
	return p.Answer(strings.TrimRight(line, "\r\n"))
}

// LineOf returns the line, without its line end, that answers the question of position q with the
// legal action a; see Reply.
func (p Protocol) LineOf(q Position, a Action) string {
	if p.Reply == nil {
		return q.ActionString(a)
	}
	return p.Reply(q, a)
}

// Protocol returns the game's protocol with a name.
func (r Rules[S]) Protocol(name string) (Protocol, error) {
	if i := slices.Index(r.ProtocolNames(), name); i >= 0 {
		return r.Protocols[i], nil
	}
	return Protocol{}, fmt.Errorf("%s does not speak the protocol %q; there are %s", r.Name, name, strings.Join(r.ProtocolNames(), ", "))
}

// ProtocolNames lists the names of the game's protocols.
func (r Rules[S]) ProtocolNames() (names []string) {
	for _, p := range r.Protocols {
		names = append(names, p.Name)
	}
	return names
}
