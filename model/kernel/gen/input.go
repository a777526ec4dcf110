package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// input holds the registers that point into src. They stand at one input word of
// all cells that a tile reads, and move on to the next word and the next row.
type input struct {
	tile
	a      args
	boards []reg.GPVirtual                    // the first cell of the tile, by board
	sides  map[int]reg.GPVirtual              // of a part: its neighbours, by x
	steps  map[int]reg.GPVirtual              // how far these move to the next word: 0 off the board
	cells  func(base reg.Register, x int) Mem // the cell x cells behind base
}

// input loads the registers from the arguments.
func (t tile) input(a args) *input {
	in := &input{tile: t, a: a, boards: []reg.GPVirtual{a.load("src")}}
	if t.wholeBoard() {
		ADDQ(Mem{Base: a.load("steps")}, in.boards[0])
	}
	if t.kind == pair {
		second := a.load("srcBoard")
		ADDQ(in.boards[0], second)
		in.boards = append(in.boards, second)
	}
	if t.kind == part {
		in.sides = map[int]reg.GPVirtual{-1: a.load("left"), t.n: a.load("right")}
		in.steps = map[int]reg.GPVirtual{-1: a.load("leftStep"), t.n: a.load("rightStep")}
	}
	if t.n > 1 {
		in.cells = strided(a.load("srcCell"), t.n)
	}
	return in
}

// at is the memory operand of a column.
func (in *input) at(c column) Mem {
	if side, ok := in.sides[c.x]; ok {
		return Mem{Base: side}
	}
	if c.x == 0 {
		return Mem{Base: in.boards[c.board]}
	}
	return in.cells(in.boards[c.board], c.x)
}

// nextChannel moves on to the next input word, which is a channel or four.
func (in *input) nextChannel() {
	for _, b := range in.boards {
		ADDQ(U32(4), b)
	}
	if in.kind == part {
		ADDQ(in.steps[-1], in.sides[-1])
		ADDQ(in.steps[in.n], in.sides[in.n])
	}
}

// nextRow moves on from the end of the first cell to the next row.
func (in *input) nextRow() {
	for _, b := range in.boards {
		ADDQ(in.a.at("srcNext"), b)
	}
	if in.kind == part {
		ADDQ(in.a.at("leftNext"), in.sides[-1])
		ADDQ(in.a.at("rightNext"), in.sides[in.n])
	}
}

// strided loads such multiples of a register as are needed to address, in one
// instruction, what lies x strides behind another register, for 1 ≤ x < n. It
// returns the function that makes the operand.
func strided(stride reg.GPVirtual, n int) func(base reg.Register, x int) Mem {
	multiples := map[int]reg.GPVirtual{1: stride}
	sum := func(of, a, times int) {
		if n > of {
			multiples[of] = GP64()
			LEAQ(Mem{Base: multiples[a], Index: stride, Scale: uint8(times)}, multiples[of])
		}
	}
	sum(3, 1, 2)
	sum(5, 1, 4)
	sum(7, 3, 4)
	return func(base reg.Register, x int) Mem {
		for scale := 1; scale <= 8; scale *= 2 {
			if m, ok := multiples[x/scale]; ok && x%scale == 0 {
				return Mem{Base: base, Index: m, Scale: uint8(scale)}
			}
		}
		panic(fmt.Sprint("no address for cell ", x))
	}
}
