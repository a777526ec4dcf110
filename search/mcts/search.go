// Package mcts implements Monte Carlo tree search with PUCT, the search of AlphaZero, as a state
// machine. The package starts no goroutine, calls no network and reads no clock. Leaf asks for the
// evaluation of a position and Expand takes the answer, so the caller decides how to batch
// evaluations. In this program the caller is always package think. The same calls with the same
// random source produce the same tree.
//
// The tree has a node for each position that the search has reached, and a node has an edge for
// each legal action that the search has tried there. With [Config].Graph the tree is a graph: a
// position that can be reached in several ways has only one node.
//
// A simulation descends from the root. At each node it takes the action with the largest Q + U. Q
// is the action's mean value. U is a bonus that grows with the action's prior and shrinks with its
// visits. The simulation ends in a new position, and the network evaluates that position. The
// network's policy gives the priors of the new node's actions. The network's value is added to
// every edge and node on the path (it is backed up). The improved policy gives each root action its
// share of the root's visits. A node is proven when the outcome of the game under best play is
// known there.
//
// Values inside the tree are from First's view. To get the value for the player to move, multiply
// by the node's sign, +1 or -1. Backing up a value never negates it.
//
// [Tactics] prove nodes by the rules, without the network. A new node needs no evaluation if the
// player to move can win there immediately, or if an endgame table of the game contains it.
//
// A [RootRule] controls what the search does only at its root: which priors the root has, which
// action a simulation takes first, and which move is played in the end. [Root] reads the results.
package mcts

import (
	"math/rand/v2"

	"dojo.example/engine"
)

// Search plays one game and searches its positions. It is an interface in order to hide the type of
// the game's states. The caller's loop for one move is
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
	// Reset makes p, a position of this search's game, the root of an empty tree. Until the next
	// Reset, the search takes all its random numbers from rng. Reset reuses the memory of the
	// previous game.
	Reset(p engine.Position, rng *rand.Rand)

	// Position returns the position at the root.
	Position() engine.Position

	// Begin starts a search of the root position with the given rule for the root. The search is
	// Done when the root has the given number of visits, which must be at least 1. A number of
	// math.MaxInt32 or more means no limit.
	//
	// Call Begin after each Reset, Play and Follow. Calling Begin again in the same position
	// continues the search. If the rule is the same as before, the root keeps its priors, including
	// their noise. If the rule has changed, Begin computes the root's priors again. Begin drops a
	// simulation that is still waiting for its evaluation.
	Begin(rule RootRule, visits int)

	// Prepare builds the endgame table: a table with the exact outcomes of the last positions of a
	// game. It does so if Tactics.Tables is set, the game offers such a table, and the search does
	// not have the table of the current game yet. Otherwise Prepare does nothing and returns true.
	//
	// Building may take seconds. Prepare calls stop repeatedly, unless stop is nil. If stop returns
	// true, Prepare gives up and returns false, and the search has no table. Call Prepare after
	// Begin and before the first Leaf of a game.
	Prepare(stop func() bool) bool

	// Done reports whether the search is over. It is over in three cases: the root has as many
	// visits as Begin asked for (visits that were kept from earlier moves count), the root is
	// proven, or a search without a visit limit has used up its memory (see Config.Memory).
	Done() bool

	// Leaf runs one simulation. If the simulation needs an evaluation, Leaf appends a row for the
	// position to in and returns true; the caller must then call Expand before the next Leaf. If
	// the simulation ends in a position whose value is already known, for example because the game
	// is over there, Leaf backs up that value and returns false.
	Leaf(in *engine.Input) bool

	// Expand gives the search the evaluation of the position that Leaf asked for. legal holds the
	// position's legal actions in the order in which Leaf listed them, and logits has one logit for
	// each of them. value is between -1 and 1, from the view of the player to move.
	Expand(legal []engine.Action, logits []float32, value float32)

	// RandomPlayout plays random actions to the end of the game, starting from the position that
	// waits for its evaluation. It returns the result for the player to move in that position. A
	// search without a network passes this result to Expand as the value. RandomPlayout returns an
	// error if the game does not end. States that are an [engine.Playouter] play the actions
	// themselves.
	RandomPlayout() (float32, error)

	// Visits returns N(root), the number of simulations through the root.
	Visits() int

	// Proven returns the outcome of the game under best play if the search has proven it, and
	// Ongoing otherwise.
	Proven() engine.Outcome

	// Root returns what the search has found so far.
	Root() Root

	// Play plays a legal action at the root and keeps the part of the tree below it.
	Play(a engine.Action)

	// If p is in the tree at most four actions below the current root, Follow makes p the root and
	// keeps the tree below it. Otherwise Follow returns false and changes nothing.
	Follow(p engine.Position) bool
}

// Game is a game together with a constructor of searches for it.
type Game struct {
	engine.Game
	NewSearch func(cfg Config) Search // returns a new search; call its Reset before use

	// Bytes returns the most memory, in bytes, that a search can take if each call of Begin asks
	// for at most the given number of visits. The parameter follows must be true if the caller will
	// call Play or Follow, because the search then keeps a part of its tree.
	Bytes func(cfg Config, visits int, follows bool) int64
}

// GameOf returns the game with the rules r, and a constructor of searches for it.
func GameOf[S engine.State[S]](r engine.Rules[S]) Game {
	return Game{
		Game:      r.Game(),
		NewSearch: func(cfg Config) Search { return New(r, cfg) },
		Bytes: func(cfg Config, visits int, follows bool) int64 {
			return treeBytes[S](r.MostLegal(), cfg, visits, follows)
		},
	}
}

// Edge describes one action of the root and what the search knows about it.
type Edge struct {
	Action  engine.Action
	Network float32        // P(s,a) from the network
	Prior   float32        // P(s,a) as the search uses it, including root noise
	Visits  int            // N(s,a)
	Value   float32        // Q(s,a), the mean value for First; 0 if unvisited
	Proven  engine.Outcome // outcome under best play after the action, if proven; otherwise Ongoing
}
