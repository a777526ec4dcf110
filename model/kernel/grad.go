package kernel

import "unsafe"

// A gradPlan holds the tables for computing the gradient of a convolution's weights. A fixed number
// of boards is processed at a time. For each tap (a cell of the K×K window), the plan lists the
// pairs of an input cell and an output cell that this tap connects, in the order of the output
// cells.
type gradPlan struct {
	boards int // number of boards processed at a time
	// The pairs for each tap, for all full panels of output channels.
	taps [][]cellPair
	ones []cellPair // each output cell paired with one constant input, for the bias
	// The same lists for a last panel that is not full. Its outputs are first copied to rows as
	// wide as a panel.
	last struct {
		taps [][]cellPair
		ones []cellPair
	}
}

// gradScratch is the maximum number of floats in the copy for a last panel that is not full.
const gradScratch = 4096

// newGradPlan returns the plan for the gradient of c's weights.
func newGradPlan(c *Conv) (p gradPlan) {
	// floats: the output for the boards processed at a time should have at most this many numbers,
	// so that the data stay in the nearest cache for all taps. least: a sum should have at least
	// this many products, so that the time for loading and storing it does not matter.
	const floats, least = 4800, 64
	board := c.H * c.W
	p.boards = max(floats/(board*c.Out), (least+board-1)/board)
	if c.Out%c.channels != 0 {
		p.boards = max(1, min(p.boards, gradScratch/(board*c.channels)))
	}
	p.taps, p.ones = c.pairs(p.boards, c.Out)
	p.last.taps, p.last.ones = c.pairs(p.boards, c.channels)
	return p
}

// pairs returns the pairs for the given number of boards: those of each tap, and those for the
// bias. width is the number of channels per row of the output.
func (c *Conv) pairs(boards, width int) (taps [][]cellPair, ones []cellPair) {
	taps = make([][]cellPair, c.K*c.K)
	for cell := range boards * c.H * c.W {
		dout := uint32(4 * width * cell)
		ones = append(ones, cellPair{0, dout})
		forEachTap(c.H, c.W, c.K, cell, func(tap, from int) {
			taps[tap] = append(taps[tap], cellPair{uint32(4 * c.In * from), dout})
		})
	}
	return taps, ones
}

// WeightGrad computes the gradients of c's weights and bias over n boards. It writes them to dw,
// [K][K][In][Out], and db, [Out]. src is the layer's input, and dout is the gradient of its output.
// WeightGrad does not need the weights themselves. Each sum adds its products board by board and,
// within a board, cell by cell.
func (c *Conv) WeightGrad(dw, db, src, dout []float32, n int) {
	board := c.H * c.W
	dw, db, src, dout = dw[:c.K*c.K*c.In*c.Out], db[:c.Out], src[:n*board*c.In], dout[:n*board*c.Out]
	clear(dw)
	clear(db)
	if !c.has(gradFunction) {
		c.gradPortable(dw, db, src, dout, n)
		return
	}
	for ; n > 0; n -= c.grad.boards {
		boards := min(c.grad.boards, n)
		whole := c.Out / c.channels * c.channels
		for from := 0; from < whole; from += c.channels {
			c.gradPanel(dw[from:], db[from:], src, dout[from:], boards)
		}
		if whole < c.Out {
			c.gradLast(dw, db, src, dout, boards, whole)
		}
		if boards < n {
			src, dout = src[boards*board*c.In:], dout[boards*board*c.Out:]
		}
	}
}

// gradPanel adds the gradients for one panel of output channels to dw and db. The slices dw, db and
// dout begin at the first channel of the panel.
func (c *Conv) gradPanel(dw, db, src, dout []float32, boards int) {
	a := gradArgs{src: at(src, 0), dout: at(dout, 0), dwStride: 4 * c.Out}
	for tap, pairs := range c.grad.taps {
		a.dw = at(dw, tap*c.In*c.Out)
		c.gradChannels(a, pairs, boards, c.In)
	}
	a.dw, a.src = at(db, 0), unsafe.Pointer(&one)
	c.gradChannels(a, c.grad.ones, boards, 1)
}

var one float32 = 1

// gradChannels adds the gradients for one tap and the given number of input channels. pairs has the
// pairs of this tap.
func (c *Conv) gradChannels(a gradArgs, pairs []cellPair, boards, channels int) {
	if len(pairs) == 0 {
		return
	}
	a.pairs, a.count = unsafe.Pointer(&pairs[0]), len(pairs)/c.grad.boards*boards
	if a.tiles = channels / c.whole.rows; a.tiles > 0 {
		tiles := a.tiles
		c.call(gradFunction, unsafe.Pointer(&a))
		a.dw, a.src = unsafe.Add(a.dw, tiles*c.whole.rows*a.dwStride), unsafe.Add(a.src, 4*tiles*c.whole.rows)
	}
	if a.tiles = channels % c.whole.rows; a.tiles > 0 {
		c.call(gradRowFunction, unsafe.Pointer(&a))
	}
}

// gradLast is like gradPanel, for a last panel that is not full. It works on copies whose rows are
// as wide as a full panel. from is the first channel of the panel.
func (c *Conv) gradLast(dw, db, src, dout []float32, boards, from int) {
	var room [gradScratch]float32
	cells, left := boards*c.H*c.W, c.Out-from
	wide := room[:]
	if cells*c.channels > len(wide) {
		wide = make([]float32, cells*c.channels)
	}
	for cell := range cells {
		copy(wide[cell*c.channels:], dout[cell*c.Out+from:][:left])
	}
	var sums [maxRows * maxChannels]float32
	a := gradArgs{dw: unsafe.Pointer(&sums), dout: at(wide, 0), dwStride: 4 * c.channels}
	add := func(dw []float32, pairs []cellPair, channels int) {
		for i := range channels {
			copy(sums[i*c.channels:][:left], dw[i*c.Out:])
		}
		c.gradChannels(a, pairs, boards, channels)
		for i := range channels {
			copy(dw[i*c.Out:][:left], sums[i*c.channels:])
		}
	}
	for tap, pairs := range c.grad.last.taps {
		for in := 0; in < c.In; in += c.whole.rows {
			a.src = at(src, in)
			add(dw[(tap*c.In+in)*c.Out+from:], pairs, min(c.whole.rows, c.In-in))
		}
	}
	a.src = unsafe.Pointer(&one)
	add(db[from:], c.grad.last.ones, 1)
}

func (c *Conv) gradPortable(dw, db, src, dout []float32, n int) {
	for cell := range n * c.H * c.W {
		g := dout[cell*c.Out:][:c.Out]
		for k, x := range g {
			db[k] += x
		}
		forEachTap(c.H, c.W, c.K, cell, func(tap, from int) {
			for i, v := range src[from*c.In:][:c.In] {
				if v != 0 {
					row := dw[(tap*c.In+i)*c.Out:][:c.Out]
					for k, x := range g {
						row[k] = multiplyAdd(v, x, row[k])
					}
				}
			}
		})
	}
}
