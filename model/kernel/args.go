package kernel

import "unsafe"

// The structs below hold the arguments of the kernels. The generator (package gen) finds the fields
// by their names. Each field takes eight bytes. Distances are in bytes. In each struct, the fields
// after the blank line are scratch memory of the kernel. The kernel sets them before it reads them,
// unless a comment says that the caller sets them.

// matrixArgs holds the arguments of a matrix kernel. The kernel computes the results of all given
// panels of output channels for all given tiles of cells; see type matrix.
type matrixArgs struct {
	// Results as floats, numbers added to the sums, results in 8 bits; each may be nil.
	dst, res, quant   unsafe.Pointer
	src, weight, bias unsafe.Pointer
	scale, inverse    unsafe.Pointer // used only in 8 bits; see Conv8
	list              unsafe.Pointer // address of the list of tiles; see type matrix
	zeros             unsafe.Pointer // a row of zeros, at least as long as a row of src
	// Pointer to a float; results below this number are replaced by it.
	floor               unsafe.Pointer
	panels, tiles, rows int // rows: how many rows of a tile are results
	// Number of words in a row of src; a word is a float or, in the 8-bit kernels, four bytes.
	words      int
	panelBytes int // number of bytes in a panel of weights
	// Distances between results in dst and res: from row to row of a tile, and from cell to cell.
	stride, cellStride      int
	quantStride, quantCells int // the same two distances between results in quant

	channel               int // number of the panel's first channel; the caller sets it to 0
	panel                 int // number of panels left; the caller sets it to panels
	dstAt, resAt, quantAt int // the caller sets these to 0
	tile, tap, cell       int
	listAt, weightAt      int
}

// gradArgs holds the arguments of a kernel that computes dw, the gradient of the weights of one tap
// (one cell of the convolution's window). The kernel works tile by tile, in the order of the input
// channels. It adds the products src·dout of all pairs of cells to each tile.
type gradArgs struct {
	dw, src, dout unsafe.Pointer
	pairs         unsafe.Pointer // array of cellPair; each sum has one product for each pair
	count         int            // number of pairs, at least one
	// dwStride is the distance from one input channel of dw to the next.
	tiles, dwStride int

	dwAt int
}

// A cellPair is an input cell and the output cell to which a tap connects it. Both numbers are
// offsets in bytes from the first cell of the boards.
type cellPair struct{ src, dout uint32 }

// rowsArgs holds the arguments of the kernels that work on selected rows of a matrix. The kernels
// are named in the comments below: products, gather, scatter and columns.
type rowsArgs struct {
	dst          unsafe.Pointer // results; for scatter: the vector that is added to the rows
	rows, index  unsafe.Pointer // the matrix, and the list of row numbers with 16 bits each
	coefficients unsafe.Pointer // factors of the rows (floats), for gather and scatter
	// src: for products, the vector by which rows are multiplied; bias: for columns, the first term
	// of each sum.
	src, bias       unsafe.Pointer
	stride          int // distance from row to row
	coefficientStep int // distance from one coefficient to the next; 0 if all are equal
	// Number of row numbers in index; for products: number of 32-byte blocks in a row.
	count int
	// Used by all kernels except products: how many elements of a row are left.
	left  int
	shift int // for columns: by how many bits sums are shifted to the right
	// For products: number of groups of four row numbers, at least one.
	groups int
	// For gather and scatter: number of lists of row numbers, at least one.
	lists int
	// Lengths of the lists, 32 bits each; if counts is set, count is scratch memory of the kernel.
	counts unsafe.Pointer
}

// vectorArgs holds the arguments of the kernels that process whole arrays.
type vectorArgs struct {
	dst, src, y             unsafe.Pointer
	mean, square, constants unsafe.Pointer // used by Adam
	// Number of vectors, at least one; for Squares: number of groups of eight floats; for the
	// kernels that measure the peak speed: number of rounds.
	vectors int
}
