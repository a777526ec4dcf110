package graph

import (
	"fmt"

	"dojo/model"

	"gorgonia.org/gorgonia"
)

// Batch is the input of one step: positions, and what each head is to learn of them.
type Batch struct {
	Planes  []float32 // boards × Network.Planes, row-major
	Targets []Target  // one for each head, in the order of the architecture
}

// Target is what one head is to learn from a batch.
type Target struct {
	model.Head

	// Rows is the targets, row-major, for the player to move. A policy has one
	// number for each action, negative where the action is illegal. A Win has the
	// outcome in [-1, 1], an Amount a number in units of the head.
	Rows []float32
}

// NewBatch returns an empty batch for a network; boards is its number of positions.
func NewBatch(n model.Network, boards int) *Batch {
	b := &Batch{Planes: make([]float32, boards*n.Planes.Size())}
	for _, h := range n.Architecture().Heads {
		b.Targets = append(b.Targets, Target{h, make([]float32, boards*width(n, h))})
	}
	return b
}

// width is the number of a head's outputs for one board.
func width(n model.Network, h model.Head) int {
	if h.Kind == model.Logits {
		return n.Actions
	}
	return 1
}

// set copies the data of a batch into an input.
func set(in *gorgonia.Node, from []float32) error {
	to := data(in)
	if len(from) != len(to) {
		return fmt.Errorf("graph: the batch has %d %s, want %d", len(from), in.Name(), len(to))
	}
	copy(to, from)
	return nil
}
