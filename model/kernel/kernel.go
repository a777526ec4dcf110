// Package kernel implements the arithmetic of the networks. [Conv] computes convolutions on small
// boards in float32, forward and backward, and [Conv8] computes them in 8 bits. [Rows],
// [FeatureSum] and [SelectedDense] compute sums and products of chosen rows. [Adam] computes steps
// of the optimiser.
//
// A level is an instruction set: AVX-512, AVX-VNNI, AVX2, NEON with or without dot products of
// bytes, and WebAssembly's vectors with or without relaxed instructions. A kernel is one function
// of a level. The package gen describes each kernel once and generates it for all levels. Plain Go,
// the level named portable, defines what a kernel computes, and replaces a kernel that a level
// lacks. The package chooses the level once, at start; see [Name] and [QuantName]. A level has a
// table of its kernels' addresses, which invoke calls.
//
// Activations are stored board by board, row by row, cell by cell, with the channels innermost
// (NHWC) and without padding. Weights are [ky][kx][in][out]. A tap is one of the K×K places (ky,
// kx) of a convolution's kernel. A dense layer over n rows is a 1×1 convolution on n boards of one
// cell.
//
// One kernel does all matrix multiplications. It computes tiles of results: it multiplies a few
// rows of src, which it finds through a list, with packed panels of weights (the indirect
// convolution of Dukhan 2019, arXiv:1907.02129; see matrix). The gradient of a layer's input is the
// same computation with other weights; see [Conv.PackTransposed]. The gradient of the weights has a
// separate kernel. In 8 bits, four input channels form a word of 32 bits, in the position that one
// float has otherwise.
//
// Go's compiler uses no vector instructions for js/wasm. There a kernel is a function in a separate
// module, which works on the memory of the Go program. Package wasm has these modules and the
// script that loads them. They contain the kernels for play, but none for training.
//
// A result has the same bits on every processor, however many boards are computed together and
// however they are spread over calls. Each sum adds its products in one fixed order, by tap and
// then by channel, and rounds once for each product.
package kernel

//go:generate go run -C gen .
