// Package engine defines what all games share: players, actions, outcomes and
// states. A game is a [Rules] of a [State] type. [Game] and [Position] are the same
// without the type parameter, for callers off the hot path.
//
// Two conventions hold everywhere. An [Action], the planes written by Encode and
// the features of a [FeatureLister] are from the side of the player to move. A
// value is from the side of the [First] player, unless it has just left a network.
package engine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
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

// Action is an index into a game's action space, and so into the policy head.
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

// MarshalText returns the String of the outcome, which JSON has.
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

// Value returns the outcome from First's side: +1, 0 or -1. Ongoing is 0.
func (o Outcome) Value() float32 { return [...]float32{FirstWins: 1, SecondWins: -1, Draw: 0}[o] }

// OutcomeOf is the outcome of a finished game whose Value is given.
func OutcomeOf(value int) Outcome {
	return [...]Outcome{SecondWins, Draw, FirstWins}[1+cmp.Compare(value, 0)]
}

// WonBy is the outcome in which p wins.
func WonBy(p Player) Outcome { return FirstWins + Outcome(p) }

// State is a position that can be searched. A state is a small value without
// pointers: assignment copies it, == compares it, and it can be a map key. Its
// methods do not change it, and those of the search do not allocate.
type State[S State[S]] interface {
	comparable

	// ToMove is the player who acts next. Turns need not alternate.
	ToMove() Player

	// Outcome reports whether, and how, the game is over.
	Outcome() Outcome

	// Legal appends the legal actions to dst, in increasing order. There is at
	// least one if the outcome is Ongoing.
	Legal(dst []Action) []Action

	// Play returns the state after a, which must be legal.
	Play(a Action) S

	// Encode overwrites planes, whose length is Spec.Planes.Size(), with the
	// network input: numbers from 0 to about 1.
	Encode(planes []float32)

	// ActionString names a legal action as players do.
	ActionString(a Action) string

	// String writes the position on one line, which Rules.Parse reads.
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

// Spec describes a game.
type Spec struct {
	Name     string // as in configs and file names
	Version  int    // increased when rules, actions or planes change their meaning
	Actions  int    // size of the policy head
	Planes   Shape  // size of the network input
	MaxPlies int    // no game is longer (see [Rules.Turn]); 0: no limit, and only people can play
	MaxText  int    // no state's String has more bytes; 0 stands for DefaultText
	MaxLegal int    // no position has more legal actions; 0 stands for Actions. The memory of a search follows from it

	// For networks that sum columns; see [FeatureLister]. Both are 0 in the [Rules] of a
	// game that lists no features; its [Game] has those of the planes.
	Features       int // number of features
	ActiveFeatures int // no state lists more

	// For policy heads that know what an action does; see [ActionFeatureLister].
	ActionFeatures int // number of features of actions; 0: the states list none
	PerAction      int // how many each legal action has: 1 or 2
}

// DefaultText is the MaxText of a game that states none, several times what the texts of our
// games have. MostText is the largest MaxText.
const (
	DefaultText = 1 << 10
	MostText    = 1 << 14
)

// TextLimit returns MaxText, or the default in its place.
func (s Spec) TextLimit() int { return cmp.Or(s.MaxText, DefaultText) }

// CheckText returns an error if the text of a state is longer than the game says. Readers of
// files that hold positions would refuse it.
func (s Spec) CheckText(text string) error {
	if most := s.TextLimit(); len(text) > most {
		return fmt.Errorf("game %s: a position's text has %d bytes, and no text has more than %d: increase Spec.MaxText", s.Name, len(text), most)
	}
	return nil
}

// MostLegal is MaxLegal with its default.
func (s Spec) MostLegal() int { return cmp.Or(s.MaxLegal, s.Actions) }

// Scorer is a state whose game ends with a margin, such as points.
type Scorer interface {
	Score() (first, second int)
}

// ScoreOf returns the scores of First and Second in a state; nil if its game has none.
func ScoreOf(state any) []int {
	if s, ok := state.(Scorer); ok {
		first, second := s.Score()
		return []int{first, second}
	}
	return nil
}

// Heuristic is a state with a rough evaluation from First's side, in a unit of the
// game such as a piece or a point. The fixed opponents of package arena use it. A [Scorer]
// needs none if it is the difference of the scores.
type Heuristic interface {
	Heuristic() int
}

// ActionReader is a state that accepts more ways to write an action than that of
// ActionString, or that can explain why an action is not legal.
type ActionReader interface {
	ReadAction(text string) (Action, error)
}

// Drawer is a state that can be drawn for people, on several lines and
// without colour codes.
type Drawer interface {
	Draw() string
}

// Sketcher is a state that gives programs that draw it what String leaves out, such
// as the shapes of pieces, as a value for encoding/json.
type Sketcher interface {
	Sketch() any
}

// Stager is a state that lists the stages of a legal action for programs that animate
// it, as a value for encoding/json.
type Stager interface {
	Stages(a Action) any
}

// Grouper is a state that shows people its many legal actions in groups, such as by piece
// and orientation.
type Grouper interface {
	// Group returns the group of a legal action, and the part of the group that has it or the
	// zero Group.
	Group(a Action) (group, part Group)
}

// Group is a heading for legal actions that belong together.
type Group struct {
	Name    string   // what people call it by, without blanks
	About   string   // more about it, on one line; may be empty
	Picture []string // lines; may be empty
}

// Rules is one game.
type Rules[S State[S]] struct {
	Spec
	Start      func(rng *rand.Rand) S // the start of games of self-play and matches; it may ignore rng; use [Rules.Deal]
	Parse      func(text string) (S, error)
	Symmetries []Symmetry // without the identity
	Protocols  []Protocol // besides that of positions; may be empty

	FeatureGroups FeatureGroups // what the Spec.Features features are

	// What people read about the game. Each part is optional; AboutIn says what is shown without it.
	English, Vietnamese About

	// Usual returns the position from which people play if Start returns others, such as
	// positions after random plies. It is nil if people play from those of Start.
	Usual func() S

	// Endings makes the table of the endings of the game of s, which takes about a
	// second. If stop, which may be nil, returns true, it gives up and returns nil. The
	// field is nil if the game has no such tables.
	Endings func(s S, stop func() bool) Endings[S]
}

// Game returns the rules without the type of the states. If they have no features, the
// game has the features of its planes: one for each element of the planes and range of its
// values.
func (r Rules[S]) Game() Game {
	g := Game{
		Spec:       r.Spec,
		Symmetries: r.Symmetries,

		FeatureGroups: r.FeatureGroups,

		English: r.English, Vietnamese: r.Vietnamese,

		Start: func(rng *rand.Rand) Position { return Forget(r.Start(rng)) },
		Parse: func(text string) (Position, error) {
			s, err := r.Parse(text)
			if err != nil {
				return nil, err
			}
			return Forget(s), nil
		},
	}
	g.Protocols = append([]Protocol{textProtocol(g.Parse)}, r.Protocols...)
	if r.Usual != nil {
		g.Usual = func() Position { return Forget(r.Usual()) }
	}
	g.usePlaneFeatures()
	return g
}
