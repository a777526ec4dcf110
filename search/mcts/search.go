// Package mcts is Monte Carlo tree search with PUCT, the search of AlphaZero, as a
// state machine. It starts no goroutine, calls no network and reads no clock: Leaf
// asks for an evaluation, Expand gives the answer, and the caller decides how evaluations
// are batched. Package think does this for the whole program. The same
// calls with the same random source give the same tree.
//
// The tree has a node for each position that was reached and an edge for each legal
// action there. With [Config].Graph it is a graph: a position that is reached in several ways has
// one node. A simulation descends from the root, choosing at each node the edge
// with the best sum of its mean value Q and a bonus U that grows with its prior and
// shrinks with its visits. It ends in a position that is new, which is evaluated: the
// policy becomes the priors of its edges, and the value is added to every edge and
// node on the way (it is backed up). The improved policy is the share of the root's visits
// that each action has. A node is proven when the outcome of the game under best play is
// known.
//
// Values inside the tree are the First player's. The player to move at a node
// multiplies them by its sign, +1 or -1, and nothing is negated per ply.
//
// [Tactics] prove nodes by the rules alone: a new node where a win is at hand needs no
// evaluation, nor does one that is in a table of the game's endings.
//
// What a search does at its root alone is a [RootRule], which it is given: the priors there, the
// action that a simulation begins with, and the move that is played in the end. What it has found
// is read from its [Root].
package mcts

import (
	"math/rand/v2"

	"dojo.example/engine"
)

// Search is one game being played and searched. It is an interface to hide the type of the
// game's states. The caller's loop for one move is
//
//	for s.Begin(rule, simulations); !s.Done(); {
//		in.Reset()
//		if s.Leaf(&in) {
//			logits, value := evaluate(&in)
//			s.Expand(in.Legal, logits, value)
//		}
//	}
//	s.Root().Policy(target)
//	s.Play(s.Root().Choose(temperature))
type Search interface {
	// Reset starts over from p, a position of this search's game. All random
	// numbers come from rng until the next Reset. Memory is used again.
	Reset(p engine.Position, rng *rand.Rand)

	// Position is the position at the root.
	Position() engine.Position

	// Begin starts the search of the root's position by a rule, up to a number of root visits,
	// at least 1, at which it is Done; from math.MaxInt32 on that is no limit. It is called after
	// each Reset, Play and Follow; called again in the same position, it continues
	// the search. Another rule than before sets the root's priors again; the same one keeps
	// them, with the noise that was drawn. A simulation that still waits for its evaluation is
	// dropped.
	Begin(rule RootRule, visits int)

	// Prepare makes the table of endings that Tactics.Tables asks for. It does nothing
	// if Tactics does not ask for one, if the game offers no table, or if the search already
	// has the table of the game being played. It may take seconds. When stop (which may
	// be nil) returns true, Prepare gives up and returns false; the search then has no
	// table. Call it after Begin and before the first Leaf of a game.
	Prepare(stop func() bool) bool

	// Done reports whether the root has the visits that Begin asked for (those kept
	// from earlier moves count), or is proven, or a search without a limit of visits has
	// used up its memory; see Config.Memory.
	Done() bool

	// Leaf makes one simulation. If that needs an evaluation, Leaf appends the position
	// to in as a row and returns true. It returns false if the simulation ended in a
	// finished or proven position: then its value is already backed up. After true,
	// Expand must be called before another Leaf.
	Leaf(in *engine.Input) bool

	// Expand gives the evaluation of the position that waits for it: its legal actions,
	// as Leaf has listed them, a logit for each in their order, and a value in [-1, 1],
	// for the player to move there.
	Expand(legal []engine.Action, logits []float32, value float32)

	// RandomPlayout plays random actions from the position that waits for its evaluation
	// to the end of the game. It returns the result for the player to
	// move in that position: the value that a search without a network gives to
	// Expand. It is an error if the game does not end.
	RandomPlayout() (float32, error)

	// Visits is N(root), the number of simulations through the root.
	Visits() int

	// Proven is the outcome of the game under best play, if the search has proven it;
	// Ongoing otherwise.
	Proven() engine.Outcome

	// Root is what the search has found so far.
	Root() Root

	// Play plays a legal action at the root and keeps the tree below it.
	Play(a engine.Action)

	// Follow makes p the root if it is in the tree, at most four actions below the
	// root, and keeps the tree below it. Otherwise it returns false and changes
	// nothing.
	Follow(p engine.Position) bool
}

// Game is a game with its search.
type Game struct {
	engine.Game
	NewSearch func(cfg Config) Search // call Reset before use

	// Bytes returns the most memory that a search takes whose Begin is given at most so many
	// visits. follows says that Play or Follow are called, so that the search keeps a part of its tree.
	Bytes func(cfg Config, visits int, follows bool) int64
}

// GameOf returns the game of the rules.
func GameOf[S engine.State[S]](r engine.Rules[S]) Game {
	return Game{
		Game:      r.Game(),
		NewSearch: func(cfg Config) Search { return New(r, cfg) },
		Bytes: func(cfg Config, visits int, follows bool) int64 {
			return treeBytes[S](r.MostLegal(), cfg, visits, follows)
		},
	}
}

// Edge is what a search knows of one root action.
type Edge struct {
	Action  engine.Action
	Network float32        // P(s,a) as the network gave it
	Prior   float32        // P(s,a) as the search uses it, root noise included
	Visits  int            // N(s,a)
	Value   float32        // Q(s,a) from First's side; 0 if unvisited
	Proven  engine.Outcome // the outcome after it under best play, if proven; otherwise Ongoing
}
