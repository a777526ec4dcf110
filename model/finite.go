package model

import (
	"fmt"
	"math"
	"unsafe"
)

// checkFinite returns an error if an output of the network is infinite or NaN, as
// happens when its weights are so large that sums overflow. A search cannot go on
// with such numbers. name is the model's.
func (b *Batch) checkFinite(name string) error {
	if finite(b.Logits) && finite(b.Values) {
		return nil
	}
	return fmt.Errorf("model %s answers with numbers that are not finite: its weights are damaged or too large", name)
}

// finite reports whether all numbers are finite. In an infinity or NaN all bits of the exponent
// are set, so that adding 1 to the exponent carries into the sign bit. Two numbers are tested at
// a time, as one integer.
func finite(x []float32) bool {
	const exponent, one, sign = 0x7f800000_7f800000, 0x00800000_00800000, 0x80000000_80000000
	var carry uint64
	if len(x) > 1 { // the bits of a single number are not a whole word
		pairs := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)/2)
		for ; len(pairs) >= 4; pairs = pairs[4:] {
			carry |= (pairs[0]&exponent + one) | (pairs[1]&exponent + one) | (pairs[2]&exponent + one) | (pairs[3]&exponent + one)
		}
		for _, p := range pairs {
			carry |= p&exponent + one
		}
	}
	if len(x)%2 == 1 {
		carry |= uint64(math.Float32bits(x[len(x)-1]))&exponent + one
	}
	return carry&sign == 0
}
