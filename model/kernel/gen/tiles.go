package main

// This file says which kernels there are: for each level the sizes of its tiles. layout.go
// says how each tile uses the registers. The writers take their numbers from these two:
// that of amd64 (avo), that of arm64 and that of WebAssembly.

// A level is an instruction set that kernels are written for, as in package kernel.
type level struct {
	name      string
	processor string // amd64, arm64 or wasm
	bytes     int    // size of a vector
	registers int    // number of vector registers
	dot       dot
	chains    int // sums that surely keep the processor busy; the kernel that measures the peak has so many

	floats, quants []sizes // of tiles in floats and in 8 bits
	lists          []tile  // logits and dots: the level has one kernel of each
}

// A dot is how a level adds the products of a word of the input, four bytes, to a sum.
type dot int

const (
	fused   dot = iota // one instruction: VPDPBUSD, SDOT, i32x4.relaxed_dot
	paired             // VPMADDUBSW, VPMADDWD and an addition
	widened            // SMULL, SMLAL2 and SADALP; the word is in two registers
	halved             // i32x4.dot_i16x8 and an addition; a word is two numbers of 16 bits
)

// lanes is the number of floats in a vector.
func (l level) lanes() int { return l.bytes / 4 }

// A kind is what a kernel computes; package kernel has a constant of the same
// name for each, but for logits and dots.
type kind string

const (
	conv  kind = "conv"  // 3×3, a whole board row
	pair  kind = "pair"  // 3×3, the same row of two boards
	part  kind = "part"  // 3×3, some cells of a wider row
	cells kind = "cells" // 1×1, some cells
	grad  kind = "grad"  // the gradient of one tap's weights

	gather  kind = "gather"  // chosen rows of a matrix, summed
	scatter kind = "scatter" // chosen rows of a matrix, added to
	columns kind = "columns" // gather with 16-bit numbers, to bytes
	logits  kind = "logits"  // chosen rows of bytes, multiplied with a vector
	dots    kind = "dots"    // the same in floats
)

// isConv reports whether kernels of the kind compute convolutions.
func (k kind) isConv() bool { return k == conv || k == pair || k == part || k == cells }

// A tile is the part of the result whose sums a kernel keeps in registers: n cells
// (of a gradient: n input channels; of logits and dots: n rows) by some vectors of output
// channels (of logits and dots: of a row, which a round of the loop takes).
type tile struct {
	kind
	n, vectors int
	quant      bool // in 8 bits: each input word is four channels
}

// sizes are tiles of a kind: those of n cells, for from ≤ n ≤ to, by each number of vectors.
type sizes struct {
	kind
	from, to int
	vectors  []int
}

func of(vectors ...int) []int { return vectors }

// chosenAtOnce is the number of rows that dots and logits take at a time; package kernel
// has the same. WebAssembly takes one.
const chosenAtOnce = 4

// The levels. A tile should have at least eight sums, to hide the latency of a multiply-add,
// and must leave registers for what is multiplied (see check). The narrower ones are for the
// last channels of a layer and for small boards.
var (
	avx512Level = level{
		name: "avx512", processor: "amd64", bytes: 64, registers: 32, dot: fused, chains: 12,
		floats: append(convs512,
			sizes{cells, 7, 9, of(2)}, sizes{grad, 1, 6, of(4)}, sizes{grad, 1, 14, of(2, 1)},
			sizes{gather, 1, 1, of(16, 8, 4, 2, 1)}, sizes{scatter, 1, 1, of(16, 8, 4, 2, 1)},
			sizes{columns, 1, 1, of(8, 4, 2, 1)}),
		quants: convs512,
		lists:  []tile{{logits, chosenAtOnce, 1, true}}, // vectors of 256 bits here too
	}
	convs512 = []sizes{
		{conv, 3, 6, of(4, 2, 1)}, {conv, 7, 9, of(2, 1)},
		{pair, 3, 3, of(4, 2, 1)}, {pair, 4, 5, of(2, 1)}, {pair, 6, 6, of(1)},
		{part, 1, 5, of(4, 2, 1)},
		{cells, 1, 6, of(4, 2, 1)}, {cells, 7, 9, of(1)},
	}

	avx2Level = level{
		name: "avx2", processor: "amd64", bytes: 32, registers: 16, dot: paired, chains: 12,
		floats: []sizes{
			{conv, 3, 3, of(4, 2, 1)}, {conv, 4, 7, of(2, 1)}, {conv, 8, 9, of(1)},
			{pair, 3, 3, of(2, 1)},
			{part, 1, 6, of(2, 1)},
			{cells, 1, 6, of(2, 1)}, {cells, 7, 9, of(1)},
			{grad, 1, 6, of(2)}, {grad, 1, 12, of(1)},
			{gather, 1, 1, of(8, 4, 2)}, {scatter, 1, 1, of(8, 4, 2)},
			{columns, 1, 1, of(8, 4, 2)},
		},
		quants: quants256,
		lists:  []tile{{logits, chosenAtOnce, 1, true}, {dots, chosenAtOnce, 1, false}},
	}
	// avxVNNILevel has what is in 8 bits; its other kernels are those of AVX2.
	avxVNNILevel = level{
		name: "avxvnni", processor: "amd64", bytes: 32, registers: 16, dot: fused, chains: 12,
		quants: quants256,
		lists:  []tile{{logits, chosenAtOnce, 1, true}},
	}
	quants256 = []sizes{
		{conv, 3, 3, of(4, 2, 1)}, {conv, 4, 6, of(2, 1)}, {conv, 7, 9, of(1)},
		{pair, 3, 3, of(2, 1)},
		{part, 1, 6, of(2, 1)},
		{cells, 1, 6, of(2, 1)}, {cells, 7, 9, of(1)},
	}

	neonLevel = level{
		name: "neon", processor: "arm64", bytes: 16, registers: 32, dot: widened, chains: 24,
		floats: append(convs128,
			sizes{grad, 1, 6, of(4)}, sizes{grad, 1, 8, of(2, 1)},
			sizes{gather, 1, 1, of(16, 8, 4)}, sizes{scatter, 1, 1, of(16, 8, 4)},
			sizes{columns, 1, 1, of(16, 8, 4)}),
		quants: []sizes{
			{conv, 3, 4, of(4, 2, 1)}, {conv, 5, 9, of(2, 1)},
			{pair, 3, 3, of(2, 1)}, {pair, 4, 6, of(1)},
			{part, 1, 5, of(2, 1)},
			{cells, 1, 6, of(4, 2, 1)}, {cells, 7, 9, of(2, 1)},
		},
		lists: []tile{{logits, chosenAtOnce, 4, true}, {dots, chosenAtOnce, 4, false}},
	}
	// sdotLevel has what is in 8 bits; its other kernels are those of NEON.
	sdotLevel = level{
		name: "sdot", processor: "arm64", bytes: 16, registers: 32, dot: fused, chains: 24,
		quants: convs128,
		lists:  []tile{{logits, chosenAtOnce, 4, true}},
	}
	convs128 = []sizes{
		{conv, 3, 6, of(4, 2, 1)}, {conv, 7, 9, of(2, 1)},
		{pair, 3, 3, of(4, 2, 1)}, {pair, 4, 6, of(1)},
		{part, 1, 5, of(4, 2, 1)},
		{cells, 1, 6, of(4, 2, 1)}, {cells, 7, 9, of(2, 1)},
	}

	// In WebAssembly a register is a local variable. An engine on arm64 has 32 registers for
	// them; on amd64 it has 16, and keeps some on its stack in the widest tiles.
	simdLevel = level{
		name: "simd", processor: "wasm", bytes: 16, registers: 32, dot: halved, chains: 8,
		floats: floatsWasm, quants: quantsWasm,
		lists: []tile{{logits, 1, 2, true}},
	}
	relaxedLevel = level{
		name: "relaxed", processor: "wasm", bytes: 16, registers: 32, dot: fused, chains: 8,
		floats: floatsWasm, quants: quantsWasm,
		lists: []tile{{logits, 1, 2, true}},
	}
	floatsWasm = []sizes{{cells, 1, 1, of(8, 2, 1)}, {columns, 1, 1, of(8, 4)}} // a cell of any convolution
	quantsWasm = []sizes{
		{part, 1, 6, of(1)}, {part, 1, 6, of(2)},
		{cells, 1, 4, of(1)}, {cells, 1, 4, of(2)},
	}
)

var levels = []level{avx512Level, avx2Level, avxVNNILevel, neonLevel, sdotLevel, simdLevel, relaxedLevel}

// kernels lists the tiles of a level, those in floats first, without logits and dots.
func (l level) kernels() []tile { return append(tilesOf(l.floats, false), tilesOf(l.quants, true)...) }

func tilesOf(all []sizes, quant bool) (tiles []tile) {
	for _, s := range all {
		for n := s.from; n <= s.to; n++ {
			for _, v := range s.vectors {
				tiles = append(tiles, tile{s.kind, n, v, quant})
			}
		}
	}
	return tiles
}

// one returns the level's kernel of logits or dots, and whether it has one.
func (l level) one(k kind) (tile, bool) {
	for _, t := range l.lists {
		if t.kind == k {
			return t, true
		}
	}
	return tile{}, false
}

// quantOnly reports whether the level has nothing but kernels in 8 bits.
func (l level) quantOnly() bool { return l.floats == nil }

// widest is the largest n of the level's tiles of a kind in 8 bits.
func (l level) widest(k kind) (n int) {
	for _, s := range l.quants {
		if s.kind == k {
			n = max(n, s.to)
		}
	}
	return n
}

// A column is a cell of the input that a tile reads: of the first or second board,
// x cells to the right of the tile's first. -1 and t.n are the neighbours of a part.
type column struct{ board, x int }

// columns lists the cells that a tile reads of one row.
func (t tile) columns() (all []column) {
	from, to := 0, t.n
	if t.kind == part {
		from, to = -1, t.n+1
	}
	for board := range t.boards() {
		for x := from; x < to; x++ {
			all = append(all, column{board, x})
		}
	}
	return all
}

// boards is the number of boards that a tile computes at once.
func (t tile) boards() int {
	if t.kind == pair {
		return 2
	}
	return 1
}

// taps is the width of the convolution's kernel.
func (t tile) taps() int {
	if t.kind == cells {
		return 1
	}
	return 3
}

// results is the number of vectors of results; of logits and dots a vector for each row,
// whose lanes are added up in the end.
func (t tile) results() int {
	if t.kind == logits || t.kind == dots {
		return t.n
	}
	return t.boards() * t.n * t.vectors
}
