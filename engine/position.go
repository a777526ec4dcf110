package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Game is a [Rules] with its state type forgotten.
type Game struct {
	Spec
	Start      func(rng *rand.Rand) Position
	Usual      func() Position // may be nil; see Rules
	Parse      func(text string) (Position, error)
	Symmetries []Symmetry
	Protocols  []Protocol

	FeatureGroups []FeatureGroup
}

// FirstPosition returns the position from which people begin: the usual start if the game has
// one, else a deal by rng.
func (g Game) FirstPosition(rng *rand.Rand) Position {
	if g.Usual != nil {
		return g.Usual()
	}
	return g.Start(rng)
}

// Position is a [State] with its type forgotten. It is immutable; Play
// allocates its successor.
type Position interface {
	ToMove() Player
	Outcome() Outcome
	Legal(dst []Action) []Action
	Play(a Action) Position
	Encode(planes []float32)
	ActionString(a Action) string
	String() string

	// State is the typed state, for optional abilities found by assertion.
	State() any
}

// Forget returns s as a Position.
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

// ParseAction finds the legal action of p that is named text, by its
// ActionString or as the state's own [ActionReader] reads it.
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

// longestName is no shorter than any action's name.
const longestName = 24

// ParseActions reads one action from p on, or several with or without blanks
// between them, such as a whole turn. What cannot be read as several is the
// error of [ParseAction].
func ParseActions(p Position, text string) ([]Action, error) {
	all, err := parseActions(p, text)
	if all == nil && err == nil {
		_, err = ParseAction(p, text)
	}
	return all, err
}

// parseActions takes the longest names first. It returns nothing if there is
// no way to cut text into names.
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

// Perft counts the ways to play exactly depth plies from s. Its numbers are
// the fingerprint of a move generator.
func Perft[S State[S]](s S, depth int) int {
	return perft(s, depth, make([]Action, 0, 1024))
}

// perft appends the actions of every level behind those of the level above.
func perft[S State[S]](s S, depth int, actions []Action) int {
	if depth == 0 {
		return 1
	}
	if s.Outcome() != Ongoing {
		return 0
	}
	actions = s.Legal(actions)
	n, legal := 0, actions
	for _, a := range legal {
		n += perft(s.Play(a), depth-1, actions[len(actions):])
	}
	return n
}

// Playout plays random actions from s to the end of the game and returns
// their number.
func Playout[S State[S]](s S, rng *rand.Rand) (plies int) {
	legal := make([]Action, 0, 1024)
	for ; s.Outcome() == Ongoing; plies++ {
		legal = s.Legal(legal[:0])
		s = s.Play(legal[rng.IntN(len(legal))])
	}
	return plies
}
