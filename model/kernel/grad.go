package kernel

import "unsafe"

// A gradPlan says how the gradient of a convolution's weights is computed.
type gradPlan struct {
	boards int         // taken at a time
	blocks []block     // of output channels
	taps   [][]gradTap // taps[n-1] are those that connect any cells, for n boards
	ones   []gradTap   // ones[n-1] connects each cell of n boards with a number that is 1
}

// newGradPlan plans the gradient of c's weights.
func newGradPlan(c *Conv) gradPlan {
	// What a call reads should stay in the nearest cache from tap to tap, and yet be
	// enough to be worth the loads and stores of the sums.
	const floats, least = 4800, 64
	board := c.H * c.W
	boards := max(floats/(board*c.Out), (least+board-1)/board)
	p := gradPlan{boards: boards, blocks: c.level.blocks(c.Out, gradKernel, 1, 4)}
	pairs, ones := make([][]cellPair, c.K*c.K), []cellPair{}
	for cell := range boards * board {
		dout := uint32(4 * c.Out * cell)
		ones = append(ones, cellPair{0, dout})
		tapRows(c.H, c.W, c.K, cell, func(tap, from, n int) {
			for i := range n {
				pairs[tap+i] = append(pairs[tap+i], cellPair{uint32(4 * c.In * (from + i)), dout})
			}
		})
	}
	lists := make([][]cellPair, len(pairs))
	for tap, all := range pairs {
		lists[tap] = c.level.listed(all)
	}
	ones = c.level.listed(ones)
	for n := 1; n <= boards; n++ {
		var taps []gradTap
		for tap, all := range pairs {
			if len(all) > 0 {
				taps = append(taps, gradTap{unsafe.Pointer(&lists[tap][0]), len(all) / boards * n, 4 * tap * c.In * c.Out})
			}
		}
		p.taps = append(p.taps, taps)
		p.ones = append(p.ones, gradTap{unsafe.Pointer(&ones[0]), n * board, 0})
	}
	return p
}

// listed returns pairs as the kernels read them: for NEON, each by its distance from the
// one before, and behind the last one without distance.
func (l level) listed(pairs []cellPair) []cellPair {
	if l != neon {
		return pairs
	}
	var steps []cellPair
	var before cellPair
	for _, p := range pairs {
		steps = append(steps, cellPair{p.src - before.src, p.dout - before.dout})
		before = p
	}
	return append(steps, cellPair{})
}

// WeightGrad writes to dw, [K][K][In][Out], and db, [Out], the gradients of the
// weights and bias of c over n boards, given the layer's input src and the gradient of
// its output dout. It does not use c's weights.
func (c *Conv) WeightGrad(dw, db, src, dout []float32, n int) {
	dw, db = dw[:c.K*c.K*c.In*c.Out], db[:c.Out]
	overwrite := n > 0 && c.level.trains() && len(c.grad.taps[0]) == c.K*c.K
	if !overwrite { // no kernel writes all taps
		clear(dw)
		clear(db)
	}
	c.addWeightGrad(dw, db, src, dout, n, overwrite)
}

// addWeightGrad adds to dw and db what WeightGrad writes, or overwrites them. Without db
// it leaves out the bias.
func (c *Conv) addWeightGrad(dw, db, src, dout []float32, n int, overwrite bool) {
	cells := n * c.H * c.W
	src, dout = src[:cells*c.In], dout[:cells*c.Out]
	if !c.level.trains() {
		if overwrite {
			clear(dw)
			clear(db)
		}
		c.gradPortable(dw, db, src, dout, n)
		return
	}
	for from := 0; from < n; from += c.grad.boards {
		boards := min(c.grad.boards, n-from)
		a := gradArgs{
			dw: at(dw, 0), dwChannel: 4 * c.Out,
			src: at(src, from*c.H*c.W*c.In), dout: at(dout, from*c.H*c.W*c.Out),
		}
		if overwrite && from == 0 {
			a.overwrite = 1
		}
		c.runGrad(a, c.grad.taps[boards-1], c.In)
		if db != nil { // the bias is the weight of a channel that is 1 everywhere
			a.dw, a.src = at(db, 0), unsafe.Pointer(&one)
			c.runGrad(a, c.grad.ones[boards-1:boards], 1)
		}
	}
}

var one float32 = 1

// runGrad computes the gradients of the weights of some taps, for some channels of the
// input.
func (c *Conv) runGrad(first gradArgs, taps []gradTap, channels int) {
	for _, b := range c.grad.blocks {
		a := first
		a.taps, a.mask = unsafe.Pointer(&taps[0]), b.mask
		if b.mask == c.level.mask(c.level.lanes()) {
			a.full = 1
		}
		a.dout = unsafe.Add(first.dout, 4*b.from)
		limit := c.level.largest(gradKernel, b.vectors)
		for in, step := 0, 0; in < channels; in += step {
			step = firstPart(channels-in, limit)
			if c.level == neon && step%2 == 1 && step < min(limit, channels-in) {
				step++ // pairs of channels are one load
			}
			a.dw, a.src = unsafe.Add(first.dw, 4*(in*c.Out+b.from)), unsafe.Add(first.src, 4*in)
			a.count = len(taps)
			c.level.key(gradKernel, step, b.vectors).grad(&a)
		}
	}
}

// ReLUGrad writes the gradient before a ReLU: dy where its output y is
// positive, else 0. dst may be dy.
func ReLUGrad(dst, dy, y []float32) {
	dst, y = dst[:len(dy)], y[:len(dy)]
	if vectors := len(dy) / active.lanes(); active.trains() && vectors > 0 {
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
