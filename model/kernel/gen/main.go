// Gen writes the kernels of package kernel and the exponential of package
// internal/detmath: Go's assembly for amd64 and arm64, and modules for
// WebAssembly. Each kernel is described once, by operations of a machine
// (matrix.go, rows.go, vectors.go); amd64.go, arm64.go and wasm.go say how an
// instruction set writes these. It is a module of its own because it does not belong to
// the product. Run it by go generate in package kernel.
package main

import (
	"log"
	"os"
)

// A kernel is one function. Package kernel has a constant for each, in this order.
type kernel struct {
	name     string
	argument string // the struct in args.go that it reads
	write    func(m machine)
}

// kernels are all but the exponential. Those from columns on before training are in 8 bits.
var kernels = []kernel{
	{"Matrix", "matrixArgs", func(m machine) { matrix(m, m.tile(), false) }},
	{"MatrixHalf", "matrixArgs", func(m machine) { matrix(m, m.tile().half(), false) }},
	{"MatrixRow", "matrixArgs", func(m machine) { matrix(m, m.tile().single(false), false) }},
	{"Columns", "rowsArgs", columns},
	{"Quant", "matrixArgs", func(m machine) { matrix(m, m.tile(), true) }},
	{"QuantHalf", "matrixArgs", func(m machine) { matrix(m, m.tile().half(), true) }},
	{"QuantRow", "matrixArgs", func(m machine) { matrix(m, m.tile().single(true), true) }},
	{"Logits", "rowsArgs", func(m machine) { fours(m, true, m.finishLogits) }},
	{"QuantPeak", "vectorArgs", func(m machine) { peak(m, true) }},
	{"Gather", "rowsArgs", gather},
	{"Dots", "rowsArgs", func(m machine) { fours(m, false, m.finishDots) }},
	{"Grad", "gradArgs", func(m machine) { gradient(m, m.tile()) }},
	{"GradRow", "gradArgs", func(m machine) { gradient(m, m.tile().single(false)) }},
	{"Scatter", "rowsArgs", scatter},
	{"Relu", "vectorArgs", relu},
	{"Add", "vectorArgs", add},
	{"Squares", "vectorArgs", squares},
	{"Adam", "vectorArgs", adam},
	{"Peak", "vectorArgs", func(m machine) { peak(m, false) }},
}

// Places in the list.
const columnsAt, productsAt, trainingAt = 3, 4, 9

// write writes kernels to a file. The machine lacks those before the first, whose addresses in
// the table are 0.
func write(path string, m machine, kernels []kernel, first int) {
	for i, k := range kernels {
		if i < first {
			m.absent()
			continue
		}
		m.begin(k.name, k.argument)
		k.write(m)
		m.end()
	}
	check(os.WriteFile(path, m.finish(), 0o644))
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	structs, err := readArgs("../args.go")
	check(err)
	playing := kernels[:trainingAt] // and sparse networks in floats need the others
	x := func(table string) *assembler { return &assembler{integers: integersX, table: table, structs: structs} }
	r := func(table string) *assembler { return &assembler{integers: integersR, table: table, structs: structs} }
	write("../avx2_amd64.s", &amd64{assembler: x("avx2"), wide: 32, dots: paired}, kernels, 0)
	write("../avx512_amd64.s", &amd64{assembler: x("avx512"), wide: 64, dots: evex}, kernels, 0)
	write("../avxvnni_amd64.s", &amd64{assembler: x("avxvnni"), wide: 32, dots: vex}, playing, productsAt)
	write("../neon_arm64.s", &arm64{assembler: r("neon")}, kernels, 0)
	write("../sdot_arm64.s", &arm64{assembler: r("sdot"), hasDot: true}, playing, productsAt)
	write("../wasm/simd.wasm", &wasm{structs: structs}, playing, columnsAt)
	write("../wasm/relaxed.wasm", &wasm{relaxed: true, structs: structs}, playing, 0)
	const detmath = "../../../internal/detmath/"
	structs, err = readArgs(detmath + "exp32_vectors.go")
	check(err)
	exponential := []kernel{{"exp32Vectors", "exp32Args", exp32}}
	write(detmath+"exp32_amd64.s", &amd64{assembler: x(""), wide: 32}, exponential, 0)
	write(detmath+"exp32_arm64.s", &arm64{assembler: r("")}, exponential, 0)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
