package engine

import (
	"fmt"
	"math/rand/v2"
)

// Game is a [Rules] with its state type forgotten.
type Game struct {
	Spec
	Start      func(rng *rand.Rand) Position
	Parse      func(text string) (Position, error)
	Symmetries []Symmetry
	Protocols  []Protocol
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

// ParseAction finds the legal action of p that is named text.
func ParseAction(p Position, text string) (Action, error) {
	for _, a := range p.Legal(nil) {
		if p.ActionString(a) == text {
			return a, nil
		}
	}
	return 0, fmt.Errorf("engine: %q is not a legal action in %q", text, p)
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
