package graph

import (
	"fmt"

	"dojo.example/engine"
	"dojo.example/model"
)

// Batch is the input of one training step: positions, and a target for each head.
type Batch struct {
	Input   engine.Input // the positions; the input was created by Network.NewInput
	Targets []Target     // one target for each head, in the order of the architecture
}

// Target holds the training targets of one head for all positions of a batch.
type Target struct {
	model.Head

	// Rows holds the targets, seen from the side of the player to move. A Logits head has a
	// probability for each entry of Batch.Input.Legal. A Win head has an outcome in [-1, 1] for
	// each position. An Amount head has a lead for each position, in units of Head.Unit points.
	Rows []float32
}

// NewBatch returns a batch without positions for a network. Its Win and Amount targets have the
// size for the given number of boards. Its policy targets are empty.
func NewBatch(n model.Network, boards int) *Batch {
	b := &Batch{Input: n.NewInput()}
	for _, h := range n.Architecture().Heads {
		t := Target{Head: h}
		if h.Kind != model.Logits {
			t.Rows = make([]float32, boards)
		}
		b.Targets = append(b.Targets, t)
	}
	return b
}

// check returns an error unless the batch has the sizes and the kind of input that the trainer
// needs.
func (t *Trainer) check(b *Batch) error {
	n, rows := t.network, t.config.Batch
	heads := n.Architecture().Heads
	if got := b.Input.Rows(); got != rows || len(b.Targets) != len(heads) {
		return fmt.Errorf("graph: the batch has %d positions and %d targets, want %d and %d", got, len(b.Targets), rows, len(heads))
	}
	if lists := n.Architecture().Lists; b.Input.HasPlanes() == lists {
		return fmt.Errorf("graph: the batch has planes: %v, want %v", lists, !lists)
	}
	for i, h := range heads {
		want := rows
		if h.Kind == model.Logits {
			want = len(b.Input.Legal)
		}
		if got := len(b.Targets[i].Rows); got != want {
			return fmt.Errorf("graph: the batch has %d targets for the %s, want %d", got, h.Name, want)
		}
	}
	return nil
}
