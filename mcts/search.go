// Package mcts is PUCT search as a state machine. It starts no goroutine,
// calls no network and reads no clock: Leaf asks for an evaluation, Expand
// gives the answer, and whoever calls them decides how evaluations are
// batched. The same calls with the same random source give the same tree.
//
// Values inside the tree are the First player's; the side to move decides
// with its sign which of them it likes, and nothing is negated per ply.
package mcts

import (
	"math/rand/v2"

	"dojo/engine"
)

// Search is one game being played and searched, its state type forgotten.
//
// The caller's loop for one move is
//
//	for !s.Done() {
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

	// Done reports whether the root has Config.Simulations visits, those
	// inherited from the last move included, or is proven.
	Done() bool

	// Leaf descends to a position that wants an evaluation and encodes it
	// into planes. It returns false if the descent met a finished or proven
	// game, or a position whose evaluation it remembers; these need none and
	// are already backed up.
	Leaf(planes []float32) bool

	// Expand answers Leaf: a logit for every action of the game, legal or
	// not, and a value, both seen by the player to move at the leaf.
	Expand(logits []float32, value float32)

	// Playout plays random actions from the leaf that Leaf found to the end
	// of the game and returns the value for the player to move at the leaf:
	// the evaluation of a search without a network.
	Playout() float32

	// Visits is N(root).
	Visits() int

	// Value is the mean value of the root from First's side, or the exact
	// one if it is proven.
	Value() float32

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
}

// Edge is what a search knows of one root action.
type Edge struct {
	Action engine.Action
	Prior  float32        // P(s,a), root noise included
	Visits int            // N(s,a)
	Value  float32        // Q(s,a) from First's side; 0 if unvisited
	Proven engine.Outcome // how the game ends after it under best play, if proven
}
