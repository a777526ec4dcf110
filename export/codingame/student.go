// Package codingame writes a bot for CodinGame's Onitama as one source file in
// C++ or Go: a [Student], which is a small network in integers, and the search
// of package mcts. Both languages give the same move for the same number of
// simulations, which is also the move that package mcts finds with the Student
// as its evaluator. [Verify] compiles and runs what [Source] writes.
package codingame

import (
	"context"
	"fmt"
	"math"
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
// where the first Policy of the hidden units are the policy's and the others
// the value's. Activations are 0 to 127 and weights 8 bits; a logit comes in
// steps of 1/64 and the value as tanh of steps of 1/256, so that whoever looks
// both up in a table has the same floats.
type Student struct {
	Stem, Policy, Value, Top int // units

	W1 []int8  // [feature][stem]
	B1 []int16 // [stem]
	M1 []int16 // [stem]: a = (max(0, sum)·M1 + 2^14) >> 15, at most 127

	W2    []int8 // [stem][hidden]
	Tail2 Tail   // [hidden]
	W3    []int8 // [value][top]
	Tail3 Tail   // [top]

	WP []int8  // [action][policy]
	BP []int32 // [action]
	MP int32   // logit = (sum·MP + 2^15) >> 16, in 1/64
	W4 []int8  // [top]
	B4 int32
	M4 int32 // value = (sum·M4 + 2^15) >> 16, in 1/256 before tanh
}

// Tail turns sums into activations: a = (min(max(0, sum + B), Cap)·M + 2^19) >> 20.
type Tail struct{ B, Cap, M []int32 }

// Bounds of what comes out.
const (
	logitSteps, mostLogit = 64, 1000
	valueSteps, mostValue = 256, 1023
	mostActivation        = 127
)

// Shape is a network that fits CodinGame's limit and clock.
func Shape() model.Network {
	return model.Network{Channels: 256, PolicyPlanes: 32, ValuePlanes: 32, ValueFeatures: 16}.For(onitama.Sparse.Spec)
}

// network checks that a checkpoint has the shape of a student.
func network(c *model.Checkpoint) error {
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

// NewStudent rounds a checkpoint. How large its activations become is measured
// on positions that it plays to itself.
func NewStudent(c *model.Checkpoint) (*Student, error) {
	if err := network(c); err != nil {
		return nil, err
	}
	const typical = 4000
	positions, err := Sample(c, typical, 1)
	if err != nil {
		return nil, err
	}
	planes := planes(positions)
	s := &Student{Stem: c.Channels, Policy: c.PolicyPlanes, Value: c.ValuePlanes, Top: c.ValueFeatures}
	t := c.Tensors
	hidden := s.Policy + s.Value

	// In floats, the two halves of the hidden layer side by side.
	w2 := make([]float32, s.Stem*hidden)
	for j := range s.Stem {
		copy(w2[j*hidden:], t["policy.weight"][j*s.Policy:(j+1)*s.Policy])
		copy(w2[j*hidden+s.Policy:], t["value.weight"][j*s.Value:(j+1)*s.Value])
	}
	b2 := slices.Concat(t["policy.bias"], t["value.bias"])
	stem := layer(planes, t["stem.weight"], t["stem.bias"], true)
	second := layer(stem, w2, b2, true)
	rows := len(second) / hidden
	var value []float32
	for r := range rows {
		value = append(value, second[r*hidden+s.Policy:(r+1)*hidden]...)
	}
	top := layer(value, t["value.hidden.weight"], t["value.hidden.bias"], true)
	r1, r2, r3 := ranges(stem, s.Stem), ranges(second, hidden), ranges(top, s.Top)

	s.first(t["stem.weight"], t["stem.bias"], r1)
	s.W2, s.Tail2 = dense(w2, b2, r1, r2)
	s.W3, s.Tail3 = dense(t["value.hidden.weight"], t["value.hidden.bias"], r2[s.Policy:], r3)

	// The policy's weights lie by action.
	wp := make([]float32, len(t["policy.dense.weight"]))
	for d := range s.Policy {
		for a := range c.Actions {
			wp[a*s.Policy+d] = t["policy.dense.weight"][d*c.Actions+a] * r2[d] / mostActivation
		}
	}
	var scale float64
	s.WP, scale = round(wp)
	for _, b := range t["policy.dense.bias"] {
		s.BP = append(s.BP, int32(math.Round(float64(b)*scale)))
	}
	s.MP = int32(math.Round(logitSteps * 65536 / scale))
	w4 := slices.Clone(t["value.out.weight"])
	for i := range w4 {
		w4[i] *= r3[i] / mostActivation
	}
	s.W4, scale = round(w4)
	s.B4 = int32(math.Round(float64(t["value.out.bias"][0]) * scale))
	s.M4 = int32(math.Round(valueSteps * 65536 / scale))
	return s, nil
}

// first rounds the first layer, whose inputs are 0 and 1.
func (s *Student) first(w, b, ranges []float32) {
	s.W1 = make([]int8, len(w))
	for j := range s.Stem {
		var most float64
		for i := j; i < len(w); i += s.Stem {
			most = max(most, math.Abs(float64(w[i])))
		}
		scale := 127 / max(most, 1e-9)
		for i := j; i < len(w); i += s.Stem {
			s.W1[i] = int8(math.Round(float64(w[i]) * scale))
		}
		s.B1 = append(s.B1, int16(clamp(math.Round(float64(b[j])*scale), 16000)))
		s.M1 = append(s.M1, int16(clamp(math.Round(mostActivation*32768/(float64(ranges[j])*scale)), 32767)))
	}
}

// dense rounds a layer from activations of the ranges in to those of the
// ranges out.
func dense(w, b, in, out []float32) ([]int8, Tail) {
	q := make([]int8, len(w))
	var tail Tail
	for d := range out {
		var most float64
		for j := range in {
			most = max(most, math.Abs(float64(w[j*len(out)+d]*in[j]/mostActivation)))
		}
		scale := 127 / max(most, 1e-9)
		for j := range in {
			q[j*len(out)+d] = int8(math.Round(float64(w[j*len(out)+d]*in[j]/mostActivation) * scale))
		}
		full := max(mostActivation, math.Round(float64(out[d])*scale))
		tail.B = append(tail.B, int32(clamp(math.Round(float64(b[d])*scale), 1<<30)))
		tail.Cap = append(tail.Cap, int32(clamp(full, 1<<24)))
		tail.M = append(tail.M, int32(math.Floor(mostActivation*(1<<20)/full)))
	}
	return q, tail
}

// round gives the weights one scale, which it returns.
func round(w []float32) ([]int8, float64) {
	var most float64
	for _, x := range w {
		most = max(most, math.Abs(float64(x)))
	}
	scale := 127 / max(most, 1e-9)
	q := make([]int8, len(w))
	for i, x := range w {
		q[i] = int8(math.Round(float64(x) * scale))
	}
	return q, scale
}

func clamp(x, most float64) float64 { return max(-most, min(most, x)) }

// layer is a dense layer in floats.
func layer(x, w, b []float32, relu bool) []float32 {
	in, out := len(w)/len(b), len(b)
	y := make([]float32, len(x)/in*out)
	for r := range len(x) / in {
		row := y[r*out : (r+1)*out]
		copy(row, b)
		for i, v := range x[r*in : (r+1)*in] {
			if v == 0 {
				continue
			}
			for j, u := range w[i*out : (i+1)*out] {
				row[j] += float32(v * u)
			}
		}
		if relu {
			for j := range row {
				row[j] = max(0, row[j])
			}
		}
	}
	return y
}

// ranges is what few activations of each unit exceed.
func ranges(x []float32, units int) []float32 {
	const share = 0.9995
	out := make([]float32, units)
	values := make([]float32, len(x)/units)
	for u := range out {
		for i := range values {
			values[i] = x[i*units+u]
		}
		slices.Sort(values)
		out[u] = max(1e-4, values[min(len(values)-1, int(share*float64(len(values))))])
	}
	return out
}

// Sums are the outputs for one position before the tables: a logit in 1/64 for
// every action, and the value in 1/256 for the player to move.
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
		acc[j] = min(mostActivation, (max(0, acc[j])*int32(s.M1[j])+1<<14)>>15)
	}
	hidden := s.Tail2.run(acc, s.W2)
	policy, rest := hidden[:s.Policy], hidden[s.Policy:]
	for a := range logits {
		sum := int64(s.BP[a])
		for d, w := range s.WP[a*s.Policy : (a+1)*s.Policy] {
			sum += int64(policy[d]) * int64(w)
		}
		logits[a] = int32(max(-mostLogit, min(mostLogit, (sum*int64(s.MP)+1<<15)>>16)))
	}
	sum := int64(s.B4)
	for e, h := range s.Tail3.run(rest, s.W3) {
		sum += int64(h) * int64(s.W4[e])
	}
	return int32(max(-mostValue, min(mostValue, (sum*int64(s.M4)+1<<15)>>16)))
}

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
