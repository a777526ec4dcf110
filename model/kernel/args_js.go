package kernel

import "unsafe"

// layerArgs is what a WebAssembly function reads that computes a layer. The generator
// finds the fields by their names; each takes eight bytes, as far as one that is shorter
// comes last.
type layerArgs struct {
	dst, res, quant       unsafe.Pointer // nil where there is none, as in rowArgs
	src, weight           unsafe.Pointer
	bias, scale, inverse  unsafe.Pointer // scale and inverse only in 8 bits
	wide                  unsafe.Pointer // room for src in 16 bits, where the dot product of bytes is missing
	boards, h, w, in, out int            // in: words a cell of src, or channels in floats
	srcNext               int            // bytes from the end of a row's first cell to the next row's first cell
	k                     int            // only in floats
	floor                 float32        // smaller results become this
}

// listArgs is what the other functions in WebAssembly read: sums of columns, logits and
// the rounding to bytes.
type listArgs struct {
	dst, src, inverse  unsafe.Pointer
	bias, rows, index  unsafe.Pointer
	stride, count, out int // see columnArgs and logitArgs
	shift, in, vectors int
}
