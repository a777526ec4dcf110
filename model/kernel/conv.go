package kernel

import "unsafe"

// Conv is a convolution of size K×K (1 or 3, zero padding, stride 1) on boards of H×W cells, with
// its weights packed for the kernels. A Conv does not change after packing, so Run may be called
// concurrently. A sum begins with the bias and the residual. It adds its products in the order of
// the taps, and for each tap in the order of the channels.
type Conv struct {
	matrix
	weight []float32 // packed weights
	bias   []float32 // padded to whole panels
	grad   gradPlan  // plan of WeightGrad
}

// NewConv returns a convolution with all weights zero.
func NewConv(h, w, in, out, k int) *Conv { return newConv(active, h, w, in, out, k) }

func newConv(l *level, h, w, in, out, k int) *Conv {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 || in > len(zeros) {
		panic("kernel: no convolution has these sizes")
	}
	l = l.fitting(out)
	c := &Conv{matrix: newMatrix(l, matrixFunction, h, w, in, in, out, k)}
	c.grad = newGradPlan(c)
	c.weight, c.bias = aligned(c.panels*c.panelWords()), aligned(c.panels*c.channels)
	return c
}

// Pack sets the weights, [K][K][In][Out], and the bias, [Out]. A nil bias means zero.
func (c *Conv) Pack(weight, bias []float32) {
	clear(c.bias)
	copy(c.bias, bias)
	c.forEachRun(func(i, tap, in, from, to int) {
		row := (tap*c.In + in) * c.Out
		copy(c.weight[i:], weight[row+from:row+to])
	})
}

// Transposed returns a convolution with all weights zero. After PackTransposed it turns the
// gradient of c's output into the gradient of c's input.
func (c *Conv) Transposed() *Conv { return NewConv(c.H, c.W, c.Out, c.In, c.K) }

// PackTransposed makes c turn the gradient of another convolution's output into the gradient of
// that convolution's input. weight holds the other convolution's weights in the layout that Pack
// takes. c.Out is the other's In, and c.In the other's Out. c has no bias.
func (c *Conv) PackTransposed(weight []float32) {
	clear(c.bias)
	c.forEachRun(func(i, tap, in, from, to int) {
		column := (c.K*c.K-1-tap)*c.Out*c.In + in
		for out := from; out < to; out++ {
			c.weight[i+out-from] = weight[column+out*c.In]
		}
	})
}

// Run computes n boards: dst = conv(src) + bias + residual. If relu is set, it replaces negative
// results by 0. residual may be nil, and may be dst itself. The result for a board does not depend
// on n. Weights must be finite.
func (c *Conv) Run(dst, src, residual []float32, n int, relu bool) {
	cells := n * c.H * c.W
	dst, src = dst[:cells*c.Out], src[:cells*c.In]
	if residual != nil {
		residual = residual[:cells*c.Out]
	}
	switch {
	case cells == 0:
	case c.has(matrixFunction):
		var a matrixArgs
		a.dst, a.res, a.src = at(dst, 0), unsafe.Pointer(unsafe.SliceData(residual)), at(src, 0)
		a.weight, a.bias, a.floor = at(c.weight, 0), at(c.bias, 0), unsafe.Pointer(floor(relu))
		c.run(&a, n)
	default:
		c.runPortable(dst, src, residual, n, *floor(relu))
	}
}

func (c *Conv) runPortable(dst, src, residual []float32, n int, floor float32) {
	for cell := range n * c.H * c.W {
		o := dst[cell*c.Out:][:c.Out]
		if residual == nil {
			copy(o, c.bias)
		} else {
			for k, r := range residual[cell*c.Out:][:c.Out] {
				o[k] = c.bias[k] + r
			}
		}
		forEachTap(c.H, c.W, c.K, cell, func(tap, from int) {
			for in, v := range src[from*c.In:][:c.In] {
				if v != 0 {
					for k, w := range c.weight[(tap*c.In+in)*c.Out:][:c.Out] {
						o[k] = multiplyAdd(v, w, o[k])
					}
				}
			}
		})
		for k := range o {
			if !(o[k] > floor) { // like the kernels' maximum: floor for -0 and NaN
				o[k] = floor
			}
		}
	}
}
