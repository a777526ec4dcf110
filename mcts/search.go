// Package mcts is PUCT search as a state machine. It starts no goroutine,
// calls no network and reads no clock: Leaves asks for evaluations, Expand
// gives an answer, and whoever calls them decides how evaluations are
// batched; package think does it for the whole program. The same calls with
// the same random source give the same tree.
//
// Values inside the tree are the First player's; the side to move decides
// with its sign which of them it likes, and nothing is negated per ply.
//
// What is particular to the root (noise, the first action of a simulation, the
// improved policy, the choice) is a [Root], given anew for each search.
package mcts

import (
	"math/rand/v2"

	"dojo/engine"
)

// Search is one game being played and searched, its state type forgotten.
//
// The caller's loop for one move is
//
//	for s.Begin(root, simulations); !s.Done(); {
//		if s.Leaf(planes) {
//			s.Expand(evaluate(planes))
//		}
//	}
//	s.Policy(target)
//	s.Play(s.Choose(temperature))
type Search interface {
	// Reset starts over from p, a position of this search's game, and draws
	// from rng until the next Reset. Memory is kept.
	Reset(p engine.Position, rng *rand.Rand)

	// Fork returns another search of the same kind that shares what this one
	// remembers of evaluations. One goroutine uses both.
	Fork() Search

	// Position is where the game stands.
	Position() engine.Position

	// Begin starts the search of a position, by a rule at its root and to a
	// number of root visits. It is called after each Reset, Play and Follow;
	// called again in the same position, it lets the search go on. Simulations
	// that still want an answer are dropped.
	Begin(root Root, visits int)

	// Done reports whether the root has the visits that Begin was told, those
	// inherited from the last move included, or is proven, or the tree is Full.
	Done() bool

	// Full reports whether the tree has no room for another simulation.
	Full() bool

	// Leaf descends to a position that wants an evaluation and encodes it
	// into planes. It returns false if the descent met a finished or proven
	// game, or a position whose evaluation it remembers; these need none and
	// are already backed up. It is Leaves of one.
	Leaf(planes []float32) bool

	// Leaves makes up to n simulations at once, at most MaxPending, and
	// returns how many positions want an evaluation; they are encoded into
	// the rows of planes, which has room for n. As many calls of Expand must
	// follow before anything else. Simulations whose value is not yet known
	// count as visits without a value, so that the next one looks elsewhere
	// (Liu et al. 2020, "Watch the Unobserved"). Values are backed up in the
	// order of the descents, those that need no evaluation too.
	Leaves(planes []float32, n int) int

	// Expand answers the oldest position that wants an evaluation: a logit
	// for every action of the game, legal or not, and a value, both seen by
	// the player to move there.
	Expand(logits []float32, value float32)

	// ListLeaves is Leaves for networks that read lists: it appends the
	// features and the legal actions of the positions that want an evaluation
	// to lists, a row each. The game must list features.
	ListLeaves(lists *engine.Lists, n int) int

	// ExpandLegal is Expand with the position's legal actions, as ListLeaves
	// listed them, and logits of these alone, in their order.
	ExpandLegal(legal []engine.Action, logits []float32, value float32)

	// Playout plays random actions from the oldest position that wants an
	// evaluation to the end of the game and returns the value for the player
	// to move there: the evaluation of a search without a network.
	Playout() float32

	// Visits is N(root).
	Visits() int

	// Value is the mean value of the root from First's side, or the exact
	// one if it is proven.
	Value() float32

	// Proven is how the game ends from here under best play, if the search
	// has proven it; Ongoing otherwise.
	Proven() engine.Outcome

	// Policy writes the improved policy over all actions of the game, summing
	// to 1: the training target.
	Policy(dst []float32)

	// Choose samples an action from the improved policy sharpened by
	// 1/temperature; temperature 0 takes the best.
	Choose(temperature float32) engine.Action

	// Edges appends what the search knows of each legal root action.
	Edges(dst []Edge) []Edge

	// Line appends the principal variation: the best actions from the root.
	Line(dst []engine.Action) []engine.Action

	// Play plays a legal action and keeps what the search knows below it.
	Play(a engine.Action)

	// Follow moves to p if that position is in the tree at most four actions
	// below the root, and keeps what the search knows below it. Otherwise it
	// returns false and changes nothing.
	Follow(p engine.Position) bool
}

// MaxPending is the most simulations that Leaves makes at once.
const MaxPending = 255

// Edge is what a search knows of one root action.
type Edge struct {
	Action  engine.Action
	Network float32        // P(s,a) as the network gave it
	Prior   float32        // P(s,a) as the search uses it, root noise included
	Visits  int            // N(s,a)
	Value   float32        // Q(s,a) from First's side; 0 if unvisited
	Proven  engine.Outcome // how the game ends after it under best play, if proven
}
