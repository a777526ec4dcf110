// Package kernel implements the arithmetic of the networks. [Conv] computes convolutions on small
// boards and their gradients in float32, and [Conv8] computes convolutions in 8 bits. [Rows],
// [FeatureSum] and [SelectedDense] compute sums and products of selected rows of a matrix. [Adam]
// computes steps of the optimiser.
//
// A level is an instruction set, or plain Go. The instruction sets are AVX-512, AVX-VNNI, AVX2,
// NEON with or without dot products of bytes, and WebAssembly's vectors with or without relaxed
// instructions. A kernel is a function in the instruction set of a level. Package gen describes
// each kernel once and generates it for all levels. The level of plain Go, named portable, defines
// what each kernel computes. It also replaces kernels that another level does not have. The program
// chooses the level once, when it starts; see [Name] and [QuantName]. Each level has a table with
// the addresses of its kernels. The function invoke calls a kernel by its address.
//
// Activations are stored board by board, row by row and cell by cell, with the channels innermost
// (NHWC) and without padding. Weights are stored as [ky][kx][in][out]. A tap is one of the K×K
// cells (ky, kx) of a convolution's window. A dense layer over n rows is computed as a 1×1
// convolution on n boards of one cell.
//
// One kernel does all matrix multiplications. It computes the results in tiles. For each tile, it
// takes a few rows of src from a list and multiplies them by packed panels of weights. This is the
// indirect convolution of Dukhan (2019, arXiv:1907.02129); see type matrix. The gradient of a
// layer's input is the same computation with other weights; see [Conv.PackTransposed]. The gradient
// of the weights has a separate kernel. In 8 bits, four input channels form one word of 32 bits,
// which the kernels treat like one float.
//
// Go's compiler uses no vector instructions for js/wasm. There, the kernels are functions in
// separate modules, which work on the memory of the Go program. The folder wasm contains these
// modules and the script that loads them. The modules contain the kernels for play, but no kernels
// for training.
//
// A result is bit-identical on every processor, no matter how many boards are computed together and
// how they are divided among calls. Each sum adds its products in a fixed order, by tap and then by
// channel, and rounds once per product.
package kernel

//go:generate go run -C gen .
