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

// Protocol is a text protocol between a referee and a player. The referee sends a question for each
// move, and the player answers each question with one line.
type Protocol struct {
	Name string // name for dojo bot --protocol

	// FirstTurn is the time limit for a player's first answer in milliseconds. It includes the
	// start of the program. It is 0 if the limit is the same as for later answers.
	FirstTurn int

	// Turn is the time limit for each later answer in milliseconds. If it is 0, the protocol sets
	// no limit, and a bot that needs one uses DefaultTurn; see TurnTime.
	Turn int

	// If FromStart is true, all games of the referee begin with a position that Rules.Start
	// returns, and each question contains only what has changed since the previous question.
	FromStart bool

	// Read reads one question. It calls line, which returns the next line of input without leading
	// and trailing spaces. Read also gets the position after the player's last answer, or nil
	// before the first question; see FromStart.
	Read func(line func() (string, error), after Position) (Position, error)

	// Ask returns the text that the referee sends to the player to move in position p. It also gets
	// the position after that player's last answer, or nil before the first answer. If FromStart is
	// set and the protocol cannot express the position, Ask returns an error.
	Ask func(p, after Position) (string, error)

	// Answer extracts the ActionString from an answer. The line has no newline at its end. If
	// Answer is nil, each answer is just an ActionString.
	Answer func(line string) (action string, err error)

	// Reply returns the line, without a newline, that answers the question for position p with the
	// legal action a. Answer parses this line. If Reply is nil, the line is the ActionString.
	Reply func(p Position, a Action) string
}

// DefaultTurn is the time for an answer in milliseconds if a protocol's Turn is 0. CodinGame uses
// this limit in most of its games.
const DefaultTurn = 50

// TurnTime returns the time limit for each answer after the first, in milliseconds: Turn, or
// DefaultTurn if Turn is 0.
func (p Protocol) TurnTime() int { return cmp.Or(p.Turn, DefaultTurn) }

// TextProtocol is the name of a protocol that every [Game] has. Each question is one line with the
// text of a position.
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

// Questions returns a function that reads the next question from r; see Read. The function returns
// io.EOF if the input ends between two questions, and another error if it ends within a question.
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
			end = errors.New("the input ends in the middle of a question")
			return text, err
		}, after)
	}
}

// ActionIn returns the ActionString in an answer; see Answer.
func (p Protocol) ActionIn(line string) (action string, err error) {
	if p.Answer == nil {
		return strings.TrimSpace(line), nil
	}
	return p.Answer(strings.TrimRight(line, "\r\n"))
}

// LineOf returns the line, without a newline, that answers the question for position q with the
// legal action a; see Reply.
func (p Protocol) LineOf(q Position, a Action) string {
	if p.Reply == nil {
		return q.ActionString(a)
	}
	return p.Reply(q, a)
}

// Protocol returns the game's protocol with the given name.
func (r Rules[S]) Protocol(name string) (Protocol, error) {
	if i := slices.Index(r.ProtocolNames(), name); i >= 0 {
		return r.Protocols[i], nil
	}
	return Protocol{}, fmt.Errorf("%s has no protocol %q; its protocols are %s", r.Name, name, strings.Join(r.ProtocolNames(), ", "))
}

// ProtocolNames returns the names of the game's protocols.
func (r Rules[S]) ProtocolNames() (names []string) {
	for _, p := range r.Protocols {
		names = append(names, p.Name)
	}
	return names
}
