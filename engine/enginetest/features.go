package enginetest

import (
	"fmt"
	"strings"

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
