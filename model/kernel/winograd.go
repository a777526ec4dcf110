package kernel

// A winograd is a 3×3 convolution on boards of 5×5 cells for training, forward and backward,
// with 49 products for each pair of an input and an output channel; directly there are 169,
// the taps of all cells that do not fall off the board. Input and weights are transformed to
// points×points (see [transform]), where the convolution is a product of matrices at each
// point, boards by channels; and the result is transformed back. The gradients take the
// transposed way. Results differ from Conv's by rounding: by some millionths of their size.
//
// A result has the same bits on every processor. That of a board does not depend on the
// other boards.
type winograd struct {
	forward, backward *Conv     // the products at one point, without their weights
	packed            []float32 // the weights at the points, packed for the products forward
	transposed        []float32 // the same backward
	taps, scratch     []float32 // memory of Pack
}

const (
	boardSide  = 5
	kernelSide = 3
	gridPoints = points * points
)

// fitsWinograd reports whether there is such a convolution. Channels fill vectors.
func fitsWinograd(h, w, in, out, k int) bool {
	return h == boardSide && w == boardSide && k == kernelSide && in%widest == 0 && out%widest == 0
}

func newWinograd(in, out int) *winograd {
	const spare = 4 // a vector that begins at the last float
	w := &winograd{forward: NewConv(1, 1, in, out, 1), backward: NewConv(1, 1, out, in, 1)}
	w.taps, w.scratch = aligned(kernelSide*kernelSide*in*out), aligned(weightTransform.scratch(weightsAtOnce))
	w.packed, w.transposed = aligned(gridPoints*pitch(in*out)+spare), aligned(gridPoints*pitch(in*out)+spare)
	return w
}

// Pack sets weights, [3][3][In][Out], and bias, [Out].
func (w *winograd) Pack(weight, bias []float32) {
	size := w.forward.In * w.forward.Out
	expand := func(weights []float32) {
		weightTransform.expand(weightsAtPoints(weights, size), weightGrid(w.taps, size), size/weightsAtOnce, w.scratch, weightsAtOnce)
	}
	for tap := range kernelSide * kernelSide {
		w.forward.Pack(weight[tap*size:][:size], bias)
		copy(w.taps[tap*size:], w.forward.weight)
	}
	expand(w.packed)
	for tap := range kernelSide * kernelSide {
		w.backward.PackTransposed(weight[tap*size:][:size])
		copy(w.taps[tap*size:], w.backward.weight)
	}
	expand(w.transposed)
}

// boardsAtOnce is how many boards are computed together. What is read and written at a
// point should then be in the nearest cache, and all points in the next one.
const boardsAtOnce = 32

// A Workspace is the memory that convolutions need while they compute. It grows as it is
// used. What lies at the points is [points][points][boards][channels], or
// [points][points][In][Out].
type Workspace struct {
	weights         []float32 // at the points: their gradient
	inputs, outputs []float32 // at the points: some boards of the layer's input, and of its output
	board           []float32 // a result before the residual is added
	scratch         []float32 // of the transforms

	holder Backward // whose gradients of the output are in outputs, and
	held   int      // the number of the first of these boards
}

// fit makes the workspace large enough for w.
func (s *Workspace) fit(w *winograd) {
	in, out := w.forward.In, w.forward.Out
	s.weights = atLeast(gridPoints*pitch(in*out), s.weights)
	s.inputs = atLeast(gridPoints*pitch(boardsAtOnce*in), s.inputs)
	s.outputs = atLeast(gridPoints*pitch(boardsAtOnce*out), s.outputs)
	s.board = atLeast(boardSide*boardSide*max(in, out), s.board)
	s.scratch = atLeast(max(inputTransform.scratch(max(in, out)), weightTransform.scratch(weightsAtOnce)), s.scratch)
	s.holder = nil
}

// atLeast returns s, or a new slice if it has less than n floats.
func atLeast(n int, s []float32) []float32 {
	if len(s) < n {
		return aligned(n)
	}
	return s
}

// Run computes n boards: dst = conv(src) + bias + residual, with negative results
// replaced by 0 if relu. residual may be nil, and may be dst itself. Weights must be
// finite.
func (w *winograd) Run(s *Workspace, dst, src, residual []float32, n int, relu bool) {
	s.fit(w)
	forEachGroup(n, func(from, boards int) {
		s.expandBoards(inputTransform, s.inputs, src, from, boards, w.forward.In)
		// All factors of the first point are 1, so that the bias added there is added to each
		// cell of the result.
		w.forward.multiply(w.packed, w.forward.bias, s.outputs, s.inputs, boards)
		s.contractBoards(outputTransform, dst, s.outputs, residual, relu, from, boards, w.forward.Out)
	})
}

// A winogradBackward is the backward pass of a winograd.
type winogradBackward struct {
	*winograd
	dout   []float32
	boards int
}

func (w *winograd) Backward(dout []float32, n int) Backward {
	return &winogradBackward{w, dout, n}
}

// hold takes the output's gradients of a group of boards to the points, unless they are there.
func (b *winogradBackward) hold(s *Workspace, from, boards int) {
	if s.holder != b || s.held != from {
		s.expandBoards(outputTransform, s.outputs, b.dout, from, boards, b.forward.Out)
		s.holder, s.held = b, from
	}
}

// begin makes the workspace fit, and leaves in it what b holds there.
func (b *winogradBackward) begin(s *Workspace) {
	if s.holder != b {
		s.fit(b.winograd)
	}
}

func (b *winogradBackward) Input(s *Workspace, dsrc, residual []float32) {
	b.begin(s)
	forEachGroup(b.boards, func(from, boards int) {
		b.hold(s, from, boards)
		b.backward.multiply(b.transposed, b.backward.bias, s.inputs, s.outputs, boards)
		s.contractBoards(inputTransform, dsrc, s.inputs, residual, false, from, boards, b.forward.In)
	})
}

func (b *winogradBackward) Weights(s *Workspace, dw, db, src []float32) {
	b.begin(s)
	c := b.forward
	size := c.In * c.Out
	if b.boards == 0 {
		clear(dw[:kernelSide*kernelSide*size])
		clear(db[:c.Out])
		return
	}
	forEachGroup(b.boards, func(from, boards int) {
		s.expandBoards(inputTransform, s.inputs, src, from, boards, c.In)
		b.hold(s, from, boards)
		for p := range gridPoints {
			var bias []float32
			if p == 0 { // all factors of the first point are 1, so that the sum of a board's cells is there
				bias = db[:c.Out]
			}
			c.addWeightGrad(s.weights[p*pitch(size):][:size], bias, s.inputs[p*pitch(boards*c.In):], s.outputs[p*pitch(boards*c.Out):], boards, from == 0)
		}
	})
	weightTransform.contract(weightGrid(dw, size), weightsAtPoints(s.weights, size), size/weightsAtOnce, s.scratch, weightsAtOnce)
}

// forEachGroup splits n boards into groups of boardsAtOnce.
func forEachGroup(n int, f func(from, boards int)) {
	for from := 0; from < n; from += boardsAtOnce {
		f(from, min(boardsAtOnce, n-from))
	}
}

// weightsAtOnce is how many weights of each tap are transformed together: the scratch
// memory should stay in the nearest cache. The number of weights is a multiple of it.
const weightsAtOnce = 256

// pitch is the distance in memory from one point's floats to the next point's, if each has
// size of them. With distances that are powers of two all points would compete for a few
// sets of the caches.
func pitch(size int) int { return size + widest }

// boardsAtPoints is the grid of boards at the points.
func boardsAtPoints(data []float32, boards, channels int) grid {
	size := pitch(boards * channels)
	return grid{data, points * size, size, channels}
}

// weightsAtPoints is the grid of weights at the points, of which there are size at each.
func weightsAtPoints(data []float32, size int) grid {
	return grid{data, points * pitch(size), pitch(size), weightsAtOnce}
}

// weightGrid is the grid of the weights, of which there are size for each tap.
func weightGrid(taps []float32, size int) grid {
	return grid{taps, kernelSide * size, size, weightsAtOnce}
}

// boardGrid is the grid of some boards.
func boardGrid(boards []float32, channels int) grid {
	return grid{boards, boardSide * channels, channels, boardSide * boardSide * channels}
}

// expandBoards takes some boards, which begin at number from of src, to the points.
func (s *Workspace) expandBoards(t *transform, dst, src []float32, from, boards, channels int) {
	t.expand(boardsAtPoints(dst, boards, channels), boardGrid(src[from*boardSide*boardSide*channels:], channels), boards, s.scratch, channels)
}

// contractBoards takes some boards back from the points, and adds the residual.
func (s *Workspace) contractBoards(t *transform, dst, src, residual []float32, relu bool, from, boards, channels int) {
	size := boardSide * boardSide * channels
	for b := range boards {
		board := dst[(from+b)*size:][:size]
		result := board
		if residual != nil {
			copy(board, residual[(from+b)*size:])
			result = s.board[:size]
		}
		t.contract(boardGrid(result, channels), boardsAtPoints(src[b*channels:], boards, channels), 1, s.scratch, channels)
		if residual != nil {
			Add(board, result)
		}
		if relu {
			ReLUGrad(board, board, board) // of values as their own gradient: it clears what is not positive
		}
	}
}

// multiply multiplies, at each point, some boards with the weights there, [In][Out], and
// adds the bias at the first point.
func (c *Conv) multiply(weights, bias, dst, src []float32, boards int) {
	at := *c
	none := make([]float32, len(c.bias))
	for p := range gridPoints {
		at.weight, at.bias = weights[p*pitch(c.In*c.Out):], none
		if p == 0 {
			at.bias = bias
		}
		at.Run(dst[p*pitch(boards*c.Out):], src[p*pitch(boards*c.In):], nil, boards, false)
	}
}
