package graph

import (
	"math"
	"slices"
	"testing"
)

// weights returns the parameters of the network by name (Param.Name).
func weights(t *Trainer) map[string][]float32 {
	all := map[string][]float32{}
	for _, l := range t.layers {
		all[l.Name+".weight"], all[l.Name+".bias"] = l.Split(slices.Clone(l.Values))
	}
	return all
}

// The running average is a weighted mean of the network's weights after each step. The weights
// after step i of n count in proportion to Average^(n-i), and the initial weights do not count.
func TestAverage(t *testing.T) {
	n := networks["3x3 conv"]
	c := config(8)
	c.Average = 0.75
	x := trainer(t, n, c, 1)
	b := fill(x, 3)
	sums, shares := map[string][]float64{}, 0.0
	for step := range 6 {
		if _, err := x.Step(b, 0.05); err != nil {
			t.Fatal(err)
		}
		shares = 0.75*shares + 1
		average := x.Average()
		for name, layer := range weights(x) {
			if sums[name] == nil {
				sums[name] = make([]float64, len(layer))
			}
			for i, w := range layer {
				sums[name][i] = 0.75*sums[name][i] + float64(w)
				if want := sums[name][i] / shares; math.Abs(float64(average[name][i])-want) > 1e-5 {
					t.Fatalf("after %d steps the average of %s[%d] is %v, want %v", step+1, name, i, average[name][i], want)
				}
			}
		}
	}
}
