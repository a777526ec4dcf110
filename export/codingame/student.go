// Package codingame writes a bot for the game Onitama on CodinGame, a site where
// programs play each other. The bot is one source file, in C++ or Go, with a
// [Student], which is a small network in integers, and the search of package mcts.
// Both languages choose the same move for the same number of simulations, which is
// also the move that package mcts chooses with the Student as its evaluator. [Source]
// writes the file, and [Verify] compiles it and tests the program.
package codingame

import (
	"context"
	"fmt"
	"slices"

	"dojo/engine/onitama"
	"dojo/internal/detmath"
	"dojo/model"
)

// Student is a network of onitama.Sparse in integers, exactly as the exported
// programs compute it. Layers are
//
//	features --W1--> stem --W2--> hidden --WP--> logits of the legal actions
//	                                     --W3--> top --W4--> value
//
// where the first Policy units of the hidden layer are the policy's and the others the
// value's. Activations are whole numbers from 0 to 127 and weights from -127 to 127. A
// logit is a multiple of 1/64, and the value is tanh of a multiple of 1/256: programs
// that look both up in tables have the same floats.
type Student struct {
	Stem, Policy, Value, Top int // number of units

	W1 []int8  // [feature][stem]
	B1 []int16 // [stem]
	M1 []int16 // [stem]: a = (max(0, sum)·M1 + 2^14) >> 15, at most 127

	W2    []int8 // [stem][hidden]
	Tail2 Tail   // [hidden]
	W3    []int8 // [value][top]
	Tail3 Tail   // [top]

	WP []int8  // [action][policy]
	BP []int32 // [action]
	MP int32   // logit = (sum·MP + 2^15) >> 16, in steps of 1/64
	W4 []int8  // [top]
	B4 int32
	M4 int32 // value = (sum·M4 + 2^15) >> 16, in steps of 1/256 before tanh
}

// Tail turns sums into activations: a = (min(max(0, sum + B), Cap)·M + 2^19) >> 20.
type Tail struct{ B, Cap, M []int32 }

// The outputs are counted in steps and bounded: a logit is at most maxLogit/logitSteps.
const (
	logitSteps, maxLogit = 64, 1000
	valueSteps, maxValue = 256, 1023
	maxActivation        = 127
	maxWeight            = 127
)

// Shape is a network whose program keeps to CodinGame's limits of length and time.
func Shape() model.Network {
	return model.Network{Channels: 256, PolicyPlanes: 32, ValuePlanes: 32, ValueFeatures: 16}.For(onitama.Sparse.Spec)
}

// checkShape returns an error unless the checkpoint's network can be a student.
func checkShape(c *model.Checkpoint) error {
	if err := c.Check(onitama.Sparse.Spec); err != nil {
		return err
	}
	n := c.Network
	switch {
	case n.Kind == model.Sparse:
		return fmt.Errorf("model %s is a %s network, which is not written for CodinGame", c.Name, model.Sparse)
	case n.Blocks != 0 || n.Margin != 0 || n.Pooling || n.TurnsLeft != 0:
		return fmt.Errorf("it has blocks, pooling or outputs beside policy and value; a network for CodinGame has none of these")
	case n.Channels%64 != 0 || n.PolicyPlanes%16 != 0 || n.ValuePlanes%16 != 0:
		return fmt.Errorf("it has %d, %d and %d units; a first layer for CodinGame comes in sixty-fours and the next in sixteens",
			n.Channels, n.PolicyPlanes, n.ValuePlanes)
	}
	return nil
}

// Sums computes the outputs for one position as whole numbers: a logit in steps of 1/64
// for every action, and the value in steps of 1/256, before tanh, for the player to
// move.
func (s *Student) Sums(planes []float32, logits []int32) (value int32) {
	acc := make([]int32, s.Stem)
	for j, b := range s.B1 {
		acc[j] = int32(b)
	}
	for f, on := range planes {
		if on != 0 {
			for j, w := range s.W1[f*s.Stem : (f+1)*s.Stem] {
				acc[j] += int32(w)
			}
		}
	}
	for j := range acc {
		acc[j] = min(maxActivation, (max(0, acc[j])*int32(s.M1[j])+1<<14)>>15)
	}
	hidden := s.Tail2.run(acc, s.W2)
	policy, rest := hidden[:s.Policy], hidden[s.Policy:]
	for a := range logits {
		sum := int64(s.BP[a])
		for d, w := range s.WP[a*s.Policy : (a+1)*s.Policy] {
			sum += int64(policy[d]) * int64(w)
		}
		logits[a] = int32(max(-maxLogit, min(maxLogit, (sum*int64(s.MP)+1<<15)>>16)))
	}
	sum := int64(s.B4)
	for e, h := range s.Tail3.run(rest, s.W3) {
		sum += int64(h) * int64(s.W4[e])
	}
	return int32(max(-maxValue, min(maxValue, (sum*int64(s.M4)+1<<15)>>16)))
}

// run computes a layer with activations x and weights w, [in][out].
func (t Tail) run(x []int32, w []int8) []int32 {
	y := slices.Clone(t.B)
	for j, v := range x {
		if v == 0 {
			continue
		}
		for d, u := range w[j*len(y) : (j+1)*len(y)] {
			y[d] += v * int32(u)
		}
	}
	for d := range y {
		y[d] = (min(max(0, y[d]), t.Cap[d])*t.M[d] + 1<<19) >> 20
	}
	return y
}

// Evaluate makes the student a model.Evaluator.
func (s *Student) Evaluate(_ context.Context, b *model.Batch) error {
	logits := make([]int32, len(s.BP))
	for i := range b.N {
		v := s.Sums(b.Planes[i*onitama.Sparse.Planes.C:(i+1)*onitama.Sparse.Planes.C], logits)
		for a, l := range logits {
			b.Logits[i*len(logits)+a] = float32(l) / logitSteps
		}
		b.Values[i] = float32(detmath.Tanh(float64(v) / valueSteps))
	}
	return nil
}
