package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dojo.example/engine"
)

// groups returns an error unless all features of the game have different names.
func groups(game engine.Game) error {
	names := map[string]bool{}
	for f := range game.Features {
		names[game.FeatureGroups.NameOf(uint16(f))] = true
	}
	if len(names) != game.Features {
		return fmt.Errorf("%s: %d features have %d names", game.Name, game.Features, len(names))
	}
	return nil
}

// byGroup returns the names of features by group: "my men a1 b2; ...".
func byGroup(features []uint16, groups engine.FeatureGroups) string {
	var b strings.Builder
	last := -1 // group
	for _, f := range features {
		group, i := groups.At(int(f))
		if group != last && last >= 0 {
			b.WriteString("; ")
		}
		if group != last {
			b.WriteString(groups[group].Name)
		}
		b.WriteString(" " + groups[group].Each[i])
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
