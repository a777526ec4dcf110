package enginetest

import (
	"fmt"
	"math"
	"slices"

	"dojo.example/engine"
)

// looks remembers by what a network sees of a position, planes or features, a position that
// looks so. Positions that look the same are the same to a network: whatever it needs to tell
// apart must be in there. At most a million are remembered.
type looks map[uint64]engine.Position

// check compares p with a position that looks the same.
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
				return fmt.Errorf("it has the %s of %s, but another %s", [...]string{"planes", "features"}[i], other, what)
			}
		} else if !known && len(l) < 1_000_000 {
			l[key] = p
		}
	}
	return nil
}

// differ returns what differs between positions that look the same, as their movers see it.
// Features may put points in ranges, so that only planes have to tell the heuristic.
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

// begin checks the first few thousand positions, by the number of plies. Random games seldom
// meet two positions that look the same.
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
