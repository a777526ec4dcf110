package kernel

import "unsafe"

// rowArgs is what a row kernel reads. Distances are in bytes. The generator
// finds the fields by their names.
type rowArgs struct {
	dst, res, bias, src, weight unsafe.Pointer // res may be nil

	// Only of a quantised layer, where dst may be nil too.
	quant, scale unsafe.Pointer // 8-bit results, nil for none; what a sum's unit is worth, by channel
	inverse      unsafe.Pointer // 8-bit units in 1, by channel
	quantCell    int            // from a cell of quant to the next
	quantBoard   int            // pairs only
	quantRow     int            // to the next row of quant; conv and pair only

	cell     int // from a cell of dst and res to the next
	board    int // from a board of dst and res to the next; pairs only
	srcCell  int // from a cell of src to the next
	srcBoard int // from a board of src to the next; pairs only
	srcNext  int // from behind the channels of a row's first cell to the next row's
	rows     int // rows of src to visit, from src on

	// Only of conv and pair kernels, which compute all rows of a board.
	steps  unsafe.Pointer // a rowStep for every row
	count  int            // of rows
	dstRow int            // to the next row of dst and res

	in        int // channels of src, or fours of them
	mask      uintptr
	floor     float32 // results below become this
	_         float32
	left      unsafe.Pointer // the neighbours of a part of a row
	right     unsafe.Pointer // or, off the board, a zero
	leftStep  int            // from a channel to the next: 0 off the board
	rightStep int
	leftNext  int // the srcNext of the neighbours: 0 off the board
	rightNext int
}

// A rowStep is where a row of a board begins to read.
type rowStep struct {
	src    int // bytes from the board's first cell
	weight int // bytes from the block's first weight
	rows   int // rows of src to visit
}

// gradArgs is what a gradient kernel reads. Distances are in bytes.
type gradArgs struct {
	dw, src, dout       unsafe.Pointer
	dwChannel           int // from an input channel of dw to the next
	srcCell             int // to step after each cell, row and board of src
	srcRow, srcBoard    int
	doutCell            int // the same of dout
	doutRow, doutBoard  int
	cells, rows, boards int
	mask                uintptr
}

// roundArgs is what a rounding kernel reads.
type roundArgs struct {
	dst, src unsafe.Pointer
	vectors  int // at least one
	inverse  float32
	_        float32
}

// reluArgs is what a kernel of the ReLU's gradient reads.
type reluArgs struct {
	dst, dy, y unsafe.Pointer
	vectors    int // at least one
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
