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

var (
	matrices = []kernel{
		{"Matrix", "matrixArgs", func(m machine) { matrix(m, m.tile(), false) }},
		{"MatrixHalf", "matrixArgs", func(m machine) { matrix(m, m.tile().half(), false) }},
		{"MatrixRow", "matrixArgs", func(m machine) { matrix(m, m.tile().single(false), false) }},
	}
	rows8     = []kernel{{"Columns", "rowsArgs", columns}}
	products8 = []kernel{ // in 8 bits
		{"Quant", "matrixArgs", func(m machine) { matrix(m, m.tile(), true) }},
		{"QuantHalf", "matrixArgs", func(m machine) { matrix(m, m.tile().half(), true) }},
		{"QuantRow", "matrixArgs", func(m machine) { matrix(m, m.tile().single(true), true) }},
		{"Logits", "rowsArgs", logits},
		{"QuantPeak", "vectorArgs", func(m machine) { peak(m, true) }},
	}
	training = []kernel{ // and sparse networks in floats
		{"Gather", "rowsArgs", gather},
		{"Dots", "rowsArgs", dots},
		{"Grad", "gradArgs", func(m machine) { gradient(m, m.tile()) }},
		{"GradRow", "gradArgs", func(m machine) { gradient(m, m.tile().single(false)) }},
		{"Scatter", "rowsArgs", scatter},
		{"Relu", "vectorArgs", relu},
		{"Add", "vectorArgs", add},
		{"Squares", "vectorArgs", squares},
		{"Adam", "vectorArgs", adam},
		{"Peak", "vectorArgs", func(m machine) { peak(m, false) }},
	}
	exponential = []kernel{{"exp32Vectors", "exp32Args", exp32}}
)

// write writes kernels to a file. A kernel that the machine lacks is nil, and its address in the
// table is 0.
func write(path string, m machine, lists ...[]kernel) {
	for _, list := range lists {
		for _, k := range list {
			if k.write == nil {
				m.absent()
				continue
			}
			m.begin(k.name, k.argument)
			k.write(m)
			m.end()
		}
	}
	check(os.WriteFile(path, m.finish(), 0o644))
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("gen: ")
	structs, err := readArgs("../args.go")
	check(err)
	none := make([]kernel, len(matrices)+len(rows8))
	x := func(table string) *assembler { return &assembler{integers: integersX, table: table, structs: structs} }
	r := func(table string) *assembler { return &assembler{integers: integersR, table: table, structs: structs} }
	write("../avx2_amd64.s", &amd64{assembler: x("avx2"), wide: 32, dots: paired}, matrices, rows8, products8, training)
	write("../avx512_amd64.s", &amd64{assembler: x("avx512"), wide: 64, dots: evex}, matrices, rows8, products8, training)
	write("../avxvnni_amd64.s", &amd64{assembler: x("avxvnni"), wide: 32, dots: vex}, none, products8)
	write("../neon_arm64.s", &arm64{assembler: r("neon")}, matrices, rows8, products8, training)
	write("../sdot_arm64.s", &arm64{assembler: r("sdot"), hasDot: true}, none, products8)
	write("../wasm/simd.wasm", &wasm{structs: structs}, none[1:], rows8, products8)
	write("../wasm/relaxed.wasm", &wasm{relaxed: true, structs: structs}, matrices, rows8, products8)
	const detmath = "../../../internal/detmath/"
	structs, err = readArgs(detmath + "exp32_vectors.go")
	check(err)
	write(detmath+"exp32_amd64.s", &amd64{assembler: x(""), wide: 32}, exponential)
	write(detmath+"exp32_arm64.s", &arm64{assembler: r("")}, exponential)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
