package tictactoe

import "dojo.example/engine"

// Encode writes two channels: the stones of the player to move and the opponent's stones.
func (s State) Encode(planes []float32) {
	for i := range 9 {
		planes[2*i] = float32(s.mine >> i & 1)
		planes[2*i+1] = float32(s.theirs >> i & 1)
	}
}

// featureGroups has one feature for each cell and owner of a stone. A network can find lines of
// three from these features.
var featureGroups = engine.FeatureGroups{
	{Name: "my stones", Each: cellNames()},
	{Name: "their stones", Each: cellNames()},
}

func cellNames() (names []string) {
	for a := range engine.Action(9) {
		names = append(names, State{}.ActionString(a))
	}
	return names
}

// Features appends the features for the stones of the player to move and the opponent's stones; see
// engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	return engine.AppendFeatures(dst, 0, uint64(s.mine)|uint64(s.theirs)<<9)
}

// permute returns a symmetry that maps cell i to cell to[i].
func permute(name string, to [9]int) engine.Relabelling {
	return engine.Relabelling{
		Name:    name,
		Element: func(cell, channel int) (int, int) { return to[cell], channel },
		Action:  func(a int) int { return to[a] },
		Feature: func(group, i int) (int, int) { return group, to[i] },
	}
}
