package kernel

import "unsafe"

// Conv is a convolution with a window of K×K cells (K = 1 or 3, zero padding, stride 1) on boards
// of H×W cells. Its weights are packed for the kernels. After packing, a Conv does not change, so
// goroutines may call Run concurrently. Each result is a sum that begins with the bias and the
// residual. The products are then added tap by tap (a tap is one cell of the window) and, within a
// tap, in the order of the input channels.
type Conv struct {
	matrix
	weight []float32 // packed weights
	bias   []float32 // padded to whole panels
	grad   gradPlan  // tables that WeightGrad needs
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

// Transposed returns a convolution with all weights zero. Once its PackTransposed has been called
// with c's weights, it computes the gradient of c's input from the gradient of c's output.
func (c *Conv) Transposed() *Conv { return NewConv(c.H, c.W, c.Out, c.In, c.K) }

// PackTransposed sets c's weights so that c computes the gradient of another convolution's input
// from the gradient of its output. weight has the weights of the other convolution, in the same
// layout as for Pack. c.Out must be the In of the other convolution, and c.In must be its Out. c
// has no bias.
func (c *Conv) PackTransposed(weight []float32) {
	clear(c.bias)
	c.forEachRun(func(i, tap, in, from, to int) {
		column := (c.K*c.K-1-tap)*c.Out*c.In + in
		for out := from; out < to; out++ {
			c.weight[i+out-from] = weight[column+out*c.In]
		}
	})
}

// Run computes dst = conv(src) + bias + residual for n boards. If relu is set, it replaces negative
// results by 0. residual may be nil or the same slice as dst. The result for a board does not
// depend on n. All weights must be finite.
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
			if !(o[k] > floor) { // -0 and NaN also become floor, as in the kernels
				o[k] = floor
			}
		}
	}
}
