// Package engine is the vocabulary every game speaks: players, actions,
// outcomes and states. There are only a few types here. A game is a [Rules]
// over a [State]; [Game] and [Position] are the same two with the state type
// forgotten, for callers off the hot path.
//
// Two conventions hold everywhere. An [Action], the planes written by Encode
// and the features of a [FeatureLister] are seen from the side of the player to
// move. A value is seen from the side of the [First] player, unless it has just
// left a network.
package engine

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Player is a side of a two-player game.
type Player uint8

const (
	First Player = iota
	Second
)

func (p Player) String() string { return [...]string{"first", "second"}[p] }

// Sign is +1 for First and -1 for Second: v*p.Sign() turns a value seen by
// First into a value seen by p, and back.
func (p Player) Sign() float32 { return 1 - 2*float32(p) }

// Action indexes a game's action space, and so its policy head.
type Action uint16

// Outcome is how a game ended. The zero Outcome means it has not.
type Outcome uint8

const (
	Ongoing Outcome = iota
	FirstWins
	SecondWins
	Draw
)

func (o Outcome) String() string {
	return [...]string{"ongoing", "first", "second", "draw"}[o]
}

// MarshalText returns String: an outcome is a word in JSON.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (o *Outcome) UnmarshalText(text []byte) error {
	for *o = Ongoing; *o <= Draw; *o++ {
		if o.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("engine: %q is no outcome", text)
}

// Value is the outcome from First's side: +1, 0 or -1.
func (o Outcome) Value() float32 {
	switch o {
	case FirstWins:
		return 1
	case SecondWins:
		return -1
	}
	return 0
}

// WonBy is the outcome in which p wins.
func WonBy(p Player) Outcome { return FirstWins + Outcome(p) }

// State is what a position must offer to be searched. A state is a small
// value without pointers: assignment copies it, == compares it, and it can be
// a map key. Its methods do not allocate and do not change it.
type State[S State[S]] interface {
	comparable

	// ToMove is the player who acts next. Turns need not alternate.
	ToMove() Player

	// Outcome reports whether, and how, the game is over.
	Outcome() Outcome

	// Legal appends the legal actions to dst, in increasing order. There is
	// at least one while the outcome is Ongoing.
	Legal(dst []Action) []Action

	// Play returns the state after a, which must be legal.
	Play(a Action) S

	// Encode writes the network input to planes, which has room for exactly
	// Spec.Planes, overwriting all of it with numbers that are not negative
	// and about 1 at most.
	Encode(planes []float32)

	// ActionString names a legal action the way players do.
	ActionString(a Action) string

	// String is the position on one line; Rules.Parse is its inverse.
	String() string
}

// Shape is the size of a network input: a board of H rows and W columns with
// C channels a cell. Elements lie row by row, cell by cell, channels
// innermost: channel c of cell (y, x) is element (y*W+x)*C + c.
type Shape struct{ C, H, W int }

// Size is the number of elements of the shape.
func (s Shape) Size() int { return s.C * s.H * s.W }

// Cells is the number of cells of the board.
func (s Shape) Cells() int { return s.H * s.W }

// Spec is what is known of a game before it starts.
type Spec struct {
	Name     string // as in configs and file names
	Version  int    // grows when rules, actions or planes change meaning
	Actions  int    // size of the policy head
	Planes   Shape  // size of the network input
	MaxPlies int    // no game is longer

	// For networks that sum columns; see [FeatureLister].
	Features       int // how many features there are; 0: the states list none
	ActiveFeatures int // no state lists more
}

// Scorer is a state whose game ends with a margin, such as points.
type Scorer interface {
	Score() (first, second int)
}

// Heuristic is a state that can say roughly who is ahead without searching:
// in units of the game's own (a piece, a point), from First's side, larger is
// better for First. The fixed opponents of package arena play by it.
type Heuristic interface {
	Heuristic() int
}

// ActionReader is a state that reads more ways to write an action than the one
// ActionString writes, or that can say why what is written is not legal.
type ActionReader interface {
	ReadAction(text string) (Action, error)
}

// Drawer is a state that can be drawn for people, on several lines and
// without colour codes.
type Drawer interface {
	Draw() string
}

// Sketcher is a state that tells programs that draw it what String leaves out,
// such as the shapes of its pieces: a value for encoding/json.
type Sketcher interface {
	Sketch() any
}

// Stager is a state that tells programs that animate an action what happens in it, one
// thing after another: a value for encoding/json. The action is legal.
type Stager interface {
	Stages(a Action) any
}

// Grouper is a state with so many legal actions that people look at them in
// groups, such as by the piece that is placed and how it is turned.
type Grouper interface {
	// Groups holds every legal action once, in itself or in its Parts.
	Groups() []Group
}

// Group is legal actions that belong together.
type Group struct {
	Name    string   // what people call it by, without blanks
	About   string   // the rest of a line on it; may be empty
	Picture []string // lines; may be empty
	Actions []Action
	Parts   []Group
}

// All is the actions of the group and of its parts.
func (g Group) All() []Action {
	all := slices.Clone(g.Actions)
	for _, part := range g.Parts {
		all = append(all, part.All()...)
	}
	return all
}

// Protocol is a foreign text protocol in which a referee asks for moves. A
// line with the ActionString of the action chosen answers a position.
type Protocol struct {
	Name string // as in dojo bot --protocol

	// Reader returns a function that reads one question after another. It
	// returns io.EOF when the referee has hung up between questions.
	Reader func(r *bufio.Reader) func() (Position, error)

	// Ask writes a position as the referee sends it to the player to move;
	// first is his first of the game.
	Ask func(p Position, first bool) string

	// Answer is the ActionString in a line of answer, without its line end,
	// where the referee accepts more than that alone; nil: nothing more.
	Answer func(line string) (action string, err error)
}

// Symmetry is a relabelling that the rules cannot tell apart. Plane element
// i goes to Planes[i], action a to Actions[a] and feature f to Features[f]. It
// is data, not code: the trainer applies it, games only list it.
type Symmetry struct {
	Name     string
	Planes   []int32
	Actions  []Action
	Features []uint16 // empty if the game has no features
}

// Rules is one game.
type Rules[S State[S]] struct {
	Spec
	Start      func(rng *rand.Rand) S // the deal of self-play and matches; rng may go unused
	Parse      func(text string) (S, error)
	Symmetries []Symmetry // without the identity
	Protocols  []Protocol // foreign ones; may be empty

	FeatureGroups []FeatureGroup // what the Spec.Features features are

	// Usual returns the position from which people play, in a game whose Start deals
	// others, such as positions after some random plies. It is nil in a game in which
	// people begin with what Start deals.
	Usual func() S

	// Endings makes the table of the endings of the game that s belongs to, which takes
	// about a second. If stop, which may be nil, returns true, it gives up and returns
	// nil. Endings itself is nil if the game has no such tables.
	Endings func(s S, stop func() bool) Endings[S]
}

// Game returns the rules with the state type forgotten.
func (r Rules[S]) Game() Game {
	var usual func() Position
	if r.Usual != nil {
		usual = func() Position { return Forget(r.Usual()) }
	}
	return Game{
		Spec:       r.Spec,
		Symmetries: r.Symmetries,
		Protocols:  r.Protocols,

		FeatureGroups: r.FeatureGroups,

		Start: func(rng *rand.Rand) Position { return Forget(r.Start(rng)) },
		Usual: usual,
		Parse: func(text string) (Position, error) {
			s, err := r.Parse(text)
			if err != nil {
				return nil, err
			}
			return Forget(s), nil
		},
	}
}
