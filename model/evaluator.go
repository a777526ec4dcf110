// Package model turns positions into policies and values, and keeps the
// parameters that do so. There are two kinds of networks: the residual kind
// reads planes and gives a logit for every action, the sparse kind reads lists
// of features and of legal actions and gives logits of these alone. It knows games only by their Spec.
//
// A [Network] is the sizes of a network and an [Architecture] its layers and
// heads as a list, which all else interprets; a [Checkpoint] is a network with
// its parameters and where they came from; a [Net] is a checkpoint made ready
// to play on the kernels of package model/kernel, and a [Quant] the same in 8
// bits; an [Evaluator] is what the search sees of any of them.
package model

import (
	"context"
	"fmt"

	"dojo/engine"
)

// Batch is the input of one evaluation and, afterwards, its output. All
// slices are row-major and belong to the caller, who may use them again.
type Batch struct {
	N      int
	Planes []float32 // in: N × Spec.Planes
	Logits []float32 // out: N × Spec.Actions, neither masked nor normalised; see Lists
	Values []float32 // out: N, in [-1, 1], for the player to move

	// Lists is the input, N rows, of an evaluator that reads lists, in place
	// of Planes. Its logits are those of Lists.Legal, one for one: row after
	// row those of the legal actions. See ReadsLists.
	Lists engine.Lists

	// Others is filled with the results of other heads that play: N numbers
	// by the head's name, in the target's own unit, for the player to move.
	// A head that it does not name is left out.
	Others map[string][]float32

	// Scratch is the evaluator's working memory. It stays with the batch so
	// that concurrent evaluations need no lock.
	Scratch any
}

// NewBatch returns a batch with room for n rows of the game.
func NewBatch(spec engine.Spec, n int) *Batch {
	return &Batch{
		Planes: make([]float32, n*spec.Planes.Size()),
		Logits: make([]float32, n*spec.Actions),
		Values: make([]float32, n),
	}
}

// NewListBatch returns a batch with room for n rows of a game with features,
// for an evaluator that reads lists.
func NewListBatch(spec engine.Spec, n int) *Batch {
	return &Batch{Logits: make([]float32, n*spec.Actions), Values: make([]float32, n)}
}

// ReadsLists reports whether an evaluator reads Batch.Lists, and not
// Batch.Planes: a network of the Sparse kind does.
func ReadsLists(e Evaluator) bool {
	r, ok := e.(interface{ readsLists() bool })
	return ok && r.readsLists()
}

// Evaluator is a network as the search sees it: one call, one batch. The
// output of a row depends on that row alone, so that games do not depend on
// how they were batched. It is safe for concurrent use.
type Evaluator interface {
	Evaluate(ctx context.Context, b *Batch) error
}

// Precision is the arithmetic that a checkpoint plays in.
type Precision string

// The precisions there are.
const (
	Float32 Precision = "float32"
	Int8    Precision = "int8" // needs a checkpoint with Ranges
	Best    Precision = "best" // int8 where the checkpoint has Ranges, float32 where it has none
)

// Validate reports a precision that there is not.
func (p Precision) Validate() error {
	if p != Float32 && p != Int8 && p != Best {
		return fmt.Errorf("precision: %q is none of %s, %s and %s", p, Best, Int8, Float32)
	}
	return nil
}

// Evaluator makes the checkpoint ready to play. Int8 of a checkpoint without
// Ranges is an error that names it.
func (c *Checkpoint) Evaluator(p Precision) (Evaluator, error) {
	if p == Float32 || p == Best && len(c.Ranges) == 0 {
		return NewNet(c), nil
	}
	q, err := NewQuant(c)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// EvaluatorFunc lets a function be an Evaluator.
type EvaluatorFunc func(ctx context.Context, b *Batch) error

// Evaluate calls f.
func (f EvaluatorFunc) Evaluate(ctx context.Context, b *Batch) error { return f(ctx, b) }

// NoModel is the name of Uniform, where a model's name is asked for.
const NoModel = "uniform"

// Uniform has no opinion. The first generation of a run plays with it.
var Uniform Evaluator = EvaluatorFunc(func(_ context.Context, b *Batch) error {
	clear(b.Logits)
	clear(b.Values)
	return nil
})
