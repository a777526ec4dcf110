package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dojo.example/model"
)

// If an evaluation overflows although all weights are finite, Evaluate returns an error that names
// the model, both in floats and in 8 bits.
func TestOverflowIsNamed(t *testing.T) {
	c := checkpoint()
	r := c.Body.(model.Residual)
	c.Ranges = slices.Repeat([]float32{1}, c.Planes.C+(1+2*r.Blocks)*r.Channels)
	for _, bias := range c.Params() {
		for i := range c.Tensors[bias.Name] {
			c.Tensors[bias.Name][i] = 3e38
		}
	}
	quant, err := model.NewNet8(c)
	if err != nil {
		t.Fatal(err)
	}
	b := batch(spec, slices.Repeat([]float32{1}, 9*spec.Planes.Size()))
	for name, e := range map[string]model.Evaluator{"floats": model.NewNet(c), "8 bits": quant} {
		if err := e.Evaluate(t.Context(), b); err == nil || !strings.Contains(err.Error(), "model 000007 ") {
			t.Errorf("in %s: error %v, want one that names the model", name, err)
		}
	}
}

// If activations overflow during calibration, at least one range is not finite. The trainer never
// publishes a model with such a range.
func TestOverflowHasNoRange(t *testing.T) {
	c := checkpoint()
	for i := range c.Tensors["stem.bias"] {
		c.Tensors["stem.bias"][i] = math.MaxFloat32
	}
	for i := range c.Tensors["block0.conv1.weight"] {
		c.Tensors["block0.conv1.weight"][i] = 10
	}
	c.Calibrate(batch(spec, slices.Repeat([]float32{1}, spec.Planes.Size())).Input)
	if model.Finite("ranges", c.Ranges) == nil {
		t.Error("every range is finite")
	}
}

// Evaluate returns an error even if only a single logit is not finite, no matter which one. The
// value needs no such test: tanh turns infinity into 1, and the kernels never return NaN for a
// value.
func TestOneLogitIsEnough(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range checkpoint().Tensors["policy.bias"] {
			c := checkpoint()
			c.Tensors["policy.bias"][i] = float32(v)
			b := batch(spec, make([]float32, spec.Planes.Size()))
			if err := model.NewNet(c).Evaluate(t.Context(), b); err == nil {
				t.Errorf("a bias of %v for logits of plane %d is not noticed", v, i)
			}
		}
	}
}
