package enginetest

import (
	"fmt"
	"math"
	"slices"

	"dojo.example/engine"
)

// looks maps the hash of a network input (planes or features) to a position that has this input. A
// network cannot distinguish two positions with the same input, so the input must contain
// everything that matters for the game. To limit its memory, looks holds at most a million
// positions.
type looks map[uint64]engine.Position

// check looks for an earlier position with the same planes as p, and for one with the same
// features. It returns an error if p differs from one of them in something that the network cannot
// see in its input, such as the legal actions; see differ.
func (l looks) check(p engine.Position, planes []float32, features []uint16) error {
	byPlanes, byFeatures := engine.Mix(0, 1), engine.Mix(0, 2)
	for _, v := range planes {
		byPlanes = engine.Mix(byPlanes, uint64(math.Float32bits(v)))
	}
	for _, f := range features {
		byFeatures = engine.Mix(byFeatures, uint64(f))
	}
	for i, key := range [...]uint64{byPlanes, byFeatures} {
		other, known := l[key]
		if known && other != p {
			if what := differ(p, other, i == 0); what != "" {
				return fmt.Errorf("it has the same %s as %s, but a different %s", [...]string{"planes", "features"}[i], other, what)
			}
		} else if !known && len(l) < 1_000_000 {
			l[key] = p
		}
	}
	return nil
}

// differ compares two positions, each from the perspective of its player to move. It returns the
// name of a property that differs, or "" if there is none. If planes is true, the positions have
// the same planes. Otherwise they have only the same features, and differ does not compare the
// heuristics, because features may give only the range of a score.
func differ(p, other engine.Position, planes bool) string {
	value := func(p engine.Position) float32 { return p.Outcome().Value() * p.ToMove().Sign() }
	heuristic := func(p engine.Position) int { return engine.HeuristicOf(p.State()) * int(p.ToMove().Sign()) }
	switch {
	case (p.Outcome() == engine.Ongoing) != (other.Outcome() == engine.Ongoing) || value(p) != value(other):
		return "outcome"
	case p.Outcome() == engine.Ongoing && !slices.Equal(p.Legal(nil), other.Legal(nil)):
		return "list of legal actions"
	case planes && heuristic(p) != heuristic(other):
		return "heuristic"
	}
	return ""
}

// begin visits positions breadth-first from start and checks the first few thousand. Random games
// would not be enough, because they rarely reach two positions with the same input.
func (c *checker) begin(start engine.Position) error {
	const enough = 3000
	queue, seen := []engine.Position{start}, map[engine.Position]bool{start: true}
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		if err := c.check(p); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		for _, a := range c.legal {
			if next := p.Play(a); len(queue) < enough && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return nil
}
