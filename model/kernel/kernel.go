// Package kernel is the arithmetic of the networks: convolutions on small boards, as
// [Conv] in float32, forward and backward, and as [Conv8] in 8 bits; sums and products
// of chosen rows, as [Rows], [FeatureSum] and [SelectedDense]; and the step of [Adam].
//
// A kernel is one function of a level, which is an instruction set: AVX-512, AVX-VNNI,
// AVX2, NEON with dot products of bytes and without, WebAssembly's vectors with relaxed
// instructions and without. The package gen describes each kernel once and writes it for
// all levels. What a kernel computes is defined by plain Go, the level portable, which
// stands in where a level has no kernel. The level is chosen once, at start; see [Name]
// and [QuantName]. It has a table of its kernels' addresses, which invoke calls.
//
// Activations lie board by board, row by row, cell by cell, channels innermost (NHWC),
// without padding. Weights are [ky][kx][in][out]. A tap is one of the K×K places of a
// convolution's kernel, (ky, kx). A dense layer over n rows is a 1×1 convolution on boards
// of one cell.
//
// One kernel multiplies all matrices: it computes tiles of results, a few rows of
// src that are found through a list, with packed panels of weights (the indirect
// convolution of Dukhan 2019, arXiv:1907.02129; see matrix). The gradient of a layer's input
// is the same with other weights, see [Conv.PackTransposed]; the gradient of the weights
// has a kernel of its own. In 8 bits four input channels make a word of 32 bits, which
// takes the place of one float.
//
// Go's compiler uses no vectors for js/wasm. There a kernel is a function of a module
// of its own, which works on the memory of Go's program; package wasm has the modules
// and the script that loads them. They have what playing needs.
//
// A result has the same bits however many boards are computed together, however
// they are spread over calls, and on every processor: each sum takes its products
// in one fixed order, by tap and then by channel, and rounds once for each product.
package kernel

//go:generate go run -C gen .
