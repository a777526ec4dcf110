package main

import "fmt"

// An order is what the inner loop of a convolution holds on to. Each sum takes its products
// from left to right in all of them.
type order int

const (
	byWeight order = iota // all cells are in registers; a weight is loaded for all of them
	byCell                // the weights are in registers, or read from memory for each product; a cell is loaded for all of them
	byTap                 // the weights of a tap are in registers; a cell is loaded for each tap
)

// A layout is how a kernel's inner loop uses the vector registers.
type layout struct {
	order order
	words int // words of the input that a round takes: the depth of the tile
	sets  int // of sums, between which these words take turns

	// Numbers of registers. The sums of all sets come first.
	sums    int
	values  int // of the input (of a gather and scatter: the coefficient)
	weights int // of a row (of a gradient: the gradient of the output); 0: each product reads memory
	others  int // products on their way to a sum, and ones
	end     int // what the code behind the loop needs beside the sums of a set
}

// layout plans the inner loop of a tile. Where registers are left they hold more of what is
// loaded, so that a load can be under way while what was in another register is multiplied.
func (l level) layout(t tile) layout {
	y := layout{words: 1, sets: l.sets(t)}
	y.sums = t.results() * y.sets
	free := l.registers - y.sums
	switch t.kind {
	case grad:
		y.weights, y.values = t.vectors, free-t.vectors
		if l.processor == "arm64" {
			y.values = (t.n + channelsPerVector(t) - 1) / channelsPerVector(t)
		}
	case gather, scatter:
		y.values = 1
		switch {
		case l.processor == "arm64":
			y.weights = 8 // two loads of four registers
		case t.kind == scatter:
			y.weights = free - 1
		}
	case columns:
		y.end = 3 // least and largest result, and the shift
		if l.processor == "arm64" {
			y.weights = 8
		}
	case logits, dots:
		y.values, y.weights, y.others = t.vectors, 1, 2
		if l.processor == "arm64" { // the weights of three rows, or of all four if they are short; four products
			y.weights, y.others = 3*t.vectors, 4
		}
	default:
		l.planConv(t, &y, free)
	}
	return y
}

// planConv plans the inner loop of a convolution.
func (l level) planConv(t tile, y *layout, free int) {
	y.words, y.end = l.words(t, y.sets), 2
	if t.quant && l.processor == "amd64" {
		y.end = 3
	}
	inputs, weights := len(t.columns()), t.taps()*t.vectors
	switch {
	case l.processor == "wasm":
		y.order, y.values, y.weights = byCell, 1, weights
		if !t.quant {
			y.weights = 0
			if l.dot != fused { // sums of two floats in 64 bits, and what it takes to round them once
				y.sums, y.others = 2*y.sums, 5
			}
		}
	case t.quant && l.dot == widened:
		y.order, y.values, y.weights, y.others = byCell, 2, weights, free-2-weights
	case t.quant && l.dot == paired:
		y.order, y.values, y.others = byCell, 1, 2 // a product and ones
	case l.singleCell(t):
		y.order, y.values, y.weights = byCell, 1, 1
	case inputs < free, l.processor == "arm64":
		y.order, y.values, y.weights = byWeight, inputs, free-inputs
	case t.quant:
		y.order, y.values, y.others = byCell, 1, 1 // a weight, which the dot product takes from a register
	case weights < free:
		y.order, y.values, y.weights = byCell, free-weights, weights
	case t.vectors < free:
		y.order, y.values, y.weights = byTap, free-t.vectors, t.vectors
	default:
		y.order, y.values = byCell, free
	}
}

// singleCell reports whether the tile is one cell whose sums are so few that amd64 and
// WebAssembly take several words in turns, each to sums of its own.
func (l level) singleCell(t tile) bool {
	return t.quant && t.kind == cells && t.n == 1 && l.processor != "arm64" && (l.dot == fused || l.processor == "wasm")
}

// sets is the number of sets of sums. Sums of whole numbers may be added in any order: where
// they are few, which would wait for one another, there are more of them than results. The
// sums of dots have eight parts in any case, which take two registers of four lanes.
func (l level) sets(t tile) int {
	sets := 1
	switch {
	case l.processor == "wasm" && t.kind == logits, l.processor == "arm64" && t.kind == dots:
		return 2
	case l.processor == "arm64" && t.quant && t.kind == cells:
		for sets < 4 && 2*sets*t.results() <= 16 {
			sets *= 2
		}
	case l.processor == "wasm" && l.singleCell(t):
		sets = l.chains / t.vectors
	case l.singleCell(t):
		sets = 4
	}
	return sets
}

// words is the number of words of the input that a round of the inner loop takes. On arm64 a
// vector holds four. Without the dot product each is loaded by itself there, and a 3×3
// kernel has work enough in two.
func (l level) words(t tile, sets int) int {
	switch {
	case l.processor != "arm64":
		return sets
	case t.quant && l.dot == widened && t.taps() > 1:
		return 2
	}
	return 4
}

// channelsPerVector is how many input channels of a gradient share a register on arm64:
// halves of vectors where that makes one load of all, which may load no more than the tile's
// channels.
func channelsPerVector(t tile) int {
	if t.n <= 8 {
		return 2
	}
	return 4
}

// check returns an error if a tile of the level does not fit its registers.
func (l level) check() error {
	for _, t := range append(l.kernels(), l.lists...) {
		y := l.layout(t)
		least := min(y.weights, y.others)
		switch {
		case t.isConv() && y.order == byWeight:
			least = min(y.values, y.weights) - 1 // one of each at least
		case t.isConv() && t.quant && l.dot == widened:
			least = y.others - 1 // a product
		case t.isConv() || t.kind == grad:
			least = min(least, y.values-1)
		}
		inLoop, behind := y.sums+y.values+y.weights+y.others, t.results()*y.sets+y.end
		if least < 0 || max(inLoop, behind) > l.registers {
			return fmt.Errorf("%s: a tile %s of %d×%d does not fit %d registers: %+v", l.name, t.name(), t.n, t.vectors, l.registers, y)
		}
	}
	return nil
}
