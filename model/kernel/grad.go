package kernel

import "unsafe"

// WeightGrad adds to dw, [K][K][In][Out], and db, [Out], the gradients of
// the weights and bias of c over n boards, given the layer's input src and
// the gradient of its output dout. It does not use c's weights.
func (c *Conv) WeightGrad(dw, db, src, dout []float32, n int) {
	cells := n * c.H * c.W
	dw, db = dw[:c.K*c.K*c.In*c.Out], db[:c.Out]
	src, dout = src[:cells*c.In], dout[:cells*c.Out]
	switch {
	case cells == 0:
		return
	case c.level == portable:
		c.gradPortable(dw, db, src, dout, n)
		return
	}
	// The bias is the weight of a channel that is 1 everywhere.
	bias := gradArgs{doutCell: 4 * c.Out, cells: cells, rows: 1, boards: 1}
	c.gradTap(bias, db, unsafe.Pointer(&one), at(dout, 0), 1)
	// As many boards at a time as keep their gradients in the nearest cache, but
	// no fewer than make 64 cells: each sum is loaded and stored once for them.
	const cache, least = 24 << 10, 64
	board := c.H * c.W
	step := max(cache/(4*c.Out*board), (least+board-1)/board)
	for from := 0; from < n; from += step {
		boards := min(step, n-from)
		c.gradBoards(dw, src[from*c.H*c.W*c.In:], dout[from*c.H*c.W*c.Out:], boards)
	}
}

var one float32 = 1

// gradBoards adds the gradients of the weights of all taps over n boards.
func (c *Conv) gradBoards(dw, src, dout []float32, n int) {
	h, w := c.H, c.W
	if c.K == 1 { // cells have no neighbours: one long row
		h, w, n = 1, n*h*w, 1
	}
	r := c.K / 2
	for ky := range c.K {
		for kx := range c.K {
			y0, y1 := max(0, r-ky), min(h, h+r-ky)
			x0, x1 := max(0, r-kx), min(w, w+r-kx)
			if y0 >= y1 || x0 >= x1 {
				continue
			}
			rows, cells := y1-y0, x1-x0
			a := gradArgs{
				dwChannel: 4 * c.Out,
				srcCell:   4 * c.In, srcRow: 4 * c.In * (w - cells), srcBoard: 4 * c.In * w * (h - rows),
				doutCell: 4 * c.Out, doutRow: 4 * c.Out * (w - cells), doutBoard: 4 * c.Out * w * (h - rows),
				cells: cells, rows: rows, boards: n,
			}
			c.gradTap(a, dw[(ky*c.K+kx)*c.In*c.Out:],
				at(src, ((y0+ky-r)*w+x0+kx-r)*c.In), at(dout, (y0*w+x0)*c.Out), c.In)
		}
	}
}

// gradTap adds the gradients of the weights of one tap; channels is the number of
// input channels. dw is the tap's first weight, and src and dout are the first input
// cell and the first output cell that it connects.
func (c *Conv) gradTap(a gradArgs, dw []float32, src, dout unsafe.Pointer, channels int) {
	for _, b := range c.grads {
		a.mask, a.dout = b.mask, unsafe.Add(dout, 4*b.from)
		limit := c.level.largest(gradKernel, b.vectors)
		for in, step := 0, 0; in < channels; in += step {
			step = firstPart(channels-in, limit)
			a.dw, a.src = at(dw, in*c.Out+b.from), unsafe.Add(src, 4*in)
			c.level.key(gradKernel, step, b.vectors).grad(&a)
		}
	}
}

// ReLUGrad writes the gradient before a ReLU: dy where its output y is
// positive, else 0. dst may be dy.
func ReLUGrad(dst, dy, y []float32) {
	dst, y = dst[:len(dy)], y[:len(dy)]
	if vectors := len(dy) / active.lanes(); active != portable && vectors > 0 {
		active.relu(&reluArgs{dst: at(dst, 0), dy: at(dy, 0), y: at(y, 0), vectors: vectors})
		done := vectors * active.lanes()
		dst, dy, y = dst[done:], dy[done:], y[done:]
	}
	for i, g := range dy {
		if y[i] > 0 {
			dst[i] = g
		} else {
			dst[i] = 0
		}
	}
}
