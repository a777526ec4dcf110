package kernel

import "unsafe"

// The structs below hold the arguments of the kernels. The generator (package gen) refers to the
// fields by name. Each field has eight bytes. Distances are in bytes. The fields after the blank
// line in a struct are scratch memory of the kernel, which initialises them itself, unless a
// comment says that the caller does.

// matrixArgs holds the arguments of a matrix kernel. The kernel computes the results for all
// combinations of a panel (a group of output channels) and a tile (a group of cells); see type
// matrix.
type matrixArgs struct {
	// dst is for results as floats, res has numbers that are added to the sums, and quant is for
	// results in 8 bits. Each may be nil.
	dst, res, quant   unsafe.Pointer
	src, weight, bias unsafe.Pointer
	scale, inverse    unsafe.Pointer // used only in 8 bits; see Conv8
	list              unsafe.Pointer // address of the list of tiles; see type matrix
	zeros             unsafe.Pointer // a row of zeros, at least as long as a row of src
	// Pointer to a float, the lower limit of the results: smaller results are replaced by it.
	floor               unsafe.Pointer
	panels, tiles, rows int // rows is the number of results per tile
	// Number of words per row of src. A word is a float or, in the 8-bit kernels, four bytes.
	words      int
	panelBytes int // number of bytes per panel of weights
	// Distances between results in dst and in res: between the rows of a tile, and between cells.
	stride, cellStride      int
	quantStride, quantCells int // the same two distances between results in quant

	channel               int // number of the panel's first channel; the caller sets it to 0
	panel                 int // number of panels left; the caller sets it to panels
	dstAt, resAt, quantAt int // the caller sets these to 0
	tile, tap, cell       int
	listAt, weightAt      int
}

// gradArgs holds the arguments of a kernel that computes dw, the gradient of the weights of one tap
// (one cell of the convolution's window). The kernel computes dw tile by tile, in the order of the
// input channels. It adds the products src·dout of all pairs of cells to each tile of dw.
type gradArgs struct {
	dw, src, dout unsafe.Pointer
	pairs         unsafe.Pointer // array of cellPair; each sum has one product per pair
	count         int            // number of pairs, at least one
	// dwStride is the distance from one input channel of dw to the next.
	tiles, dwStride int

	dwAt int
}

// A cellPair is an input cell and the output cell to which a tap connects it. Both fields are
// offsets in bytes from the first cell of all boards.
type cellPair struct{ src, dout uint32 }

// rowsArgs holds the arguments of the kernels that work on selected rows of a matrix. These kernels
// are products, gather, scatter and columns.
type rowsArgs struct {
	dst          unsafe.Pointer // results; for scatter: the vector that is added to the rows
	rows, index  unsafe.Pointer // rows is the matrix; index is the list of 16-bit row numbers
	coefficients unsafe.Pointer // factors of the rows (floats), for gather and scatter
	// For products, src is the vector that is multiplied by the rows. For columns, bias has the
	// first term of each sum.
	src, bias       unsafe.Pointer
	stride          int // distance between rows
	coefficientStep int // distance between coefficients; 0 if they are all equal
	// Number of entries of index; for products, number of 32-byte blocks per row.
	count int
	// For all kernels except products: how many elements of a row are still to be computed.
	left  int
	shift int // for columns: by how many bits sums are shifted to the right
	// For products: number of groups of four entries of index, at least one.
	groups int
	// For gather and scatter: number of lists in index, at least one.
	lists int
	// Lengths of the lists, 32 bits each. If counts is set, count is scratch memory of the kernel.
	counts unsafe.Pointer
}

// vectorArgs holds the arguments of the kernels that process whole arrays.
type vectorArgs struct {
	dst, src, y             unsafe.Pointer
	mean, square, constants unsafe.Pointer // used by Adam
	// Number of vectors, at least one; for Squares, number of groups of eight floats; for the
	// kernels that measure peak speed, number of rounds.
	vectors int
}
