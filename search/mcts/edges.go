package mcts

import (
	"math/bits"
	"slices"

	"dojo.example/engine"
)

// edgesOf returns the edges of a node.
func (a *arrays) edgesOf(n *node) []edge { return a.edges[n.edges:][:n.tried] }

// edgeOf returns the edge for a legal action of node n, as an index into c.edges. The parameter
// index is the action's position among the node's legal actions. If the action has no edge yet,
// edgeOf creates one.
func (c *core) edgeOf(n *node, index int32) int32 {
	for i, e := range c.edgesOf(n) {
		if int32(e.index) == index {
			return n.edges + int32(i)
		}
	}
	return c.newEdge(n, index)
}

// newEdge inserts an edge for an action that has none yet, and returns the edge's index in c.edges.
// The edges of a node are sorted by action. If the slots allocated for the node's edges are full,
// newEdge moves the edges to a larger block of slots.
func (c *core) newEdge(n *node, index int32) int32 {
	if n.tried == 0 || roomOf(n.tried) == int32(n.tried) {
		c.moveFrom(c.edgesOf(n), n, roomOf(n.tried+1))
	}
	n.tried++
	c.tried++
	edges := c.edgesOf(n)
	place := len(edges) - 1
	for ; place > 0 && int32(edges[place-1].index) > index; place-- {
		edges[place] = edges[place-1]
	}
	edges[place] = edge{child: none, index: uint16(index), prior: c.priors[n.first+index]}
	return n.edges + int32(place)
}

// roomOf returns the capacity that is allocated for the given number of edges: 4, 8, 16 and so on.
func roomOf(edges uint16) int32 { return 1 << bits.Len16(max(3, edges-1)) }

// moveFrom copies edges to the end of a.edges and makes the copies the edges of n. It allocates
// room slots for them, but no more than n has legal actions.
func (a *arrays) moveFrom(edges []edge, n *node, room int32) {
	n.edges = int32(len(a.edges))
	a.edges = grown(a.edges, int(room))[:n.edges+min(room, n.count)]
	copy(a.edges[n.edges:], edges)
}

// visit marks the action of an edge of n as visited or proven lost. To mark it, visit makes the
// action's prior negative; refresh skips negative priors.
func (c *core) visit(n *node, e *edge) {
	c.priors[n.first+int32(e.index)] = -e.prior
	n.fresh = stale
}

// setPriors replaces the priors of the legal actions of n.
func (c *core) setPriors(n *node, priors []float32) {
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

// An option is a legal action with its edge. If the action has no edge in the tree, the option
// holds an edge without visits.
type option struct {
	action engine.Action
	edge
}

// optionsOf returns an option for each legal action of a node, in the order of the actions. The
// next call overwrites the result. optionsOf is slow, so simulations do not call it.
func (c *core) optionsOf(n *node) []option {
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
