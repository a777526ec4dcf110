package graph

import (
	"fmt"

	"dojo/engine"
	"dojo/model"
)

// Batch is the input of one step: positions, and what each head is to learn of them.
type Batch struct {
	Boards  int       // number of positions
	Planes  []float32 // boards × Network.Planes, row-major; nil if the network reads lists
	Targets []Target  // one for each head, in the order of the architecture

	// Lists is the input of a network that reads lists, a row for each board.
	Lists engine.Lists
}

// Target is what one head is to learn from a batch.
type Target struct {
	model.Head

	// Rows is the targets, row-major, for the player to move. A policy has one
	// number for each action, negative where the action is illegal; that of a
	// network that reads lists has one number for each of Batch.Lists.Legal. A Win
	// has the outcome in [-1, 1], an Amount a number in units of the head.
	Rows []float32
}

// NewBatch returns an empty batch for a network; boards is its number of positions.
// If the network reads lists, they have no rows yet, nor have the policy's targets.
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

// check returns an error unless the batch has the sizes of the trainer's.
func (t *Trainer) check(b *Batch) error {
	n, rows := t.network, t.config.Batch
	heads := n.Architecture().Heads
	if b.Boards != rows || len(b.Targets) != len(heads) {
		return fmt.Errorf("graph: the batch has %d positions and %d targets, want %d and %d", b.Boards, len(b.Targets), rows, len(heads))
	}
	lists := n.Architecture().Lists
	if want := rows * n.Planes.Size(); !lists && len(b.Planes) != want {
		return fmt.Errorf("graph: the batch has %d planes, want %d", len(b.Planes), want)
	}
	if got := b.Lists.Rows(); lists && got != rows {
		return fmt.Errorf("graph: the batch has lists of %d positions, want %d", got, rows)
	}
	for i, h := range heads {
		want := rows * width(n, h)
		if lists && h.Kind == model.Logits {
			want = len(b.Lists.Legal)
		}
		if got := len(b.Targets[i].Rows); got != want {
			return fmt.Errorf("graph: the batch has %d targets of the %s, want %d", got, h.Name, want)
		}
	}
	return nil
}

// width is the number of a head's outputs for one board.
func width(n model.Network, h model.Head) int {
	if h.Kind == model.Logits {
		return n.Actions
	}
	return 1
}
