package tictactoe

import "dojo/engine"

// Encode writes two channels: the mover's stones and the other's.
func (s State) Encode(planes []float32) {
	for i := range 9 {
		planes[2*i] = float32(s.mine >> i & 1)
		planes[2*i+1] = float32(s.theirs >> i & 1)
	}
}

// featureGroups are the stones by cell, which is enough for a network to find lines of
// three.
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

// Features lists the mover's stones and the other's; see engine.FeatureLister.
func (s State) Features(dst []uint16) []uint16 {
	return engine.AppendFeatures(dst, 0, uint64(s.mine)|uint64(s.theirs)<<9)
}

// permute returns the symmetry that sends cell i to cell to[i].
func permute(name string, to [9]int) engine.Symmetry {
	sym := engine.Symmetry{Name: name, Planes: make([]int32, 18), Actions: make([]engine.Action, 9)}
	for i, j := range to {
		sym.Actions[i] = engine.Action(j)
		sym.Planes[2*i], sym.Planes[2*i+1] = int32(2*j), int32(2*j+1)
	}
	sym.Features = featureGroups.Permute(func(group, i int) (int, int) { return group, to[i] })
	return sym
}
