// Gen writes the assembly of package kernel, one function for each tile of each
// instruction set, and the Go code that finds them by key; and the exponentials of
// package internal/detmath. It is a module of its own, so that the product does not
// depend on avo. Run it by go generate in package
// kernel.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set: its registers and vector width.
type isa struct {
	name  string
	regs  []reg.VecPhysical
	bytes int  // size of a vector
	vnni  bool // only 8-bit kernels, with a dot product that avo or Go's assembler cannot write
}

var (
	avx512 = isa{"avx512", []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10,
		reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20,
		reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}, 64, false}
	avx2 = isa{"avx2", []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10,
		reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}, 32, false}
	avxvnni = isa{"avxvnni", avx2.regs, 32, true}
	all     = map[string][]isa{"amd64": {avx512, avx2, avxvnni}, "arm64": {neon, sdot}} // by processor
)

// A kind is what a kernel computes; package kernel has a constant of the same
// name for each.
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
)

// A tile is the part of the result whose sums a kernel keeps in registers: n cells
// (of a gradient: n input channels) by some vectors of output channels.
type tile struct {
	kind
	n, vectors int
	quant      bool // in 8 bits: each input word is four channels
}

// kernels lists the tiles of an instruction set, in floats and in 8 bits. A tile
// should have at least eight sums, to hide the latency of a multiply-add, and must
// leave registers for what is multiplied.
func (s isa) kernels() []tile {
	if s.bytes == 16 {
		return s.armTiles()
	}
	floats := s.floats()
	all := floats
	if s.vnni {
		all = nil
	}
	for _, t := range floats {
		t.quant = true
		if t.kind.isConv() && t.boards()*t.n*t.vectors+3 <= len(s.regs) {
			all = append(all, t)
		}
	}
	return all
}

// isConv reports whether kernels of the kind compute convolutions.
func (k kind) isConv() bool { return k != grad && k != gather && k != scatter && k != columns }

// floats lists the tiles in floats.
func (s isa) floats() (all []tile) {
	add := func(k kind, from, to int, vectors ...int) {
		for n := from; n <= to; n++ {
			for _, v := range vectors {
				all = append(all, tile{kind: k, n: n, vectors: v})
			}
		}
	}
	if s.bytes == 64 {
		add(conv, 3, 6, 4, 2, 1)
		add(conv, 7, 9, 2, 1)
		add(pair, 3, 3, 4, 2, 1)
		add(pair, 4, 5, 2, 1)
		add(pair, 6, 6, 1)
		add(part, 1, 5, 4, 2, 1)
		add(cells, 1, 6, 4, 2, 1)
		add(cells, 7, 9, 1)
		add(grad, 1, 6, 4)
		add(grad, 1, 14, 2, 1)
		add(gather, 1, 1, 16, 8, 4, 2, 1)
		add(scatter, 1, 1, 16, 8, 4, 2, 1)
		add(columns, 1, 1, 8, 4, 2, 1)
		return all
	}
	add(conv, 3, 3, 4, 2, 1)
	add(conv, 4, 7, 2, 1)
	add(conv, 8, 9, 1)
	add(pair, 3, 3, 2, 1)
	add(part, 1, 6, 2, 1)
	add(cells, 1, 6, 2, 1)
	add(cells, 7, 9, 1)
	add(grad, 1, 6, 2)
	add(grad, 1, 12, 1)
	add(gather, 1, 1, 8, 4, 2)
	add(scatter, 1, 1, 8, 4, 2)
	add(columns, 1, 1, 8, 4, 2)
	return all
}

func main() {
	only := flag.String("isa", "", "the instruction set to write kernels of; exp32 or exp32-arm64; or wasm: all of WebAssembly")
	dispatch := flag.String("dispatch", "", "file for the Go functions that choose a kernel")
	flag.Parse()
	if *only == "wasm" {
		if err := writeWasm("../args_js.go", "../wasm"); err != nil {
			fatal(err)
		}
		return
	}
	// The arguments' types are read from the package as a processor sees it that
	// nothing is generated for.
	if err := os.Setenv("GOARCH", "riscv64"); err != nil {
		fatal(err)
	}
	if i := slices.IndexFunc(all["arm64"], func(s isa) bool { return s.name == *only }); i >= 0 {
		if err := all["arm64"][i].writeArm(flag.Lookup("out").Value.String(), flag.Lookup("stubs").Value.String()); err != nil {
			fatal(err)
		}
		writeDispatcher(*dispatch, all["arm64"])
		return
	}
	if *only == "exp32-arm64" {
		if err := armExp32(flag.Lookup("out").Value.String(), flag.Lookup("stubs").Value.String()); err != nil {
			fatal(err)
		}
		return
	}
	Package("dojo/model/kernel")
	ConstraintExpr("amd64")
	if *only == "exp32" {
		exp32()
	}
	for _, s := range all["amd64"] {
		if s.name != *only {
			continue
		}
		for _, t := range s.kernels() {
			switch {
			case t.kind == grad:
				s.grad(t)
			case t.kind == gather:
				s.gather(t)
			case t.kind == scatter:
				s.scatter(t)
			case t.kind == columns:
				s.columns(t)
			case t.quant:
				s.quantRow(t)
			default:
				s.row(t)
			}
		}
		s.quantPeak()
		s.logits()
		if s.bytes == 32 && !s.vnni {
			s.dots()
		}
		if !s.vnni {
			s.peak()
			s.round()
			s.relu()
			s.add()
			s.squares()
			s.adam()
		}
	}
	Generate()
	if *only == avxvnni.name {
		if err := writeDotProducts(flag.Lookup("out").Value.String()); err != nil {
			fatal(err)
		}
	}
	writeDispatcher(*dispatch, all["amd64"])
}

// writeDispatcher writes the Go functions that choose one of a processor's kernels.
func writeDispatcher(path string, processor []isa) {
	if path == "" {
		return
	}
	if err := os.WriteFile(path, dispatcher(processor), 0o644); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "gen:", err)
	os.Exit(1)
}

// args are the arguments of a kernel: a pointer to a struct of package kernel.
type args struct{ pointed gotypes.Component }

// at is the memory operand of a field.
func (a args) at(field string) Mem {
	b, err := a.pointed.Field(field).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// load moves a field to a new register.
func (a args) load(field string) reg.GPVirtual {
	r := GP64()
	MOVQ(a.at(field), r)
	return r
}

// begin starts the function of a tile, whose parameter a points to a struct of
// package kernel with that name.
func (s isa) begin(t tile, argument string) args {
	TEXT(s.function(t), NOSPLIT, "func(a *"+argument+")")
	Pragma("noescape")
	return args{Dereference(Param("a"))}
}

// vectorMoves returns functions that write a load and a store of vector k of a
// tile's vectors at base. The last of them may be wider than the channels that
// are left, and is masked. The mask is in the arguments: bits for AVX-512, an
// address for AVX2, which reads it into spare each time, for want of registers.
func (s isa) vectorMoves(a args, vectors int, spare reg.VecPhysical) (load func(base reg.Register, k int, to reg.VecPhysical), store func(from reg.VecPhysical, base reg.Register, k int)) {
	if s.bytes == 64 {
		KMOVW(a.load("mask").As32(), reg.K1)
	}
	wide := func(k int) bool { return k < vectors-1 }
	load = func(base reg.Register, k int, to reg.VecPhysical) {
		from := Mem{Base: base, Disp: s.bytes * k}
		switch {
		case wide(k):
			VMOVUPS(from, to)
		case s.bytes == 64:
			VMOVUPS_Z(from, reg.K1, to)
		default:
			VMOVUPS(Mem{Base: a.load("mask")}, spare)
			VMASKMOVPS(from, spare, to)
		}
	}
	store = func(from reg.VecPhysical, base reg.Register, k int) {
		to := Mem{Base: base, Disp: s.bytes * k}
		switch {
		case wide(k):
			VMOVUPS(from, to)
		case s.bytes == 64:
			VMOVUPS(from, reg.K1, to)
		default:
			VMOVUPS(Mem{Base: a.load("mask")}, spare)
			VMASKMOVPS(from, spare, to)
		}
	}
	return load, store
}
