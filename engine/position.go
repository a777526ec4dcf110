package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Game is a game whose states are Positions; see [Rules.Game].
type Game = Rules[Position]

// FirstPosition returns a position from which people play: the position that Usual returns, or, if
// Usual is nil, a position from Deal.
func (g Rules[S]) FirstPosition(rng *rand.Rand) (S, error) {
	if g.Usual != nil {
		return g.Usual(), nil
	}
	return g.Deal(rng)
}

// Position is a [State] whose type is hidden. It is immutable. Play allocates the next position.
type Position interface {
	ToMove() Player
	Outcome() Outcome
	Legal(dst []Action) []Action
	Play(a Action) Position
	Encode(planes []float32)
	ActionString(a Action) string
	String() string

	// State returns the underlying state, so that callers can test for optional interfaces with a
	// type assertion.
	State() any

	appendTo(in *Input)
}

// Forget wraps the state s in a Position.
func Forget[S State[S]](s S) Position { return position[S]{s} }

type position[S State[S]] struct{ state S }

func (p position[S]) ToMove() Player               { return p.state.ToMove() }
func (p position[S]) Outcome() Outcome             { return p.state.Outcome() }
func (p position[S]) Legal(dst []Action) []Action  { return p.state.Legal(dst) }
func (p position[S]) Play(a Action) Position       { return position[S]{p.state.Play(a)} }
func (p position[S]) Encode(planes []float32)      { p.state.Encode(planes) }
func (p position[S]) ActionString(a Action) string { return p.state.ActionString(a) }
func (p position[S]) String() string               { return p.state.String() }
func (p position[S]) State() any                   { return p.state }
func (p position[S]) appendTo(in *Input)           { AppendTo(in, &p.state) }

// ParseAction returns the legal action of p whose ActionString is text. If there is none and the
// state is an [ActionReader], ParseAction returns the result of ReadAction.
func ParseAction(p Position, text string) (Action, error) {
	for _, a := range p.Legal(nil) {
		if p.ActionString(a) == text {
			return a, nil
		}
	}
	if reader, ok := p.State().(ActionReader); ok {
		return reader.ReadAction(text)
	}
	return 0, fmt.Errorf("%q is not a legal action in %q", text, p)
}

// longestName is an upper bound on the length of an ActionString in bytes.
const longestName = 24

// GameBytes returns an upper bound on the size of a saved game in JSON, in bytes: one position plus
// the names of its actions. Code that reads games from files or from workers rejects anything
// larger.
func (s Spec) GameBytes() int {
	return 1<<12 + 2*s.TextLimit() + 2*longestName*cmp.Or(s.MaxPlies, 1<<15)
}

// ParseActions reads one or more actions that are played one after another from p, such as a whole
// turn. Spaces between the actions are optional. If the text cannot be split into legal actions,
// ParseActions returns the error of [ParseAction].
func ParseActions(p Position, text string) ([]Action, error) {
	all, err := parseActions(p, text)
	if all == nil && err == nil {
		_, err = ParseAction(p, text)
	}
	return all, err
}

// longestText is the maximum length in bytes of each text that ParseLine accepts.
const longestText = 200

// ParseLine reads a sequence of texts whose actions are played one after another from p; see
// [ParseActions]. It returns the actions and the positions between them, beginning with p. On an
// error it returns the positions and actions read so far, and the error gives the number of the
// text that could not be parsed.
func ParseLine(p Position, texts []string) (positions []Position, all []Action, err error) {
	positions = []Position{p}
	for i, text := range texts {
		var actions []Action
		if err = fmt.Errorf("the text has more than %d bytes", longestText); len(text) <= longestText {
			actions, err = ParseActions(p, text)
		}
		if err != nil {
			return positions, all, fmt.Errorf("action %d: %w", i+1, err)
		}
		for _, a := range actions {
			p = p.Play(a)
			positions, all = append(positions, p), append(all, a)
		}
	}
	return positions, all, nil
}

// parseActions splits text into the names of legal actions. It tries longer names first. It returns
// nil if it cannot split the text.
func parseActions(p Position, text string) (all []Action, err error) {
	if p.Outcome() != Ongoing {
		return nil, fmt.Errorf("%q comes after the end of the game", text)
	}
	for n := min(len(text), longestName); n > 0; n-- {
		a, bad := ParseAction(p, text[:n])
		if bad != nil {
			continue
		}
		rest := strings.TrimLeft(text[n:], " ")
		if rest == "" {
			return []Action{a}, nil
		}
		var more []Action
		if more, err = parseActions(p.Play(a), rest); more != nil {
			return append([]Action{a}, more...), nil
		}
	}
	return nil, err
}

// Perft returns the number of ways to play exactly depth plies from s. To check a move generator,
// compare this number with a published one.
func Perft[S State[S]](s S, depth int) int {
	return PerftUntil(s, depth, func() bool { return false })
}

// PerftUntil counts like Perft, but gives up when stop returns true. The result is then too small.
func PerftUntil[S State[S]](s S, depth int, stop func() bool) int {
	return perft(s, depth, make([]Action, 0, 1024), stop)
}

// perft keeps the legal actions of all levels of the recursion in one slice. Each level's actions
// follow the actions of the level above.
func perft[S State[S]](s S, depth int, actions []Action, stop func() bool) int {
	if depth == 0 {
		return 1
	}
	if s.Outcome() != Ongoing || depth == 3 && stop() {
		return 0
	}
	actions = s.Legal(actions)
	n, legal := 0, actions
	for _, a := range legal {
		n += perft(s.Play(a), depth-1, actions[len(actions):], stop)
	}
	return n
}
