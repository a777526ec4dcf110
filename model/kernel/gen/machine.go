package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// A gp is a general register, and a vec is a vector register. In WebAssembly both are locals.
type (
	gp  int
	vec int
)

// none means that there is no vector register.
const none vec = -1

// A machine writes the operations by which the kernels are described. Its vector registers are
// numbered from 0. The machine keeps the registers from spare() on for itself. Floats have 32 bits
// unless an operation says otherwise, and every operation rounds each float once.
type machine interface {
	tile() tile // tile of the matrix kernels
	lanes() int // number of floats in a vector
	spare() vec // number of vector registers that the descriptions may use

	begin(name, argument string) // begins a function whose parameter points to a struct
	end()
	absent()        // takes the number of a function that the machine lacks
	finish() []byte // returns the contents of the generated file

	// Operations on general registers. A field is a field of the function's argument.
	gp() gp
	free(r ...gp)
	get(field string, d gp)
	put(s gp, field string)
	mov(d, s gp)
	set(d gp, n int)
	addNumber(d gp, n int)
	add(d, s gp)
	and(d gp, n int)
	shift(d gp, n int)                       // shifts d to the right by n
	scaled(d, base, index gp, shift int)     // d = base + index<<shift
	load32(d, base gp, offset int)           // loads 32 bits without a sign
	load16(d, base gp, offset int)           // loads 16 bits without a sign
	chosenRow(d, index, stride, rows gp)     // d = rows + index·stride
	inputRow(d, at gp, i int, src, zeros gp) // d = src + offset i of a list, or zeros if that offset is negative
	loop(n gp, body func())                  // runs body n ≥ 1 times and counts n down
	loopField(field string, body func())     // the same with a field in memory as the counter
	when(r gp, body func())                  // runs body if r is not 0
	whenMore(r gp, n int, body func())       // runs body if r > n
	whileMore(r gp, n int, body func())      // runs body as long as r > n

	// Operations on vectors in memory.
	load(d vec, base gp, offset int)
	store(s vec, base gp, offset int)
	loads(d []vec, p gp)  // loads consecutive vectors and moves p to their end
	stores(s []vec, p gp) // stores consecutive vectors and moves p to their end
	dup(d vec, base gp, offset int)

	// Operations on vectors in registers: d = x op y.
	zero(d vec)
	copy(d, s vec)
	op(name string, d, x, y vec) // see each machine's table of names
	sqrt(d, x vec)
	toFloat(d, x vec)     // converts whole numbers to floats
	maximum(d, x, y vec)  // d = x if x > y, otherwise y
	positive(d, x, y vec) // d = x where y > 0, otherwise 0
	widen(d vec, p gp)    // loads half a vector of floats and converts it to 64 bits
	narrow(s vec, p gp)   // converts a vector to 32 bits and stores it

	// word loads word i of the input at row+index. A round takes a number of words, and word may
	// load several of them together. It returns a vector and the lane of that vector that is word
	// i.
	word(x vec, row, index gp, i, words int) (vec, int)
	product(d, w, x vec, lane int) // d += w·(the word in that lane of x), in floats
	prepareDots()
	dot(d, w, x vec, lane int) // the same in 8 bits: each lane adds four products
	activations(y []vec, p gp) // stores vectors of floats ≥ 0 as bytes from 0 to 127

	addRow(sums []vec, row gp, coefficient vec, tmp []vec) // adds a row in memory to sums: floats times a coefficient, or 16-bit numbers if the coefficient is none
	columnBytes(sums []vec, shift, dst gp)                 // stores shifted 16-bit sums as bytes from 0 to 127

	// Operations that multiply four rows with a vector, 32 bytes at a time; see fours.
	inputs(x []vec, src, place gp)
	rowProducts(sums []vec, row, place gp, x []vec, whole bool)
	finishLogits(sums [][]vec, rows []gp, place, dst gp)
	finishDots(sums [][]vec, rows []gp, place, dst gp)

	// exitBeyond leaves the loop of exp32 if one of four numbers is beyond ±limit.
	exitBeyond(numbers, table gp)
	exit()                                               // the place to which exitBeyond jumps
	opConstant(name string, d, x vec, table gp, row int) // op with a row of exp32's table of constants
}

// A tile is the part of a result whose sums a kernel keeps in registers: rows × vectors.
type tile struct {
	rows, vectors int
	words         int // number of input words in a round of the loop, if enough words are left
	sets          int // number of sets of sums; the words of a round take turns between them
}

// single returns a tile of one row. Sums of whole numbers may be added in any order. Such a tile
// has four sets of sums, because the few additions of one set would wait for each other.
func (t tile) single(whole bool) tile {
	t.rows = 1
	if whole {
		t.words, t.sets = 4, 4
	}
	return t
}

// half returns a tile of half as many rows.
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

// rows takes n registers for each of a number of rows.
func (r *registers) rows(rows, n int) [][]vec {
	return slices.Collect(slices.Chunk(r.take(rows*n), n))
}

// from takes a register for a field of the argument and loads the field.
func from(m machine, field string) gp {
	r := m.gp()
	m.get(field, r)
	return r
}

// eachOf moves consecutive vectors to or from memory, and then moves p to their end.
func eachOf(m machine, all []vec, p gp, move func(v vec, base gp, offset int)) {
	for i, v := range all {
		move(v, p, 4*m.lanes()*i)
	}
	m.addNumber(p, 4*m.lanes()*len(all))
}

// fields maps the names of a struct's fields to their offsets.
type fields map[string]int

func (f fields) offset(name string) int {
	at, ok := f[name]
	if !ok {
		panic("the arguments have no " + name)
	}
	return at
}

// readArgs reads the structs of a Go file. All their fields must take eight bytes.
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
