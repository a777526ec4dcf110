package mcts

import (
	"math"
	"testing"
)

// The mean value of a node does not drift because of rounding, however many values it sums.
func TestMeanDoesNotDrift(t *testing.T) {
	const visits = 2_400_000
	var constant, mixed node
	var sum float64
	for i := range visits {
		constant.add(0.93, 0.93)
		v := float32(i%1000)/1000 - 0.25
		mixed.add(v, v)
		sum += float64(v)
	}
	for _, c := range []struct {
		name string
		node
		want float64
	}{{"0.93 each time", constant, float64(float32(0.93))}, {"many values", mixed, sum / visits}} {
		if off := math.Abs(float64(c.mean) - c.want); off > 1e-6 {
			t.Errorf("%s: the mean of %d visits is %v, want %v", c.name, c.visits, c.mean, c.want)
		}
	}
}
