package kernel

import (
	"math"
	"unsafe"
)

// Run computes n boards: dst = conv(src) + bias + residual, with negative
// results replaced by 0 if relu. residual may be nil, and may be dst itself.
// The result for a board does not depend on n. Weights must be finite.
func (c *Conv) Run(dst, src, residual []float32, n int, relu bool) {
	cells := n * c.H * c.W
	dst, src = dst[:cells*c.Out], src[:cells*c.In]
	if residual != nil {
		residual = residual[:cells*c.Out]
	}
	if cells == 0 {
		return
	}
	floor := float32(math.Inf(-1))
	if relu {
		floor = 0
	}
	if c.level == portable {
		c.runPortable(dst, src, residual, n, floor)
		return
	}
	var a rowArgs
	a.dst, a.bias, a.src, a.weight, a.floor = at(dst, 0), at(c.bias, 0), at(src, 0), at(c.weight, 0), floor
	if residual != nil {
		a.res = at(residual, 0)
	}
	if c.level.layers() {
		c.runFloats(&a, n)
		return
	}
	c.run(&a, n)
}

// at is the address of element i. The caller has checked the bounds.
func at(s []float32, i int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), 4*i)
}
