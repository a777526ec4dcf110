package kernel

import "unsafe"

// The structs below are the arguments of the kernels. The generator finds the fields by their
// names; each field takes eight bytes. Distances are in bytes. In each struct the fields after the
// blank line are scratch memory of the kernel: the kernel sets them before it reads them, unless a
// comment says otherwise.

// matrixArgs is the argument of a matrix kernel, which computes panels × tiles of results; see
// matrix.
type matrixArgs struct {
	dst, res, quant         unsafe.Pointer // results, addends, results in 8 bits; each may be nil
	src, weight, bias       unsafe.Pointer
	scale, inverse          unsafe.Pointer // used only in 8 bits; see Conv8
	list                    unsafe.Pointer // list of tiles
	zeros                   unsafe.Pointer // zeros, at least as many as a row of src has
	floor                   unsafe.Pointer // pointer to a float; smaller results become this number
	panels, tiles, rows     int            // rows: number of rows in a tile that are results
	words                   int            // number of words in a row of src: floats, or groups of four bytes
	panelBytes              int            // size of a panel of weights
	stride, cellStride      int            // distances in dst and res: between rows of a tile, and between cells
	quantStride, quantCells int            // the same distances in quant

	channel               int // first channel of a panel; the caller sets it to 0
	panel                 int // number of panels left; the caller sets it to panels
	dstAt, resAt, quantAt int // the caller sets these to 0
	tile, tap, cell       int
	listAt, weightAt      int
}

// gradArgs is the argument of a kernel for the gradient of the weights. For one tile of dw after
// another, in the order of the input channels, the kernel adds the products src·dout over pairs of
// cells.
type gradArgs struct {
	dw, src, dout   unsafe.Pointer
	pairs           unsafe.Pointer // array of cellPair, one for each product of a sum
	count           int            // number of pairs, at least one
	tiles, dwStride int            // dwStride is the distance between input channels of dw

	dwAt int
}

// A cellPair is an input cell and the output cell to which a tap connects it. Both are offsets in
// bytes from the first cell of the boards.
type cellPair struct{ src, dout uint32 }

// rowsArgs is the argument of the kernels that work on chosen rows of a matrix.
type rowsArgs struct {
	dst             unsafe.Pointer // results; for scatter, the vector that is added
	rows, index     unsafe.Pointer // the matrix, and the list of row numbers, 16 bits each
	coefficients    unsafe.Pointer // floats, for gather and scatter
	src, bias       unsafe.Pointer // src: the vector to multiply, for products; bias: the first terms of the sums, for columns
	stride          int            // distance between rows
	coefficientStep int            // distance between coefficients; 0 if all are equal
	count           int            // number of row numbers; for products, the number of 32-byte blocks in a row
	left            int            // number of elements in a row that are left; not used for products
	shift           int            // shift of the sums to the right, for columns
	groups          int            // number of groups of four row numbers, at least one, for products
	lists           int            // number of lists of row numbers, at least one, for gather and scatter
	counts          unsafe.Pointer // length of each list, 32 bits each; then count is scratch memory of the kernel
}

// vectorArgs is the argument of the kernels that process arrays.
type vectorArgs struct {
	dst, src, y             unsafe.Pointer
	mean, square, constants unsafe.Pointer // used by Adam
	vectors                 int            // number of vectors, at least one; for Squares: of groups of eight floats; for the peak kernels: of rounds
}
