// Package engine defines what all games share: players, actions, outcomes and states. A game is a
// [Rules] value for a [State] type. [Game] and [Position] hide the state type, so that code outside
// the hot path can treat all games alike.
//
// Two conventions hold in the whole program:
//
//   - An [Action], the planes that Encode writes and the features of a [FeatureLister] are relative
//     to the player to move.
//   - A value is positive if [First] is ahead. The only exceptions are the output of a network and
//     its training target: they are positive if the player to move is ahead.
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

// String returns "first" or "second".
func (p Player) String() string { return [...]string{"first", "second"}[p] }

// Sign returns +1 for First and -1 for Second. If v is a value from First's perspective, v*p.Sign()
// is the value from p's perspective. The same product converts in the opposite direction.
func (p Player) Sign() float32 { return 1 - 2*float32(p) }

// Action is an index into a game's action space. The policy head has one output for each action.
type Action uint16

// Outcome is the result of a game. The zero value, Ongoing, means that the game is not over.
type Outcome uint8

const (
	Ongoing Outcome = iota
	FirstWins
	SecondWins
	Draw
)

// String returns "ongoing", "first", "second" or "draw".
func (o Outcome) String() string {
	return [...]string{"ongoing", "first", "second", "draw"}[o]
}

// MarshalText returns o.String() as bytes. Package encoding/json calls it.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText parses the text that MarshalText returns.
func (o *Outcome) UnmarshalText(text []byte) error {
	for *o = Ongoing; *o <= Draw; *o++ {
		if o.String() == string(text) {
			return nil
		}
	}
	return fmt.Errorf("engine: %q is not an outcome; want ongoing, first, second or draw", text)
}

// Value returns the outcome from First's perspective: 1 for a win, -1 for a loss, 0 for a draw. It
// returns 0 for Ongoing too.
func (o Outcome) Value() float32 { return [...]float32{FirstWins: 1, SecondWins: -1, Draw: 0}[o] }

// OutcomeOf converts the value of a finished game from First's perspective to its outcome:
// FirstWins if value is positive, SecondWins if it is negative, and Draw if it is 0.
func OutcomeOf(value int) Outcome {
	return [...]Outcome{SecondWins, Draw, FirstWins}[1+cmp.Compare(value, 0)]
}

// WonBy returns the outcome of a game that p has won.
func WonBy(p Player) Outcome { return FirstWins + Outcome(p) }

// State is a position of a game, as the search sees it. A state is a small value without pointers:
// assignment copies it, == compares it, and it can be a map key. No method changes the state. The
// methods that the search calls must not allocate memory.
type State[S State[S]] interface {
	comparable

	// ToMove returns the player who acts next. The players need not alternate.
	ToMove() Player

	// Outcome returns the result of the game, or Ongoing if the game is not over.
	Outcome() Outcome

	// Legal appends the legal actions to dst, in increasing order, and returns the extended slice.
	// There is at least one legal action while the outcome is Ongoing.
	Legal(dst []Action) []Action

	// Play returns the state after action a. The action must be legal.
	Play(a Action) S

	// Encode writes the network input to planes. The values range from 0 to about 1. The length of
	// planes is Spec.Planes.Size(), and Encode overwrites every element.
	Encode(planes []float32)

	// ActionString returns the name of a legal action in the notation that players use.
	ActionString(a Action) string

	// String returns the position as one line of text. Rules.Parse reads the same text.
	String() string
}

// Shape is the size of a network input: a board with H rows, W columns and C channels per cell.
// Elements are stored row by row and cell by cell, with the channels innermost: channel c of cell
// (y, x) is element (y*W+x)*C + c.
type Shape struct{ C, H, W int }

// Size returns the number of elements, C*H*W.
func (s Shape) Size() int { return s.C * s.H * s.W }

// Cells returns the number of cells of the board, H*W.
func (s Shape) Cells() int { return s.H * s.W }

// Spec holds the name and the sizes of a game.
type Spec struct {
	Name    string // the game's name in configurations and file names
	Version int    // increase it when the rules or the meaning of actions or planes change
	Actions int    // size of the action space and of the policy head
	Planes  Shape  // size of the network input

	// MaxPlies is the maximum length of a game in plies; see [Rules.Turn]. If it is 0, there is no
	// limit, and programs cannot play the game: only people can.
	MaxPlies int

	// MaxText is the maximum length of a state's String in bytes. If it is 0, the limit is
	// DefaultText.
	MaxText int

	// MaxLegal is the maximum number of legal actions in a position. If it is 0, the limit is
	// Actions. The memory that a search needs depends on it.
	MaxLegal int

	// Features and ActiveFeatures describe the input of sparse networks; see [FeatureLister]. Both
	// are 0 in the [Rules] of a game that lists no features. For such a game, [Rules.Game] derives
	// features from the planes.
	Features       int // number of features
	ActiveFeatures int // maximum number of active features in a state

	// ActionFeatures and PerAction describe the features of the legal actions. A policy head can
	// read them; see [ActionFeatureLister].
	ActionFeatures int // number of action features; 0 if states do not list any
	PerAction      int // number of features per legal action: 1 or 2
}

// DefaultText is the maximum length of a position's text, in bytes, for games that do not set
// MaxText. It is several times the longest text of the games in this module. MostText is the
// largest MaxText that [Rules.Validate] accepts.
const (
	DefaultText = 1 << 10
	MostText    = 1 << 14
)

// TextLimit returns the maximum length of a position's text in bytes: MaxText, or DefaultText if
// MaxText is 0.
func (s Spec) TextLimit() int { return cmp.Or(s.MaxText, DefaultText) }

// CheckText returns an error if the text of a state is longer than TextLimit. Programs that read
// positions from files refuse such a text.
func (s Spec) CheckText(text string) error {
	if most := s.TextLimit(); len(text) > most {
		return fmt.Errorf("game %s: the text of a position has %d bytes, but the limit is %d; increase Spec.MaxText", s.Name, len(text), most)
	}
	return nil
}

// MostLegal returns the maximum number of legal actions in a position: MaxLegal, or Actions if
// MaxLegal is 0.
func (s Spec) MostLegal() int { return cmp.Or(s.MaxLegal, s.Actions) }

// Scorer is implemented by states of games that players win by a margin, for example in points.
// Score returns the score of each player.
type Scorer interface {
	Score() (first, second int)
}

// ScoreOf returns the scores of First and Second in a state. It returns nil if the state does not
// implement [Scorer].
func ScoreOf(state any) []int {
	if s, ok := state.(Scorer); ok {
		first, second := s.Score()
		return []int{first, second}
	}
	return nil
}

// Heuristic is implemented by states with a rough evaluation. It is positive if First is ahead, and
// its unit depends on the game, such as a piece or a point. The fixed opponents of package arena
// use it. A [Scorer] does not need a Heuristic method if the heuristic is First's score minus
// Second's score.
type Heuristic interface {
	Heuristic() int
}

// ActionReader is implemented by states that accept other notations for an action besides
// ActionString, or that can explain why an action is illegal.
type ActionReader interface {
	ReadAction(text string) (Action, error)
}

// Drawer is implemented by states that can draw themselves as multi-line text for people, without
// colour codes. Every line ends in a newline.
type Drawer interface {
	Draw() string
}

// Sketcher is implemented by states that give drawing programs information that String omits, such
// as the shapes of pieces. Sketch returns a value for encoding/json.
type Sketcher interface {
	Sketch() any
}

// Stager is implemented by states that can split a legal action into stages, so that a program can
// animate it stage by stage. Stages returns a value for encoding/json.
type Stager interface {
	Stages(a Action) any
}

// Grouper is implemented by states with so many legal actions that people see them in groups, for
// example by piece and orientation.
type Grouper interface {
	// Group returns the group of a legal action. If the group is divided into parts, Group also
	// returns the part that contains the action; otherwise part is the zero Group.
	Group(a Action) (group, part Group)
}

// Group is a heading for a set of related legal actions.
type Group struct {
	Name    string   // name that users type; contains no spaces
	About   string   // one-line description; may be empty
	Picture []string // drawing, one string per line; may be empty
}

// Rules defines a game whose states have type S.
type Rules[S State[S]] struct {
	Spec

	// Start returns a start position for self-play and matches. It may ignore rng. Do not call
	// Start directly: [Rules.Deal] calls it and checks the position.
	Start func(rng *rand.Rand) S

	// Parse reads the text that a state's String method returns.
	Parse func(text string) (S, error)

	Symmetries []Symmetry // symmetries of the rules, without the identity
	Protocols  []Protocol // protocols in addition to the text protocol; may be empty

	FeatureGroups FeatureGroups // descriptions of the features; Spec.Features is their number

	// English and Vietnamese describe the game for people. Both are optional. [Rules.AboutIn] fills
	// in missing parts.
	English, Vietnamese About

	// Usual returns the position in which people begin a game. Set it only if they should not begin
	// in a position from Start, for example because Start plays a few random plies. If Usual is
	// nil, people begin in the positions from Start.
	Usual func() S

	// Endings computes an endgame table for the game that s belongs to, for example for the cards
	// that were dealt. This takes about a second. If stop is not nil and returns true, Endings
	// gives up and returns nil. The field is nil if the game has no endgame tables.
	Endings func(s S, stop func() bool) Endings[S]
}

// Game returns the same rules with Position as the state type. If r has no features, the returned
// game gets features derived from the planes: one for each plane element and each range of its
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
