package graph

import (
	"fmt"

	"dojo/engine"
	"dojo/model"

	"gorgonia.org/gorgonia"
)

// Batch is the input of one step.
type Batch struct {
	Boards int
	Planes []float32 // boards × Network.Planes, row-major; nil if the network reads lists

	// Lists is the input of a network that reads lists, a row a board.
	Lists engine.Lists

	Targets []Target // one a head, in the order of the architecture
}

// Target is what a head learns from a batch.
type Target struct {
	model.Head

	// Rows is the targets, row-major, for the player to move. A policy has one
	// number an action, negative where the action is illegal; of a network that
	// reads lists it has one number for each of Batch.Lists.Legal. An Amount is
	// in units of the head.
	Rows []float32
}

// NewBatch returns a batch of boards for a network. One that reads lists has no
// rows of them yet, nor of the policy's targets.
func NewBatch(n model.Network, boards int) *Batch {
	a, b := n.Architecture(), &Batch{Boards: boards}
	if !a.Lists {
		b.Planes = make([]float32, boards*n.Planes.Size())
	}
	for _, h := range a.Heads {
		t := Target{Head: h}
		if h.Kind != model.Logits || !a.Lists {
			t.Rows = make([]float32, boards*width(n, h))
		}
		b.Targets = append(b.Targets, t)
	}
	return b
}

// setLists makes the lists of a batch the input.
func (t *Trainer) setLists(b *Batch) error {
	if rows := b.Lists.Rows(); rows != t.config.Batch {
		return fmt.Errorf("graph: the batch has lists of %d positions, want %d", rows, t.config.Batch)
	}
	for i, h := range t.heads {
		if targets := len(b.Targets[i].Rows); h.Kind == model.Logits && targets != len(b.Lists.Legal) {
			return fmt.Errorf("graph: the batch has %d targets of the %s, want one for each of %d legal actions", targets, h.Name, len(b.Lists.Legal))
		}
	}
	t.lists.set(b.Lists)
	return nil
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
