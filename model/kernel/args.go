package kernel

import "unsafe"

// rowArgs is what a row kernel reads: dst = max(floor, bias + res + src ∗ weight)
// for some cells and one block of output channels. All distances are in bytes.
// The generator finds the fields by their names.
type rowArgs struct {
	dst, res, bias, src, weight unsafe.Pointer // res is nil where there is no residual

	// Only of 8-bit kernels; dst may be nil there.
	quant      unsafe.Pointer // the 8-bit results, or nil
	scale      unsafe.Pointer // the real value of 1 in a sum, by output channel
	inverse    unsafe.Pointer // 1 over the unit of the 8-bit results, by output channel
	quantCell  int            // from a cell of quant to the next
	quantBoard int            // from a board of quant to the next; pair only
	quantRow   int            // from a row of quant to the next; conv and pair only

	cell     int // from a cell of dst and res to the next
	board    int // from a board of dst and res to the next; pair only
	srcCell  int // from a cell of src to the next
	srcBoard int // from a board of src to the next; pair only
	srcNext  int // from the end of a row's first cell to the next row's first cell
	rows     int // number of rows of src that have taps on the board

	// Only of conv and pair kernels, which compute all rows of a board.
	steps  unsafe.Pointer // a rowStep for every row
	count  int            // of rows
	dstRow int            // from a row of dst and res to the next

	in    int     // words a cell of src: its channels, or a quarter of them in 8 bits
	mask  uintptr // of the block's last vector; see level.mask
	floor float32 // smaller results become this: 0 for a ReLU, else -Inf
	_     float32

	// Only of part kernels: the cells to the left and right of the part. Off the
	// board they point to a zero and stay there, all distances being 0.
	left, right         unsafe.Pointer
	leftStep, rightStep int // from a word to the next
	leftNext, rightNext int // as srcNext
}

// A rowStep says where the kernel of a row of the board begins to read.
type rowStep struct {
	src    int // bytes from the board's first cell
	weight int // bytes from the block's first weight
	rows   int // number of rows of src that have taps on the board
}

// gradArgs is what a kernel of the weights' gradient reads. For each tap it adds to dw,
// or writes to it, the products src·dout of the pairs of cells that the tap connects.
type gradArgs struct {
	dw, src, dout unsafe.Pointer // at the tile's first channels; src and dout at the first cell of the boards
	dwChannel     int            // bytes from an input channel of dw to the next
	taps          unsafe.Pointer // a gradTap for each
	count         int            // of taps, at least one; the kernel counts it down
	mask          uintptr        // of the block's last vector; see level.mask
	full          int            // 1: all lanes of that vector are in use
	overwrite     int            // 1: the sums begin at zero, 0: at what dw holds
}

// A gradTap is a tap for the kernels of the weights' gradient.
type gradTap struct {
	pairs unsafe.Pointer // a cellPair for each product of a sum
	count int            // of the pairs, at least one
	dw    int            // bytes from the first tap's weights to this one's
}

// A cellPair is an input cell and the output cell that a tap connects it with, in
// bytes from the first cell of the boards. NEON has another list of them; see listed.
type cellPair struct{ src, dout uint32 }

// roundArgs is what a rounding kernel reads.
type roundArgs struct {
	dst, src, inverse unsafe.Pointer
	vectors           int // at least one
}

// reluArgs is what a kernel of the ReLU's gradient reads.
type reluArgs struct {
	dst, dy, y unsafe.Pointer
	vectors    int // at least one
}

// addArgs is what a kernel that adds an array to another reads.
type addArgs struct {
	dst, src unsafe.Pointer
	vectors  int // at least one
}

// squaresArgs is what a kernel that sums squares reads. It adds to the sums.
type squaresArgs struct {
	src     unsafe.Pointer
	sums    *[8]float64
	vectors int // of eight floats; at least one
}

// adamArgs is what a kernel of Adam reads; see Adam.
type adamArgs struct {
	w, g, m, v unsafe.Pointer
	vectors    int // at least one

	scale, beta1, rest1, beta2, rest2  float32 // rest1 is 1 − beta1
	correct1, correct2, epsilon, decay float32
	rate                               float32
}

// transformArgs is what a kernel of a transform reads. All distances are in bytes.
type transformArgs struct {
	dst, src, factors unsafe.Pointer
	dstStep, srcStep  int // from a number of a transform to the next
	dstRow, srcRow    int // from the end of a row of transforms to the next row
	vectors           int // of transforms in a row, at least one
	rows              int // at least one; the kernel counts them down
}

// gatherArgs is what a kernel that sums chosen rows, or adds to them, reads. Distances are in bytes.
type gatherArgs struct {
	dst             unsafe.Pointer // the vector that is added to, or that is added
	rows            unsafe.Pointer // the matrix
	index           unsafe.Pointer // numbers of rows, 16 bits each
	coefficients    unsafe.Pointer // floats
	stride          int            // from a row to the next
	coefficientStep int            // from a coefficient to the next: 0 if all are the same
	count           int            // of the numbers, at least one
}

// columnArgs is what a kernel that sums 16-bit columns reads.
type columnArgs struct {
	dst, bias, rows, index unsafe.Pointer
	stride                 int // bytes from a row to the next
	count                  int // of the numbers in index
	shift                  int // of the sums, to the right
	top                    int16
	_                      [3]int16
}

// logitArgs is what a kernel that multiplies chosen rows with a vector reads.
type logitArgs struct {
	dst, rows, index, src unsafe.Pointer
	stride                int // bytes from a row to the next
	in                    int // bytes of a row's weights, a multiple of 32
	groups                int // fours of numbers in index, at least one
}
