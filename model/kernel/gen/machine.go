package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// A gp is a general register, and a vec a vector register. In WebAssembly both are locals.
type (
	gp  int
	vec int
)

// none stands for the absence of a vector register.
const none vec = -1

// A machine writes the operations that the kernels are described by. Registers of its
// vectors are numbered from 0; those from spare() on are its own. Floats have 32 bits
// unless an operation says otherwise, and each of them is rounded once.
type machine interface {
	tile() tile // of the matrix kernels
	lanes() int // floats of a vector
	spare() vec // how many vector registers the descriptions may use

	begin(name, argument string) // a function whose parameter points to a struct
	end()
	absent()        // in the place of a function that the machine lacks
	finish() []byte // the file

	// General registers. A field is one of the function's argument.
	gp() gp
	free(r ...gp)
	get(field string, d gp)
	put(s gp, field string)
	mov(d, s gp)
	set(d gp, n int)
	addNumber(d gp, n int)
	add(d, s gp)
	and(d gp, n int)
	shift(d gp, n int)                       // to the right
	scaled(d, base, index gp, shift int)     // d = base + index<<shift
	load32(d, base gp, offset int)           // without its sign
	load16(d, base gp, offset int)           // without its sign
	chosenRow(d, index, stride, rows gp)     // d = rows + index·stride
	inputRow(d, at gp, i int, src, zeros gp) // d = src + the i-th offset of a list, or zeros if that is negative
	loop(n gp, body func())                  // does body n ≥ 1 times, counting n down
	loopField(field string, body func())     // the same with a field
	when(r gp, body func())                  // if r is not 0
	whenMore(r gp, n int, body func())       // if r > n
	whileMore(r gp, n int, body func())      // as long as r > n

	// Vectors in memory.
	load(d vec, base gp, offset int)
	store(s vec, base gp, offset int)
	loads(d []vec, p gp)  // consecutive vectors, and moves p behind them
	stores(s []vec, p gp) // likewise
	dup(d vec, base gp, offset int)

	// Vectors in registers: d = x op y.
	zero(d vec)
	copy(d, s vec)
	op(name string, d, x, y vec) // see each machine's table
	sqrt(d, x vec)
	toFloat(d, x vec)     // from whole numbers
	maximum(d, x, y vec)  // x if x > y, else y
	positive(d, x, y vec) // x where y > 0, else 0
	widen(d vec, p gp)    // half a vector of floats in memory, in 64 bits
	narrow(s vec, p gp)   // and back to memory

	// word loads words i ≤ … of the input at row+index for a round of some words: x and the
	// lane of it that is word i.
	word(x vec, row, index gp, i, words int) (vec, int)
	product(d, w, x vec, lane int) // d += w·word in floats
	prepareDots()
	dot(d, w, x vec, lane int) // in 8 bits, the four products of each lane
	activations(y []vec, p gp) // stores vectors of floats from 0 on as bytes up to 127

	addRow(sums []vec, row gp, coefficient vec, tmp []vec) // a row in memory: floats times a coefficient, or with none numbers of 16 bits
	columnBytes(sums []vec, shift, dst gp)                 // stores sums of 16 bits, shifted, as bytes from 0 to 127

	// Four rows multiplied with a vector, 32 bytes at a time; see fours.
	inputs(x []vec, src, place gp)
	rowProducts(sums []vec, row, place gp, x []vec, whole bool)
	finishLogits(sums [][]vec, rows []gp, place, dst gp)
	finishDots(sums [][]vec, rows []gp, place, dst gp)

	// exitBeyond leaves the loop of exponential if one of four numbers is not within ±limit.
	exitBeyond(numbers, table gp)
	exit()                                               // where that leads
	opConstant(name string, d, x vec, table gp, row int) // op with a row of exponential's table
}

// A tile is the part of a result whose sums a kernel keeps in registers: rows × vectors.
type tile struct {
	rows, vectors int
	words         int // words of the input that a round of the loop takes, if there are as many left
	sets          int // of sums, between which these words take turns
}

// single is the tile of a single row. Sums of whole numbers may be added in any order: as a few
// of them would wait for one another, there are four sets.
func (t tile) single(whole bool) tile {
	t.rows = 1
	if whole {
		t.words, t.sets = 4, 4
	}
	return t
}

// half is a tile of half as many rows.
func (t tile) half() tile {
	t.rows /= 2
	return t
}

// registers hands out vector registers.
type registers struct{ next, end vec }

func newRegisters(m machine) *registers { return &registers{end: m.spare()} }

func (r *registers) take(n int) (all []vec) {
	for range n {
		if r.next == r.end {
			panic("no vector register is left")
		}
		all = append(all, r.next)
		r.next++
	}
	return all
}

func (r *registers) one() vec { return r.take(1)[0] }

// rows takes n registers for each of some rows.
func (r *registers) rows(rows, n int) [][]vec {
	return slices.Collect(slices.Chunk(r.take(rows*n), n))
}

// from takes a register for a field of the argument and loads it.
func from(m machine, field string) gp {
	r := m.gp()
	m.get(field, r)
	return r
}

// eachOf moves vectors to or from memory, one behind the other, and p behind them.
func eachOf(m machine, all []vec, p gp, move func(v vec, base gp, offset int)) {
	for i, v := range all {
		move(v, p, 4*m.lanes()*i)
	}
	m.addNumber(p, 4*m.lanes()*len(all))
}

// fields are the offsets of a struct's fields.
type fields map[string]int

func (f fields) offset(name string) int {
	at, ok := f[name]
	if !ok {
		panic("the arguments have no " + name)
	}
	return at
}

// readArgs reads the structs of a Go file, all fields of which take eight bytes.
func readArgs(path string) (map[string]fields, error) {
	text, err := os.ReadFile(path)
	all := map[string]fields{}
	for _, s := range regexp.MustCompile(`(?ms)^type (\w+) struct \{$(.*?)^\}$`).FindAllStringSubmatch(string(text), -1) {
		f := fields{}
		for _, names := range regexp.MustCompile(`(?m)^\t(\w+(?:, \w+)*) `).FindAllStringSubmatch(s[2], -1) {
			for _, name := range strings.Split(names[1], ", ") {
				f[name] = 8 * len(f)
			}
		}
		all[s[1]] = f
	}
	return all, err
}
