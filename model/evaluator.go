// Package model turns positions, given as numbers, into policies and values, and stores the
// parameters for this. It knows games only by their Spec. There are two kinds of networks: the
// residual kind reads planes, and the sparse kind reads lists of features. Both give a logit for
// each legal action.
//
//   - [Network] holds the sizes of a network, such as the number of channels and blocks.
//   - [Architecture] lists the network's layers and heads. It is made from the sizes, and all other
//     code interprets it.
//   - [Checkpoint] is a network with its parameters and their origin. It is stored in a file.
//   - [Net] is a checkpoint that is ready to play, in floats or in 8 bits, on the kernels of package
//     model/kernel.
//   - [Evaluator] is the interface that a search uses: it takes a batch of positions and returns a
//     policy and a value for each.
//
// Planes, actions and all outputs are seen from the side of the player to move.
package model

import (
	"context"
	"fmt"

	"dojo.example/engine"
)

// Batch holds the input and the output of one evaluation, with a row for each position.
type Batch struct {
	Input  engine.Input // positions, as the evaluator reads them; see Evaluator.NewInput
	Logits []float32    // output: one logit for each entry of Input.Legal in the same order, not normalised
	Values []float32    // output: one value for each row, in [-1, 1], for the player to move

	// Scratch is the evaluator's working memory. It belongs to the batch so that concurrent
	// evaluations need no lock.
	Scratch any

	evaluator Evaluator // the evaluator that made Input
}

// NewBatch returns an empty batch for an evaluator.
func NewBatch(e Evaluator) *Batch { return &Batch{Input: e.NewInput(), evaluator: e} }

// Fit makes room for the outputs of the rows of Input.
func (b *Batch) Fit() {
	b.Logits, b.Values = grow(b.Logits, len(b.Input.Legal)), grow(b.Values, b.Input.Rows())
}

// Ask replaces the rows of the batch by the given positions and evaluates them.
func (b *Batch) Ask(ctx context.Context, positions ...engine.Position) error {
	b.Input.Reset()
	for _, p := range positions {
		b.Input.Append(p)
	}
	return b.Evaluate(ctx)
}

// Evaluate makes room for the outputs of the rows of Input and calls the batch's evaluator to fill
// it.
func (b *Batch) Evaluate(ctx context.Context) error {
	b.Fit()
	return b.evaluator.Evaluate(ctx, b)
}

// Evaluator evaluates positions for a search. Its output for a row depends only on that row, so the
// results of games do not depend on how positions were batched. An Evaluator is safe for concurrent
// use.
//
// The evaluator decides what the search tells it about a position: NewInput returns an empty input
// of the right kind, and the search fills it. An evaluator may therefore wrap another one, for
// example to count evaluations, to cache answers or to ask another machine; see [Wrap].
type Evaluator interface {
	// NewInput returns an input without rows, to be filled with positions for Evaluate.
	NewInput() engine.Input

	// Evaluate fills in the outputs of the batch's rows. The caller has made room for them, and the
	// batch's input comes from NewInput.
	Evaluate(ctx context.Context, b *Batch) error
}

// Precision is the arithmetic in which a checkpoint plays.
type Precision string

// The precisions.
const (
	Float32 Precision = "float32"
	Int8    Precision = "int8" // needs a checkpoint with Ranges
	Best    Precision = "best" // int8 if the checkpoint has Ranges, otherwise float32
)

// Validate returns an error for a precision that does not exist.
func (p Precision) Validate() error {
	if p != Float32 && p != Int8 && p != Best {
		return fmt.Errorf("precision: %q is not %s, %s or %s", p, Best, Int8, Float32)
	}
	return nil
}

// Evaluator returns an evaluator that plays with the checkpoint. For Int8 it returns an error if
// the checkpoint has no Ranges.
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

// Wrap returns an evaluator with the same kind of input as e. It answers by calling evaluate, which
// may call e.Evaluate.
func Wrap(e Evaluator, evaluate func(ctx context.Context, b *Batch) error) Evaluator {
	return wrapper{e, evaluate}
}

// A wrapper is an evaluator that wraps another one.
type wrapper struct {
	Evaluator
	evaluate func(ctx context.Context, b *Batch) error
}

func (w wrapper) Evaluate(ctx context.Context, b *Batch) error { return w.evaluate(ctx, b) }

// NoModel is the name of Uniform where a model's name is expected.
const NoModel = "uniform"

// Uniform is an evaluator without a network: all logits and values are 0. The first generation of a
// run plays with it.
var Uniform Evaluator = uniform{}

type uniform struct{}

func (uniform) NewInput() engine.Input { return engine.ActionInput() }

func (uniform) Evaluate(_ context.Context, b *Batch) error {
	clear(b.Logits)
	clear(b.Values)
	return nil
}
