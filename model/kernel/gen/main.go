// Gen generates the kernels of package kernel and the exponential function of package
// internal/detmath. It writes Go assembly for amd64 and arm64, and modules for WebAssembly. Each
// kernel is described once, as a sequence of operations, in matrix.go, rows.go or vectors.go. For
// each instruction set, amd64.go, arm64.go or wasm.go translates these operations. Gen is a module
// of its own because it is not part of the product. To run it, call go generate in package kernel.
package main

import (
	"log"
	"os"
)

// A kernel is a function that uses vector instructions. The constants of type function in package
// kernel list the kernels in the same order.
type kernel struct {
	name     string
	argument string // name of the struct in args.go with the kernel's arguments
	write    func(m machine)
}

// kernels lists all kernels except the exponential function. The kernels with the indices columnsAt
// to trainingAt-1 compute in 8 bits.
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

// Indices in kernels of the first 8-bit kernel, the first kernel for 8-bit products, and the first
// kernel that is not needed for play.
const columnsAt, productsAt, trainingAt = 3, 4, 9

// write writes a file with the given kernels. first is the index of the first kernel that the
// machine implements; earlier kernels have the address 0 in the table.
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
	// playing is kernels without those needed only for training and for sparse networks in floats.
	playing := kernels[:trainingAt]
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
