package mcts

import (
	"slices"

	"dojo/engine"
)

// edgesOf returns the edges of a node.
func (c *core) edgesOf(n *stats) []edge { return c.edges[n.edges : n.edges+n.tried] }

// edgeOf returns the edge of one of a node's legal actions, as an index into c.edges. It makes
// one if the action was not tried before.
func (c *core) edgeOf(n *stats, index int32) int32 {
	edges := c.edgesOf(n)
	for i := range edges {
		if int32(edges[i].index) == index {
			return n.edges + int32(i)
		}
	}
	return c.newEdge(n, index)
}

// newEdge makes an edge of an action that was not tried before and returns its index.
func (c *core) newEdge(n *stats, index int32) int32 {
	if n.tried == 0 {
		n.edges = c.room(n.count)
	}
	i := n.edges + n.tried
	c.edges[i] = edge{child: none, index: uint16(index), prior: c.priors[n.first+index]}
	n.tried++
	return i
}

// room makes room for the edges of a node with count actions and returns the index of the
// first.
func (a *arrays) room(count int32) (first int32) {
	first = int32(len(a.edges))
	a.edges = grown(a.edges, int(count))[:first+count]
	return first
}

// visit notes that an edge of n has got its first visit, or is proven lost: its action is not
// to be found by refresh any more. The sign of its prior says so. That of a lost action
// without visits is set to -0, since it does not count in the sum of visited priors either.
func (c *core) visit(n *stats, e *edge) {
	p := e.prior
	if e.visits == 0 {
		p = 0
	}
	c.priors[n.first+int32(e.index)] = -p
	n.fresh = stale
}

// setPriors changes the priors of the legal actions of n.
func (c *core) setPriors(n *stats, priors []float32) {
	copy(c.priors[n.first:][:n.count], priors)
	n.fresh = stale
	edges, lost := c.edgesOf(n), engine.WonBy(1-mover(n.sign))
	for i := range edges {
		e := &edges[i]
		e.prior = priors[e.index]
		if e.visits > 0 || e.proven == lost {
			c.visit(n, e)
		}
	}
}

// An option is a legal action and its edge, or one like it if the action was not tried.
type option struct {
	action engine.Action
	edge
}

// optionsOf returns the legal actions of a node, in their order, in scratch memory. It is for
// what is asked of a few nodes once a search.
func (c *core) optionsOf(n *stats) []option {
	c.options = slices.Grow(c.options[:0], int(n.count))[:n.count]
	for i := range c.options {
		at := int(n.first) + i
		c.options[i] = option{c.legal[at], edge{child: none, index: uint16(i), prior: c.priors[at]}}
	}
	for _, e := range c.edgesOf(n) {
		c.options[e.index].edge = e
	}
	return c.options
}
