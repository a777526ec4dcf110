package tictactoe

import "dojo/engine"

// Encode writes two channels: the mover's stones and the other's.
func (s State) Encode(planes []float32) {
	for i := range 9 {
		planes[2*i] = float32(s.mine >> i & 1)
		planes[2*i+1] = float32(s.theirs >> i & 1)
	}
}

// permute is the symmetry that sends cell i to cell to[i].
func permute(name string, to [9]int) engine.Symmetry {
	sym := engine.Symmetry{Name: name, Planes: make([]int32, 18), Actions: make([]engine.Action, 9)}
	for i, j := range to {
		sym.Actions[i] = engine.Action(j)
		sym.Planes[2*i], sym.Planes[2*i+1] = int32(2*j), int32(2*j+1)
	}
	return sym
}
