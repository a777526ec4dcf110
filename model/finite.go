package model

import "fmt"

// checkFinite returns an error if an output of the network is infinite or NaN, as
// happens when its weights are so large that sums overflow. A search cannot go on
// with such numbers. name is the model's; logits is how many logits the batch has.
func (b *Batch) checkFinite(name string, logits int) error {
	if finite(b.Logits[:logits]) && finite(b.Values[:b.N]) {
		return nil
	}
	return fmt.Errorf("model %s answers with numbers that are not finite: its weights are damaged or too large", name)
}

// finite reports whether all numbers are finite: x-x is 0 if x is, and NaN
// otherwise. Four sums side by side take a quarter of the time of one.
func finite(x []float32) bool {
	var a, b, c, d float32
	for ; len(x) >= 4; x = x[4:] {
		a += x[0] - x[0]
		b += x[1] - x[1]
		c += x[2] - x[2]
		d += x[3] - x[3]
	}
	for _, v := range x {
		a += v - v
	}
	return a+b+c+d == 0
}
