package graph

import (
	"fmt"

	"dojo.example/engine"
	"dojo.example/model"
)

// Batch is the input of one training step: positions, and a target for each head.
type Batch struct {
	Input   engine.Input // positions; made by Network.NewInput
	Targets []Target     // one target for each head, in the order of the architecture
}

// Target is what one head learns from a batch.
type Target struct {
	model.Head

	// Rows holds the targets for the player to move. A policy has one number for each entry of
	// Batch.Input.Legal. A Win has the outcome in [-1, 1] of each row. An Amount has a number for
	// each row, in units of the head.
	Rows []float32
}

// NewBatch returns a batch for a network. The batch has room for the targets of the given number of
// boards, but no rows yet, and no targets of the policy.
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

// check returns an error unless the batch has the sizes that the trainer expects.
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
