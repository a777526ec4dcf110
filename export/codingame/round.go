package codingame

import (
	"math"
	"slices"

	"dojo/model"
)

// NewStudent rounds a checkpoint's parameters to integers. It measures how large the
// activations become on positions of games that the network plays against itself.
func NewStudent(c *model.Checkpoint) (*Student, error) {
	if err := checkShape(c); err != nil {
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

	s.outputs(t, r2[:s.Policy], r3)
	return s, nil
}

// outputs rounds the layers of the logits and of the value. policy and top are how large
// the activations that they read become.
func (s *Student) outputs(t map[string][]float32, policy, top []float32) {
	// The program reads the weights of a logit one after another: [action][policy].
	actions := len(t["policy.dense.bias"])
	wp := make([]float32, len(t["policy.dense.weight"]))
	for d := range s.Policy {
		for a := range actions {
			wp[a*s.Policy+d] = t["policy.dense.weight"][d*actions+a] * policy[d] / maxActivation
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
		w4[i] *= top[i] / maxActivation
	}
	s.W4, scale = round(w4)
	s.B4 = int32(math.Round(float64(t["value.out.bias"][0]) * scale))
	s.M4 = int32(math.Round(valueSteps * 65536 / scale))
}

// first rounds the first layer, whose inputs are 0 or 1. ranges[j] is how large the
// results of unit j become.
func (s *Student) first(w, b, ranges []float32) {
	s.W1 = make([]int8, len(w))
	for j := range s.Stem {
		var top float64
		for i := j; i < len(w); i += s.Stem {
			top = max(top, math.Abs(float64(w[i])))
		}
		scale := maxWeight / max(top, 1e-9)
		for i := j; i < len(w); i += s.Stem {
			s.W1[i] = int8(math.Round(float64(w[i]) * scale))
		}
		s.B1 = append(s.B1, int16(clamp(math.Round(float64(b[j])*scale), 16000)))
		s.M1 = append(s.M1, int16(clamp(math.Round(maxActivation*32768/(float64(ranges[j])*scale)), 32767)))
	}
}

// dense rounds a layer with weights w, [in][out], and biases b. in and out are how large
// each input and each result becomes.
func dense(w, b, in, out []float32) ([]int8, Tail) {
	q := make([]int8, len(w))
	var tail Tail
	for d := range out {
		var top float64
		for j := range in {
			top = max(top, math.Abs(float64(w[j*len(out)+d]*in[j]/maxActivation)))
		}
		scale := maxWeight / max(top, 1e-9)
		for j := range in {
			q[j*len(out)+d] = int8(math.Round(float64(w[j*len(out)+d]*in[j]/maxActivation) * scale))
		}
		full := max(maxActivation, math.Round(float64(out[d])*scale))
		tail.B = append(tail.B, int32(clamp(math.Round(float64(b[d])*scale), 1<<30)))
		tail.Cap = append(tail.Cap, int32(clamp(full, 1<<24)))
		tail.M = append(tail.M, int32(math.Floor(maxActivation*(1<<20)/full)))
	}
	return q, tail
}

// round rounds weights to whole numbers from -127 to 127. All have one scale, which it
// returns: whole ≈ weight·scale.
func round(w []float32) ([]int8, float64) {
	var top float64
	for _, x := range w {
		top = max(top, math.Abs(float64(x)))
	}
	scale := maxWeight / max(top, 1e-9)
	q := make([]int8, len(w))
	for i, x := range w {
		q[i] = int8(math.Round(float64(x) * scale))
	}
	return q, scale
}

// clamp returns the number from -limit to limit that is nearest to x.
func clamp(x, limit float64) float64 { return max(-limit, min(limit, x)) }

// layer computes a dense layer in floats for many rows x: w is [in][out], b is [out].
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

// ranges returns, for each unit, the number that one in 2000 of its activations exceeds.
// x has a row of activations for each position.
func ranges(x []float32, units int) []float32 {
	const quantile = 0.9995
	out := make([]float32, units)
	values := make([]float32, len(x)/units)
	for u := range out {
		for i := range values {
			values[i] = x[i*units+u]
		}
		slices.Sort(values)
		out[u] = max(1e-4, values[min(len(values)-1, int(quantile*float64(len(values))))])
	}
	return out
}
