package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// A gp is the number of a general-purpose register, and a vec is the number of a vector register.
// In WebAssembly, both are local variables.
type (
	gp  int
	vec int
)

// none stands for "no vector register" where a register is expected.
const none vec = -1

// A machine generates code for one instruction set. The descriptions of the kernels call its
// methods, each of which writes one operation. Vector registers are numbered from 0; those from
// number spare() on are reserved for the machine. Floats have 32 bits unless the comment on an
// operation says otherwise. Every operation rounds each float once.
type machine interface {
	tile() tile // size of the tiles of the matrix kernels; see type tile
	lanes() int // number of floats in a vector
	spare() vec // number of vector registers available to the descriptions of kernels

	// Begins a function whose argument is a pointer to the named struct.
	begin(name, argument string)
	end()
	absent()        // skips a function that this machine does not implement
	finish() []byte // returns the contents of the generated file

	// Operations on general registers. field is the name of a field in the struct with the
	// function's arguments.
	gp() gp
	free(r ...gp)
	get(field string, d gp)
	put(s gp, field string)
	mov(d, s gp)
	set(d gp, n int)
	addNumber(d gp, n int)
	add(d, s gp)
	and(d gp, n int)
	shift(d gp, n int)                   // shifts d to the right by n
	scaled(d, base, index gp, shift int) // d = base + index<<shift
	load32(d, base gp, offset int)       // loads 32 bits as an unsigned number
	load16(d, base gp, offset int)       // loads 16 bits as an unsigned number
	chosenRow(d, index, stride, rows gp) // d = rows + index·stride
	// Sets d to src + offset, where offset is number i in the list at address at. If offset is
	// negative, sets d to zeros.
	inputRow(d, at gp, i int, src, zeros gp)
	// Runs body n times (n ≥ 1), counting the register n down to 0.
	loop(n gp, body func())
	loopField(field string, body func()) // like loop, but counts down a field in memory
	when(r gp, body func())              // runs body if r is not 0
	whenMore(r gp, n int, body func())   // runs body if r > n
	whileMore(r gp, n int, body func())  // runs body while r > n

	// Operations that load vectors from memory and store them.
	load(d vec, base gp, offset int)
	store(s vec, base gp, offset int)
	loads(d []vec, p gp)  // loads consecutive vectors from p, and moves p past them
	stores(s []vec, p gp) // stores consecutive vectors at p, and moves p past them
	dup(d vec, base gp, offset int)

	// Operations on vectors in registers. d is the result; x and y are the inputs.
	zero(d vec)
	copy(d, s vec)
	op(name string, d, x, y vec) // d = x OP y, where each machine has a table of names for OP
	sqrt(d, x vec)
	toFloat(d, x vec)     // converts integers to floats
	maximum(d, x, y vec)  // d = x if x > y, otherwise y
	positive(d, x, y vec) // d = x where y > 0, otherwise 0
	// Loads half as many floats as a vector has lanes, and converts them to 64 bits.
	widen(d vec, p gp)
	narrow(s vec, p gp) // converts a vector of 64-bit floats to 32 bits and stores it

	// word loads word i of the input at address row+index. words is the number of words per round
	// of the loop; word may load all of them together. It returns the vector register and the lane
	// that hold word i.
	word(x vec, row, index gp, i, words int) (vec, int)
	product(d, w, x vec, lane int) // d += w·(word in the given lane of x), in floats
	prepareDots()
	// Like product, but for bytes: a word is four bytes, and the sum of four products is added to
	// each lane of d.
	dot(d, w, x vec, lane int)
	// Rounds vectors of floats ≥ 0 to bytes from 0 to 127 and stores them.
	activations(y []vec, p gp)

	// Adds a row in memory to sums: a row of floats multiplied by coefficient or, if coefficient is
	// none, a row of 16-bit integers.
	addRow(sums []vec, row gp, coefficient vec, tmp []vec)
	// Shifts 16-bit sums to the right, clamps them to the range from 0 to 127 and stores them as
	// bytes.
	columnBytes(sums []vec, shift, dst gp)

	// Operations for multiplying four rows by a vector, 32 bytes of each at a time; see the
	// function fours.
	inputs(x []vec, src, place gp)
	rowProducts(sums []vec, row, place gp, x []vec, whole bool)
	finishLogits(sums [][]vec, rows []gp, place, dst gp)
	finishDots(sums [][]vec, rows []gp, place, dst gp)

	// exitBeyond jumps out of the loop of exp32 if one of the next four numbers is beyond ±87, the
	// limit in the table of constants.
	exitBeyond(numbers, table gp)
	// Marks the target of the jumps that exitBeyond writes.
	exit()
	// Like op, where y is a row of exp32's table of constants.
	opConstant(name string, d, x vec, table gp, row int)
}

// A tile is a part of the results that a kernel computes at a time, keeping all its sums in
// registers. It has rows, and each row consists of vectors.
type tile struct {
	rows, vectors int
	// Number of input words per round of the loop. The last rounds may have only one word.
	words int
	sets  int // number of sets of sums; successive words of a round are added to different sets
}

// single returns a tile of one row. For integers (whole is set), it has four sets of sums, which
// are added up at the end. With a single set, each addition would have to wait for the previous
// one. Sums of floats cannot be split like this, because the order of additions must not change.
func (t tile) single(whole bool) tile {
	t.rows = 1
	if whole {
		t.words, t.sets = 4, 4
	}
	return t
}

// half returns a tile with half as many rows.
func (t tile) half() tile {
	t.rows /= 2
	return t
}

// registers hands out unused vector registers.
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

// rows takes n registers for each of several rows.
func (r *registers) rows(rows, n int) [][]vec {
	return slices.Collect(slices.Chunk(r.take(rows*n), n))
}

// from takes a general register and loads a field of the function's arguments into it.
func from(m machine, field string) gp {
	r := m.gp()
	m.get(field, r)
	return r
}

// eachOf calls move once for each of several consecutive vectors at address p, to load or store it.
// Then it moves p past the last vector.
func eachOf(m machine, all []vec, p gp, move func(v vec, base gp, offset int)) {
	for i, v := range all {
		move(v, p, 4*m.lanes()*i)
	}
	m.addNumber(p, 4*m.lanes()*len(all))
}

// fields maps the names of a struct's fields to their offsets in bytes.
type fields map[string]int

func (f fields) offset(name string) int {
	at, ok := f[name]
	if !ok {
		panic("the arguments have no " + name)
	}
	return at
}

// readArgs reads the structs in a Go file and returns the offsets of their fields. Every field must
// have eight bytes.
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
