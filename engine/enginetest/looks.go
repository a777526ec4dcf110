package enginetest

import (
	"fmt"
	"math"
	"slices"

	"dojo/engine"
)

// looks remembers by what a network sees of a position, planes or features, a position that
// looks so. Positions that look the same are the same to a network: whatever it needs to tell
// apart must be in there. At most a million are remembered.
type looks[S engine.State[S]] map[uint64]S

// check compares s with a position that looks the same.
func (l looks[S]) check(s S, planes []float32, features []uint16) error {
	byPlanes, byFeatures := engine.Mix(0, 1), engine.Mix(0, 2)
	for _, v := range planes {
		byPlanes = engine.Mix(byPlanes, uint64(math.Float32bits(v)))
	}
	for _, f := range features {
		byFeatures = engine.Mix(byFeatures, uint64(f))
	}
	for i, key := range [...]uint64{byPlanes, byFeatures} {
		other, known := l[key]
		if known && other != s {
			if what := differ(s, other, i == 0); what != "" {
				return fmt.Errorf("it has the %s of %s, but another %s", [...]string{"planes", "features"}[i], other, what)
			}
		} else if !known && len(l) < 1_000_000 {
			l[key] = s
		}
	}
	return nil
}

// differ returns what differs between positions that look the same, as their movers see it.
// Features may put points in ranges, so that only planes have to tell the heuristic.
func differ[S engine.State[S]](s, other S, planes bool) string {
	value := func(s S) float32 { return s.Outcome().Value() * s.ToMove().Sign() }
	switch {
	case (s.Outcome() == engine.Ongoing) != (other.Outcome() == engine.Ongoing) || value(s) != value(other):
		return "outcome"
	case s.Outcome() == engine.Ongoing && !slices.Equal(s.Legal(nil), other.Legal(nil)):
		return "list of legal actions"
	}
	if h, ok := any(s).(engine.Heuristic); ok && planes {
		o := any(other).(engine.Heuristic)
		if h.Heuristic()*int(s.ToMove().Sign()) != o.Heuristic()*int(other.ToMove().Sign()) {
			return "heuristic"
		}
	}
	return ""
}

// begin checks the first few thousand positions, by the number of plies. Random games seldom
// meet two positions that look the same.
func (c *checker[S]) begin(start S) error {
	const enough = 3000
	queue, seen := []S{start}, map[S]bool{start: true}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		if err := c.check(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
		if s.Outcome() != engine.Ongoing {
			continue
		}
		for _, a := range c.legal {
			if next := s.Play(a); len(queue) < enough && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	return nil
}
