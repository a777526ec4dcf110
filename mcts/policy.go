package mcts

import (
	"math"

	"dojo/engine"
	"dojo/internal/detmath"
)

func (t *tree[S]) Visits() int { return int(t.nodes[0].visits) }

func (t *tree[S]) Value() float32 {
	n := &t.nodes[0]
	if n.proven != engine.Ongoing {
		return n.proven.Value()
	}
	if n.visits == 0 {
		return 0
	}
	return n.total / float32(n.visits)
}

// weight is the share of an edge in the improved policy, not normalised: its
// visits; but if the game is proven won, only winning edges count, and alike,
// and edges proven worse than the root's own proof, or lost, never count.
func (t *tree[S]) weight(e *edge) float32 {
	n := &t.nodes[0]
	won, lost := engine.WonBy(mover(n.sign)), engine.WonBy(1-mover(n.sign))
	switch {
	case n.proven == won:
		if e.proven == won {
			return 1
		}
		return 0
	case e.proven == lost && n.proven != lost:
		return 0
	}
	return float32(e.visits)
}

// improved calls f with every root edge and its weight in the improved policy.
// Without any visit the priors are all there is.
func (t *tree[S]) improved(f func(e *edge, weight float32)) {
	root := t.root()
	var sum float32
	for i := range root {
		sum += t.weight(&root[i])
	}
	for i := range root {
		if sum > 0 {
			f(&root[i], t.weight(&root[i])/sum)
		} else {
			f(&root[i], root[i].prior)
		}
	}
}

func (t *tree[S]) Policy(dst []float32) {
	clear(dst)
	t.improved(func(e *edge, w float32) { dst[e.action] = w })
}

// top is the action of the largest weight; ties go to the better value for
// the mover, then the larger prior, then the lower action.
func (t *tree[S]) top() *edge {
	var best *edge
	var bestWeight float32
	sign := t.nodes[0].sign
	mean := func(e *edge) float32 { return sign * e.total / float32(max(1, e.visits)) }
	t.improved(func(e *edge, w float32) {
		switch {
		case best == nil || w > bestWeight:
		case w < bestWeight || mean(e) < mean(best):
			return
		case mean(e) == mean(best) && e.prior <= best.prior:
			return
		}
		best, bestWeight = e, w
	})
	return best
}

func (t *tree[S]) Choose(temperature float32) engine.Action {
	if len(t.root()) == 0 {
		panic("mcts: Choose before the root was expanded")
	}
	best := t.top()
	if temperature == 0 {
		return best.action
	}
	t.weights = t.weights[:0]
	var sum float64
	t.improved(func(e *edge, w float32) {
		x := detmath.Pow(float64(w), 1/float64(temperature))
		t.weights = append(t.weights, x)
		sum += x
	})
	pick := t.rng.Float64() * sum
	for i, w := range t.weights {
		if pick -= w; pick < 0 && w > 0 {
			return t.root()[i].action
		}
	}
	return best.action
}

func (t *tree[S]) Edges(dst []Edge) []Edge {
	for _, e := range t.root() {
		out := Edge{Action: e.action, Prior: e.prior, Visits: int(e.visits), Proven: e.proven}
		if e.visits > 0 {
			out.Value = e.total / float32(e.visits)
		}
		if e.proven != engine.Ongoing {
			out.Value = e.proven.Value()
		}
		dst = append(dst, out)
	}
	return dst
}

func (t *tree[S]) Line(dst []engine.Action) []engine.Action {
	if len(t.root()) == 0 {
		return dst
	}
	e := t.top()
	for {
		dst = append(dst, e.action)
		if e.child == none || t.nodes[e.child].count == 0 {
			return dst
		}
		n := &t.nodes[e.child]
		e = nil
		for i := range n.count {
			if next := &t.edges[n.first+i]; e == nil || next.visits > e.visits {
				e = next
			}
		}
		if e.visits == 0 {
			return dst
		}
	}
}

// disturb mixes Dirichlet noise into the priors of the root.
func (t *tree[S]) disturb(root []edge) {
	if t.cfg.NoiseWeight == 0 || len(root) == 0 {
		return
	}
	alpha := float64(t.cfg.NoiseAlpha) * 10 / float64(len(root))
	t.weights = t.weights[:0]
	var sum float64
	for range root {
		g := t.gamma(alpha)
		t.weights = append(t.weights, g)
		sum += g
	}
	for i := range root {
		noise := 1 / float32(len(root))
		if sum > 0 { // tiny alphas can draw nothing but zeros
			noise = float32(t.weights[i] / sum)
		}
		root[i].prior += float32(t.cfg.NoiseWeight * (noise - root[i].prior))
	}
}

// gamma draws from the gamma distribution of shape alpha and scale 1:
// Marsaglia and Tsang 2000, with their boost for alpha below 1.
func (t *tree[S]) gamma(alpha float64) float64 {
	boost := 1.0
	if alpha < 1 {
		boost = detmath.Pow(t.rng.Float64(), 1/alpha)
		alpha++
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := detmath.Normal(t.rng)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		if u := t.rng.Float64(); detmath.Log(u) < float64(x*x/2)+d-float64(d*v)+float64(d*detmath.Log(v)) {
			return boost * d * v
		}
	}
}
