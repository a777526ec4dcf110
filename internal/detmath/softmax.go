package detmath

import "math"

// Softmax divides logits by temperature and writes the softmax of the quotients to dst. Both slices
// must have the same length.
func Softmax(dst, logits []float32, temperature float32) {
	copy(dst, logits)
	Shift(dst)
	if temperature != 1 {
		for i := range dst {
			dst[i] /= temperature
		}
	}
	Exp32s(dst)
	var sum float32
	for _, p := range dst {
		sum += p
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// Shift subtracts the maximum of x from each element. This does not change the softmax of x.
func Shift(x []float32) {
	most := int32(math.MinInt32)
	for _, v := range x {
		most = max(most, Ordered(v))
	}
	// top is the maximum of x: the float that Ordered maps to most.
	top := math.Float32frombits(uint32(most ^ most>>31&math.MaxInt32))
	for i := range x {
		x[i] -= top
	}
}

// Ordered maps a float to an integer such that larger floats have larger integers. The result for
// NaN is unspecified. Shift compares these integers because the maximum of two integers is one
// instruction. Comparing floats needs a branch, and Go's built-in max for floats is ten times
// slower.
func Ordered(x float32) int32 {
	bits := int32(math.Float32bits(x))
	return bits ^ bits>>31&math.MaxInt32
}
