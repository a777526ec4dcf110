// Gen writes the kernels of package kernel and the exponential function of package
// internal/detmath: Go assembly for amd64 and arm64, and modules for WebAssembly. matrix.go,
// rows.go and vectors.go describe each kernel once, by operations of a machine. amd64.go, arm64.go
// and wasm.go write these operations for an instruction set. Gen is a module of its own because it
// does not belong to the product. Run it with go generate in package kernel.
package main

import (
	"log"
	"os"
)

// A kernel is one function. Package kernel has a constant for each kernel, in the same order.
type kernel struct {
	name     string
	argument string // name of the struct in args.go that the kernel reads
	write    func(m machine)
}

// kernels lists all kernels except the exponential function. The kernels from columnsAt to
// trainingAt compute in 8 bits.
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

// Indices in kernels.
const columnsAt, productsAt, trainingAt = 3, 4, 9

// write writes kernels to a file. The machine lacks the kernels before index first; their addresses
// in the table are 0.
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
	playing := kernels[:trainingAt] // training, and sparse networks in floats, need the other kernels
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
