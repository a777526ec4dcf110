package kernel

import "unsafe"

// rowArgs is what a row kernel reads; the generator knows the offsets.
type rowArgs struct {
	dst, res, bias, src, weight unsafe.Pointer // res may be nil
	cell                        int            // bytes from a cell of dst and res to the next
	srcCell, srcRow             int            // bytes from a cell, a row of src to the next
	rows                        int            // rows of src to visit, from src on
	in                          int            // channels of src
	taps                        int            // bytes of weights from one row of taps to the next
	mask                        uintptr        // of the last vector; see lastMask
	floor                       float32        // results below become this
}

// gradArgs is what a gradient kernel reads; the generator knows the offsets.
type gradArgs struct {
	dw, src, dout       unsafe.Pointer
	dwChannel           int // bytes from an input channel of dw to the next
	srcCell             int // bytes to step after each cell, row and board of src
	srcRow, srcBoard    int
	doutCell            int // the same of dout
	doutRow, doutBoard  int
	cells, rows, boards int
	mask                uintptr // of the last vector; see lastMask
}
