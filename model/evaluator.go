// Package model turns positions, as numbers, into policies and values, and keeps the
// parameters that do so. It knows games only by their Spec. There are two kinds of
// networks: the residual kind reads planes, the sparse kind lists of features. Both give
// a logit for each legal action.
//
//   - [Network] is the sizes of a network: how many channels, blocks and so on.
//   - [Architecture] is its layers and heads as a list, made from the sizes. All
//     else interprets that list.
//   - [Checkpoint] is a network with its parameters and where they came from: a
//     file.
//   - [Net] is a checkpoint made ready to play, in floats or in 8 bits, on the
//     kernels of package model/kernel.
//   - [Evaluator] is what the search sees of any of them, or of anything that answers as they
//     do: a batch of positions in, a policy and a value for each out.
//
// Planes and actions are seen from the side of the player to move, and so are all
// outputs.
package model

import (
	"context"
	"fmt"

	"dojo.example/engine"
)

// Batch is the input of one evaluation and, afterwards, its output: a row for each
// position.
type Batch struct {
	Input  engine.Input // of the evaluator's kind; see Evaluator.NewInput
	Logits []float32    // out: one for each of Input.Legal in that order, not normalised
	Values []float32    // out: one for each row, in [-1, 1], for the player to move

	// Scratch is the evaluator's working memory. It stays with the batch so
	// that concurrent evaluations need no lock.
	Scratch any

	evaluator Evaluator // whose input this is
}

// NewBatch returns an empty batch for an evaluator.
func NewBatch(e Evaluator) *Batch { return &Batch{Input: e.NewInput(), evaluator: e} }

// Fit makes room for the outputs of the rows of Input.
func (b *Batch) Fit() {
	b.Logits, b.Values = grow(b.Logits, len(b.Input.Legal)), grow(b.Values, b.Input.Rows())
}

// Ask lets the batch's evaluator evaluate positions, which become the rows of the batch.
func (b *Batch) Ask(ctx context.Context, positions ...engine.Position) error {
	b.Input.Reset()
	for _, p := range positions {
		b.Input.Append(p)
	}
	return b.Evaluate(ctx)
}

// Evaluate makes room for the outputs of the rows of Input, and lets the batch's evaluator fill
// it.
func (b *Batch) Evaluate(ctx context.Context) error {
	b.Fit()
	return b.evaluator.Evaluate(ctx, b)
}

// Evaluator is a network as the search sees it. Its output for a row depends on
// that row alone, so that games do not depend on how they were batched. It is safe
// for concurrent use.
//
// The evaluator decides what the search tells it of a position: NewInput returns an empty input
// of its kind, which the search fills. So an evaluator may stand in front of another one, to
// count, to keep answers or to ask on another machine; see [Wrap].
type Evaluator interface {
	// NewInput returns an input without rows, for positions that Evaluate is to be asked about.
	NewInput() engine.Input

	// Evaluate fills in the outputs of the batch's rows, for which there is room. The input of
	// the batch is one of NewInput.
	Evaluate(ctx context.Context, b *Batch) error
}

// Precision is the arithmetic that a checkpoint plays in.
type Precision string

// The precisions there are.
const (
	Float32 Precision = "float32"
	Int8    Precision = "int8" // needs a checkpoint with Ranges
	Best    Precision = "best" // int8 where the checkpoint has Ranges, float32 where it has no Ranges
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
	q, err := NewNet8(c)
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Wrap returns an evaluator that reads what e reads, and answers with a function, which may
// call e.Evaluate.
func Wrap(e Evaluator, evaluate func(ctx context.Context, b *Batch) error) Evaluator {
	return wrapper{e, evaluate}
}

// A wrapper is an evaluator in front of another one.
type wrapper struct {
	Evaluator
	evaluate func(ctx context.Context, b *Batch) error
}

func (w wrapper) Evaluate(ctx context.Context, b *Batch) error { return w.evaluate(ctx, b) }

// NoModel is the name of Uniform where a model's name is expected.
const NoModel = "uniform"

// Uniform is the evaluator without a network: all logits and values are 0. The first generation
// of a run plays with it.
var Uniform Evaluator = uniform{}

type uniform struct{}

func (uniform) NewInput() engine.Input { return engine.ActionInput() }

func (uniform) Evaluate(_ context.Context, b *Batch) error {
	clear(b.Logits)
	clear(b.Values)
	return nil
}
