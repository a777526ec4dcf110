// Package model evaluates positions with neural networks: it turns the numbers that describe a
// position into a policy and a value. It also stores the networks' parameters. All that it knows of
// a game is its Spec. There are two kinds of networks: the residual kind reads planes, and the
// sparse kind reads lists of features. Both give a logit for each legal action.
//
//   - [Network] holds the sizes of a network, such as the number of channels and blocks.
//   - [Architecture] lists the network's layers and heads. It is derived from the sizes. All other
//     code follows these lists.
//   - [Checkpoint] is a network with its parameters and their origin. It is stored in a file.
//   - [Net] is a checkpoint in memory that is ready to play, in floats or in 8 bits. It uses the
//     kernels of package model/kernel.
//   - [Evaluator] is the interface that a search uses. It takes a batch of positions and returns a
//     policy and a value for each of them.
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
	// The positions, in the form that the evaluator reads; see Evaluator.NewInput.
	Input engine.Input
	// Output: one unnormalised logit for each entry of Input.Legal, in the same order.
	Logits []float32
	Values []float32 // output: one value for each row, in [-1, 1], for the player to move

	// Scratch is memory for the evaluator. Each batch has its own, so that concurrent evaluations
	// need no lock.
	Scratch any

	evaluator Evaluator // the evaluator that created Input
}

// NewBatch returns an empty batch for an evaluator.
func NewBatch(e Evaluator) *Batch { return &Batch{Input: e.NewInput(), evaluator: e} }

// Fit resizes the outputs for the number of rows in Input.
func (b *Batch) Fit() {
	b.Logits, b.Values = grow(b.Logits, len(b.Input.Legal)), grow(b.Values, b.Input.Rows())
}

// Ask replaces the rows of the batch with the given positions and evaluates them.
func (b *Batch) Ask(ctx context.Context, positions ...engine.Position) error {
	b.Input.Reset()
	for _, p := range positions {
		b.Input.Append(p)
	}
	return b.Evaluate(ctx)
}

// Evaluate resizes the outputs for all rows of Input, and calls the batch's evaluator to compute
// them.
func (b *Batch) Evaluate(ctx context.Context) error {
	b.Fit()
	return b.evaluator.Evaluate(ctx, b)
}

// Evaluator evaluates positions for a search. Its output for a row depends only on that row, so the
// results of games do not depend on which positions are evaluated in the same batch. An Evaluator
// is safe for concurrent use.
//
// The evaluator decides in which form it gets the positions: NewInput returns an empty input of the
// right kind, and the search fills it. An evaluator may therefore wrap another one, for example to
// count evaluations, to cache answers or to ask another machine; see [Wrap].
type Evaluator interface {
	// NewInput returns an empty input of the kind that Evaluate expects.
	NewInput() engine.Input

	// Evaluate fills in the outputs of the batch's rows. The caller has created the batch's input
	// with NewInput and resized the outputs with Fit.
	Evaluate(ctx context.Context, b *Batch) error
}

// Precision is the number format in which a checkpoint computes when it plays.
type Precision string

// The precisions that users can choose.
const (
	Float32 Precision = "float32"
	Int8    Precision = "int8" // needs a checkpoint with Ranges
	Best    Precision = "best" // int8 if the checkpoint has Ranges, otherwise float32
)

// Validate returns an error if p is not one of the three constants.
func (p Precision) Validate() error {
	if p != Float32 && p != Int8 && p != Best {
		return fmt.Errorf("precision: %q is not %s, %s or %s", p, Best, Int8, Float32)
	}
	return nil
}

// Evaluator returns an evaluator that computes with the checkpoint's network. For Int8, it returns
// an error if the checkpoint has no Ranges.
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

// Wrap returns an evaluator that takes the same kind of input as e. To evaluate a batch, it calls
// the function evaluate, which may call e.Evaluate.
func Wrap(e Evaluator, evaluate func(ctx context.Context, b *Batch) error) Evaluator {
	return wrapper{e, evaluate}
}

// A wrapper is an evaluator that wraps another one.
type wrapper struct {
	Evaluator
	evaluate func(ctx context.Context, b *Batch) error
}

func (w wrapper) Evaluate(ctx context.Context, b *Batch) error { return w.evaluate(ctx, b) }

// NoModel can be given instead of a model's name wherever the program expects one. It selects
// [Uniform].
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
