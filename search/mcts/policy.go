package mcts

import (
	"slices"

	"dojo.example/engine"
)

// Root gives access to what a search has found at its root. It is valid until the next call that
// continues or changes the search.
type Root struct{ c *core }

func (t *tree[S]) Root() Root { return Root{&t.core} }

func (c *core) Visits() int { return int(c.rootNode().visits) }

func (c *core) Proven() engine.Outcome { return c.rootNode().proven }

// Value returns the value of the root for First: the exact value if the root is proven, otherwise
// the mean value of the root's simulations.
func (r Root) Value() float32 {
	n := r.c.rootNode()
	if n.proven != engine.Ongoing {
		return n.proven.Value()
	}
	return n.mean
}

// Policy writes the improved policy to dst: a weight for every action of the game. The weights sum
// to 1. Training uses the improved policy as its target.
func (r Root) Policy(dst []float32) {
	clear(dst)
	n := r.c.rootNode()
	for i, w := range r.c.improved(n) {
		dst[r.c.legal[int(n.first)+i]] = w
	}
}

// Choose picks an action at random, with probability proportional to its weight in the improved
// policy to the power of 1/temperature. At temperature 0 the [RootRule] chooses the action. If the
// endgame table shows that the root is won or lost, Choose returns the action that wins soonest or
// loses latest, whatever the temperature.
func (r Root) Choose(temperature float32) engine.Action {
	c, n := r.c, r.c.rootNode()
	if n.count == 0 {
		panic("mcts: Choose was called before the root was expanded")
	}
	i := c.tabled
	switch {
	case i != none:
	case temperature == 0:
		i = c.rule.choose(c, n)
	default:
		i = c.draw(n, temperature)
	}
	return c.legal[n.first+i]
}

// Edges appends one Edge for each legal action of the root to dst.
func (r Root) Edges(dst []Edge) []Edge {
	c := r.c
	for i, e := range c.optionsOf(c.rootNode()) {
		out := Edge{Action: e.action, Network: e.prior, Prior: e.prior, Visits: int(e.visits), Proven: e.proven}
		if c.entered {
			out.Network = c.network[i]
		}
		out.Value = e.mean
		if e.proven != engine.Ongoing {
			out.Value = e.proven.Value()
		}
		dst = append(dst, out)
	}
	return dst
}

// LineAfter appends to dst the most visited line of play that follows the root's legal action a.
// The line does not contain the action a itself. If it reaches a proven position, it may end before
// the game does.
func (r Root) LineAfter(a engine.Action, dst []engine.Action) []engine.Action {
	c := r.c
	root := c.optionsOf(c.rootNode())
	e := &root[slices.IndexFunc(root, func(o option) bool { return o.action == a })]
	for e.child != none && c.nodes[e.child].count > 0 {
		if e = c.principal(&c.nodes[e.child]); e.visits == 0 {
			break
		}
		dst = append(dst, e.action)
	}
	return dst
}

// principal returns the option that starts the best line of play at a node below the root: the most
// visited option. If the node is proven, principal considers only the options with the node's
// proven outcome, because a win that was found late has few visits.
func (c *core) principal(n *node) *option {
	var best *option
	options := c.optionsOf(n)
	for i := range options {
		e := &options[i]
		if n.proven != engine.Ongoing && e.proven != n.proven {
			continue
		}
		if best == nil || e.visits > best.visits {
			best = e
		}
	}
	return best
}
