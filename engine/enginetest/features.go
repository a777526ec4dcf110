package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo/engine"
)

// lister lists the features of states that it copies to the same place, so that it does
// not allocate.
type lister[S engine.State[S]] struct {
	state *S
	in    engine.Input
}

func newLister[S engine.State[S]](r engine.Rules[S]) lister[S] {
	return lister[S]{new(S), engine.FeatureInput(r.Planes, 0)}
}

// list appends the features of s.
func (l *lister[S]) list(s S, dst []uint16) []uint16 {
	*l.state = s
	l.in.Reset()
	l.in.Features = dst
	engine.AppendTo(&l.in, l.state)
	return l.in.Features
}

// described returns rules that describe the features of the planes if the states list
// none.
func described[S engine.State[S]](r engine.Rules[S]) engine.Rules[S] {
	g := r.Game()
	r.Spec, r.FeatureGroups, r.Symmetries = g.Spec, g.FeatureGroups, g.Symmetries
	return r
}

// groups returns an error if the feature groups of the rules are wrong. lists reports
// whether the rules have features before those of the planes are described.
func groups[S engine.State[S]](r engine.Rules[S], lists bool) error {
	var zero S
	_, lister := any(zero).(engine.FeatureLister)
	names := map[string]bool{}
	n := r.FeatureGroups.Count()
	for f := range n {
		names[r.FeatureGroups.NameOf(uint16(f))] = true
	}
	switch {
	case n != r.Features:
		return fmt.Errorf("%s: the groups hold %d features, want %d", r.Name, n, r.Features)
	case len(names) != n:
		return fmt.Errorf("%s: %d features have %d names", r.Name, n, len(names))
	case n > math.MaxUint16+1:
		return fmt.Errorf("%s: %d features are too many for 16 bits", r.Name, n)
	case lister != lists:
		return fmt.Errorf("%s: %T lists features: %v, but the rules have some: %v", r.Name, zero, lister, lists)
	}
	return nil
}

// features checks what s lists; back is equal to s.
func (c *checker[S]) features(s, back S) error {
	const before = 3 // is there already
	all := c.lister.list(s, append(c.listed[:0], before))
	if len(all) == 0 || all[0] != before {
		return fmt.Errorf("features are not appended")
	}
	c.listed = append(all[:0], all[1:]...)
	for i, f := range c.listed {
		if i > 0 && f <= c.listed[i-1] {
			return fmt.Errorf("features %v are not in increasing order", c.listed)
		}
		if int(f) >= c.rules.Features {
			return fmt.Errorf("feature %d is not below %d", f, c.rules.Features)
		}
	}
	if len(c.listed) > c.rules.ActiveFeatures {
		return fmt.Errorf("%d features are active, want at most %d", len(c.listed), c.rules.ActiveFeatures)
	}
	if c.same = c.lister.list(back, c.same[:0]); !slices.Equal(c.listed, c.same) {
		return fmt.Errorf("features %v become %v in an equal state", c.listed, c.same)
	}
	return nil
}

// byGroup returns the names of features by group: "my men a1 b2; ...".
func byGroup(features []uint16, groups engine.FeatureGroups) string {
	var b strings.Builder
	last := -1 // group
	for _, f := range features {
		group, i := groups.At(int(f))
		switch {
		case group == last:
			b.WriteByte(' ')
		case last >= 0:
			b.WriteString("; ")
			fallthrough
		default:
			b.WriteString(groups[group].Name + " ")
		}
		b.WriteString(groups[group].Each[i])
		last = group
	}
	return b.String()
}

// BenchmarkFeatures measures listing the features of positions of random games, and
// reports how many are active. The states must list them.
func BenchmarkFeatures[S engine.State[S]](b *testing.B, r engine.Rules[S]) {
	rng := rand.New(rand.NewPCG(1, 0))
	states := make([]S, 0, 4096)
	var legal []engine.Action
	for len(states) < cap(states) {
		for s := r.Start(rng); s.Outcome() == engine.Ongoing && len(states) < cap(states); {
			states = append(states, s)
			legal = s.Legal(legal[:0])
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	features := make([]uint16, 0, r.ActiveFeatures)
	active, most, i := 0, 0, 0
	for b.Loop() {
		features = any(&states[i%len(states)]).(engine.FeatureLister).Features(features[:0])
		active += len(features)
		most = max(most, len(features))
		i++
	}
	b.ReportMetric(float64(active)/float64(i), "active")
	b.ReportMetric(float64(most), "most")
}
