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

// gradArgs is what a kernel of the weights' gradient reads: it adds src·dout,
// summed over cells, rows and boards, to dw. All distances are in bytes.
type gradArgs struct {
	dw, src, dout       unsafe.Pointer
	dwChannel           int // from an input channel of dw to the next
	srcCell             int // added to src after each cell; srcRow and srcBoard also after each row and board
	srcRow, srcBoard    int
	doutCell            int // the same for dout
	doutRow, doutBoard  int
	cells, rows, boards int
	mask                uintptr
}

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
