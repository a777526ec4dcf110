package kernel

import "unsafe"

// The arguments of the kernels. The generator finds the fields by their names; each takes
// eight bytes. Distances are in bytes. Fields behind "_" are the kernel's own: it sets them
// before it reads them, unless a comment says otherwise.

// matrixArgs is what a matrix kernel reads. It computes panels × tiles of results; see
// matrix.
type matrixArgs struct {
	dst, res, quant         unsafe.Pointer // results, addends, results in 8 bits; each may be nil
	src, weight, bias       unsafe.Pointer
	scale, inverse          unsafe.Pointer // only in 8 bits: see Conv8
	list                    unsafe.Pointer // of the tiles
	zeros                   unsafe.Pointer // as many as a row of src has
	floor                   unsafe.Pointer // to a float: smaller results become this
	panels, tiles, rows     int            // rows of a tile that are results
	words                   int            // of a row of src: floats, or four bytes
	panelBytes              int            // of the weights
	stride, cellStride      int            // of dst and res: from a row of a tile to the next, and from a cell
	quantStride, quantCells int            // of quant

	channel               int // the first of a panel; 0 at first
	panel                 int // counts down from panels
	dstAt, resAt, quantAt int // 0 at first
	tile, tap, cell       int
	listAt, weightAt      int
}

// gradArgs is what a kernel of the weights' gradient reads. It adds to tiles of dw, one
// input channel after another, the products src·dout of pairs of cells.
type gradArgs struct {
	dw, src, dout   unsafe.Pointer
	pairs           unsafe.Pointer // a cellPair for each product of a sum
	count           int            // of the pairs, at least one
	tiles, dwStride int            // dwStride: from an input channel of dw to the next

	dwAt int
}

// A cellPair is an input cell and the output cell that a tap connects it with, in
// bytes from the first cell of the boards.
type cellPair struct{ src, dout uint32 }

// rowsArgs is what the kernels of chosen rows read.
type rowsArgs struct {
	dst             unsafe.Pointer // results; of scatter the vector that is added
	rows, index     unsafe.Pointer // the matrix, and numbers of its rows, 16 bits each
	coefficients    unsafe.Pointer // of gather and scatter: floats
	src, bias       unsafe.Pointer // of products: the vector; of columns: what the sums begin at
	stride          int            // from a row to the next
	coefficientStep int            // from a coefficient to the next: 0 if all are the same
	count           int            // of the numbers; of products: of 32 bytes of a row
	left            int            // numbers of a row; not of products
	shift           int            // of columns: of the sums, to the right
	groups          int            // of products: fours of numbers, at least one
	lists           int            // of gather and scatter: lists of numbers, at least one
	counts          unsafe.Pointer // how many numbers each has, 32 bits each; count is the kernel's own then
}

// vectorArgs is what the kernels read that go through arrays.
type vectorArgs struct {
	dst, src, y             unsafe.Pointer
	mean, square, constants unsafe.Pointer // of Adam
	vectors                 int            // at least one; of Squares eights of floats; of the peaks rounds
}
