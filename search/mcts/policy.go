package mcts

import (
	"slices"

	"dojo.example/engine"
)

// Root is what a search has found at its root. It is valid until the search goes on.
type Root struct{ c *core }

func (t *tree[S]) Root() Root { return Root{&t.core} }

func (c *core) Visits() int { return int(c.rootNode().visits) }

func (c *core) Proven() engine.Outcome { return c.rootNode().proven }

// Value is the mean value of the root's simulations, or the exact value if it
// is proven, from First's side.
func (r Root) Value() float32 {
	n := r.c.rootNode()
	if n.proven != engine.Ongoing {
		return n.proven.Value()
	}
	return n.mean
}

// Policy writes the improved policy, which is the training target: a number
// for every action of the game, which sum to 1.
func (r Root) Policy(dst []float32) {
	clear(dst)
	n := r.c.rootNode()
	for i, w := range r.c.improved(n) {
		dst[r.c.legal[int(n.first)+i]] = w
	}
}

// Choose draws an action with probabilities proportional to the improved policy to
// the power of 1/temperature. At temperature 0 the root's rule chooses. If the table of
// endings says that the root is won or lost, Choose returns the action that wins
// soonest or loses latest, at any temperature.
func (r Root) Choose(temperature float32) engine.Action {
	c, n := r.c, r.c.rootNode()
	if n.count == 0 {
		panic("mcts: Choose before the root was expanded")
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

// Edges appends to dst what the search knows of each legal action of the root.
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

// LineAfter appends to dst the most visited actions after a legal action a of
// the root; a itself is not among them. A proven position may end the line
// before the game does.
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

// principal returns the option of best play at a node below the root: the most visited one. If
// the node is proven, only those with the same proven outcome are considered, because a win
// that was found late has few visits.
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
