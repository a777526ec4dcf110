// Package othello implements Othello on the board of 8×8 cells. First has the black discs and
// Second the white discs.
package othello

import (
	_ "embed"
	"math/bits"
	"math/rand/v2"

	"dojo.example/engine"
)

// Texts with the rules for people, in English and Vietnamese.
var (
	//go:embed rules.md
	english string
	//go:embed rules.vi.md
	vietnamese string
)

// Pass is the action of a player who cannot play a disc. Action 8*y+x plays a disc in column x and
// row y.
const Pass = cells

// State is a position. The sets moves and over follow from the other fields; a position keeps them,
// because a search asks for them several times.
type State struct {
	mine, theirs uint64        // discs of the player to move, and of the opponent
	moves        uint64        // cells where the player to move can play
	mover        engine.Player // the player to move
	over         bool          // neither player can play
}

// newBoard returns the position with the given discs.
func newBoard(mine, theirs uint64, mover engine.Player) State {
	b := State{mine: mine, theirs: theirs, mover: mover, moves: movesOf(mine, theirs)}
	b.over = b.moves == 0 && movesOf(theirs, mine) == 0
	return b
}

// begin is the position in which games begin. White has d4 and e5, Black has e4 and d5.
var begin = newBoard(1<<28|1<<35, 1<<27|1<<36, engine.First)

// Rules has the rules of Othello.
var Rules = engine.Rules[State]{
	Spec: engine.Spec{
		Name:     "othello",
		Version:  1,
		MaxText:  80,
		Actions:  cells + 1,
		Planes:   engine.Shape{C: channels, H: side, W: side},
		MaxPlies: 2 * (cells - 4), // at most 60 discs are played, and each needs at most one pass before it
		MaxLegal: mostMoves,

		Features:       feat.groups.Count(),
		ActiveFeatures: activeFeatures,
		ActionFeatures: actionFeatures,
		PerAction:      2,
	},
	Start:         func(*rand.Rand) State { return begin },
	Parse:         parse,
	GTP:           &engine.GTP{Game: "Othello", Size: side, SkipsForcedPass: true},
	English:       engine.ParseAbout(english),
	Vietnamese:    engine.ParseAbout(vietnamese),
	FeatureGroups: feat.groups,
}.WithSymmetries(symmetries()...)

// mostMoves bounds the number of legal actions. No position is known in which a player can choose
// between more than 33 cells.
const mostMoves = cells - 4

// ToMove returns the player who acts next; see engine.State.
func (b State) ToMove() engine.Player { return b.mover }

// Outcome returns the result of the game: the player with more discs has won; see engine.State.
func (b State) Outcome() engine.Outcome {
	if !b.over {
		return engine.Ongoing
	}
	return engine.OutcomeOf(b.lead() * int(b.mover.Sign()))
}

// lead returns the number of discs of the player to move minus the number of the opponent's discs.
func (b *State) lead() int { return count(b.mine) - count(b.theirs) }

// Legal appends the cells where the mover can play, or Pass if there are none; see engine.State.
func (b State) Legal(dst []engine.Action) []engine.Action {
	if b.over {
		return dst
	}
	if b.moves == 0 {
		return append(dst, Pass)
	}
	for to := b.moves; to != 0; to &= to - 1 {
		dst = append(dst, engine.Action(bits.TrailingZeros64(to)))
	}
	return dst
}

// Play returns the state after action a; see engine.State.
func (b State) Play(a engine.Action) State {
	if a == Pass {
		return State{mine: b.theirs, theirs: b.mine, moves: movesOf(b.theirs, b.mine), mover: 1 - b.mover}
	}
	flips := flipsOf(b.mine, b.theirs, int(a))
	return newBoard(b.theirs&^flips, b.mine|flips|1<<a, 1-b.mover)
}

// The channels of the planes.
const (
	chMine   = 0 // 1 on the discs of the player to move
	chTheirs = 1 // 1 on the opponent's discs
	chMoves  = 2 // 1 on the cells where the player to move can play
	channels = 3
)

// Encode writes the network input; see engine.State.
func (b State) Encode(planes []float32) {
	_ = planes[channels*cells-1]
	for i := range cells {
		at := planes[channels*i:][:channels]
		at[chMine], at[chTheirs], at[chMoves] = float32(b.mine>>i&1), float32(b.theirs>>i&1), float32(b.moves>>i&1)
	}
}

// Score returns the number of discs of each player; see engine.Scorer.
func (b State) Score() (first, second int) {
	first, second = count(b.mine), count(b.theirs)
	if b.mover == engine.Second {
		first, second = second, first
	}
	return first, second
}
