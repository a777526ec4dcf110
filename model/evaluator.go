// Package model turns positions, as numbers, into policies and values, and keeps the
// parameters that do so. It knows games only by their Spec. There are two kinds of
// networks: the residual kind reads planes and gives a logit for every action; the
// sparse kind reads lists of features and of legal actions, and gives logits of these
// actions alone.
//
//   - [Network] is the sizes of a network: how many channels, blocks and so on.
//   - [Architecture] is its layers and heads as a list, made from the sizes. All
//     else interprets that list.
//   - [Checkpoint] is a network with its parameters and where they came from: a
//     file.
//   - [Net] is a checkpoint made ready to play in floats, and [Quant] in 8 bits,
//     both on the kernels of package model/kernel.
//   - [Evaluator] is what the search sees of any of them: a batch of positions in,
//     a policy and a value for each out.
//
// Planes and actions are seen from the side of the player to move, and so are all
// outputs.
package model

import (
	"context"
	"fmt"

	"dojo/engine"
)

// Batch is the input of one evaluation and, afterwards, its output: a row for each
// position. All slices are row-major and belong to the caller, who may use them
// again.
type Batch struct {
	N      int       // rows in use; the slices may have room for more
	Planes []float32 // in: N × Spec.Planes
	Logits []float32 // out: N × Spec.Actions, neither masked nor normalised; see Lists
	Values []float32 // out: N, in [-1, 1], for the player to move

	// Lists is the input, N rows, of an evaluator that reads lists, in place of
	// Planes. Such an evaluator gives one logit for each action in Lists.Legal, in
	// that order: those of the first row's legal actions, then the second row's,
	// and so on. See ReadsLists.
	Lists engine.Lists

	// Scratch is the evaluator's working memory. It stays with the batch so
	// that concurrent evaluations need no lock.
	Scratch any
}

// NewBatch returns an empty batch with room for n rows of the game.
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

// ReadsLists reports whether an evaluator reads Batch.Lists instead of
// Batch.Planes, as a network of the Sparse kind does.
func ReadsLists(e Evaluator) bool {
	r, ok := e.(interface{ readsLists() bool })
	return ok && r.readsLists()
}

// Evaluator is a network as the search sees it. Its output for a row depends on
// that row alone, so that games do not depend on how they were batched. It is safe
// for concurrent use.
type Evaluator interface {
	// Evaluate fills in the outputs of the batch's first N rows.
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

// Validate reports a precision that does not exist.
func (p Precision) Validate() error {
	if p != Float32 && p != Int8 && p != Best {
		return fmt.Errorf("precision: %q is none of %s, %s and %s", p, Best, Int8, Float32)
	}
	return nil
}

// Evaluator makes the checkpoint ready to play. Int8 is an error for a checkpoint
// without Ranges.
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

// NoModel is the name of Uniform where a model's name is expected.
const NoModel = "uniform"

// Uniform is the evaluator without a network: all logits and values are 0. The first generation of a run plays with it.
var Uniform Evaluator = EvaluatorFunc(func(_ context.Context, b *Batch) error {
	clear(b.Logits)
	clear(b.Values)
	return nil
})
