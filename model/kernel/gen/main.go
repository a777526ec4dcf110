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

// isa is a level that this generator writes assembly for. avo names registers for amd64.
type isa struct {
	level
	regs []reg.VecPhysical
}

var (
	avx512 = isa{avx512Level, []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10,
		reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20,
		reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}}
	avx2 = isa{avx2Level, []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10,
		reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}}
	avxvnni = isa{avxVNNILevel, avx2.regs}
	neon    = isa{level: neonLevel}
	sdot    = isa{level: sdotLevel}
	all     = map[string][]isa{"amd64": {avx512, avx2, avxvnni}, "arm64": {neon, sdot}} // by processor
)

func main() {
	only := flag.String("isa", "", "the instruction set to write kernels of; exp32 or exp32-arm64; or wasm: all of WebAssembly")
	dispatch := flag.String("dispatch", "", "file for the Go functions that choose a kernel")
	flag.Parse()
	for _, l := range levels {
		if err := l.check(); err != nil {
			fatal(err)
		}
	}
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
		if _, ok := s.one(dots); ok {
			s.dots()
		}
		if !s.quantOnly() {
			s.peak()
			s.round()
			s.relu()
			s.add()
			s.squares()
			s.adam()
			for _, t := range matrices {
				s.expand(t)
				s.contract(t)
			}
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
