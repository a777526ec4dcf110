package main

import (
	"bytes"
	"slices"
	"strconv"
)

// A wasm generates functions with the vector instructions of WebAssembly. An expression is code
// that leaves one value on the stack; see module.go.
type wasm struct {
	// Always nil, so that calling an operation that wasm does not implement panics. These are
	// operations that only training needs.
	machine
	// Whether to use relaxed SIMD instructions: a dot product of bytes and a multiply-add of
	// floats.
	relaxed bool
	structs map[string]fields
	fields
	module
	*function
	vectors map[vec]local
	count   int // number of functions so far, including absent ones
}

// A local is the number of a local variable. Number 0 is the parameter.
type local int

func (m *wasm) tile() tile { return tile{rows: 4, vectors: 2, words: 1, sets: 1} }
func (m *wasm) lanes() int { return 4 }
func (m *wasm) spare() vec { return 32 }

// begin begins a function whose name is the number of the kernel, in decimal.
func (m *wasm) begin(_, argument string) {
	m.function = &function{name: strconv.Itoa(m.count)}
	m.functions = append(m.functions, m.function)
	m.count++
	m.fields, m.vectors = m.structs[argument], map[vec]local{}
}
func (m *wasm) end()           {}
func (m *wasm) absent()        { m.count++ }
func (m *wasm) finish() []byte { return m.encode() }

func (m *wasm) new(kind byte) local {
	m.locals = append(m.locals, kind)
	return local(len(m.locals))
}

func (m *wasm) do(statement expr) { m.code = append(m.code, statement...) }
func (m *wasm) assign(l local, value expr) {
	m.do(slices.Concat(value, expr{0x21}, unsigned(int(l))))
}

// v returns an expression that reads a vector register. let writes code that assigns a value to
// one.
func (m *wasm) v(r vec) expr { return read(m.local(r)) }
func (m *wasm) local(r vec) local {
	l, ok := m.vectors[r]
	if !ok {
		l = m.new(typeV128)
		m.vectors[r] = l
	}
	return l
}
func (m *wasm) let(r vec, value expr) { m.assign(m.local(r), value) }

// tmp writes code that stores a value in a new local variable, and returns an expression that reads
// it.
func (m *wasm) tmp(value expr) expr {
	l := m.new(typeV128)
	m.assign(l, value)
	return read(l)
}

func (m *wasm) gp() gp     { return gp(m.new(typeI32)) }
func (m *wasm) free(...gp) {}

func (m *wasm) g(r gp) expr                { return read(local(r)) }
func (m *wasm) setTo(d gp, value expr)     { m.assign(local(d), value) }
func (m *wasm) get(field string, d gp)     { m.setTo(d, loadI32(read(0), m.offset(field))) }
func (m *wasm) put(s gp, field string)     { m.do(at(op(0x36, read(0), m.g(s)), m.offset(field))) }
func (m *wasm) mov(d, s gp)                { m.setTo(d, m.g(s)) }
func (m *wasm) set(d gp, n int)            { m.setTo(d, number(n)) }
func (m *wasm) addNumber(d gp, n int)      { m.setTo(d, plus(m.g(d), number(n))) }
func (m *wasm) add(d, s gp)                { m.setTo(d, plus(m.g(d), m.g(s))) }
func (m *wasm) and(d gp, n int)            { m.setTo(d, op(i32And, m.g(d), number(n))) }
func (m *wasm) shift(d gp, n int)          { m.setTo(d, op(i32ShrS, m.g(d), number(n))) }
func (m *wasm) load32(d, b gp, offset int) { m.setTo(d, loadI32(m.g(b), offset)) }
func (m *wasm) load16(d, b gp, offset int) { m.setTo(d, loadU16(m.g(b), offset)) }
func (m *wasm) scaled(d, b, i gp, by int)  { m.setTo(d, plus(m.g(b), op(i32Shl, m.g(i), number(by)))) }
func (m *wasm) chosenRow(d, i, stride, rows gp) {
	m.setTo(d, plus(m.g(rows), op(i32Mul, m.g(i), m.g(stride))))
}
func (m *wasm) inputRow(d, at gp, i int, src, zeros gp) {
	m.load32(d, at, 4*i)
	m.setTo(d, op(selection, plus(m.g(src), m.g(d)), m.g(zeros), op(i32GeS, m.g(d), number(0))))
}

// repeat writes a loop that runs body once, and then repeats it while the condition is not zero.
func (m *wasm) repeat(body func(), condition func() expr) {
	m.do(expr{0x03, 0x40})
	body()
	m.do(condition())
	m.do(expr{0x0d, 0, 0x0b})
}
func (m *wasm) conditional(condition expr, body func()) {
	m.do(append(condition, 0x04, 0x40))
	body()
	m.do(expr{0x0b})
}
func (m *wasm) loop(n gp, body func()) {
	m.repeat(body, func() expr {
		m.addNumber(n, -1)
		return m.g(n)
	})
}
func (m *wasm) loopField(field string, body func()) {
	n := m.gp()
	m.get(field, n)
	m.loop(n, body)
}
func (m *wasm) when(r gp, body func())            { m.conditional(m.g(r), body) }
func (m *wasm) more(r gp, n int) expr             { return op(i32LtS, number(n), m.g(r)) }
func (m *wasm) whenMore(r gp, n int, body func()) { m.conditional(m.more(r, n), body) }
func (m *wasm) whileMore(r gp, n int, body func()) {
	m.whenMore(r, n, func() { m.repeat(body, func() expr { return m.more(r, n) }) })
}

func (m *wasm) load(d vec, base gp, offset int)  { m.let(d, loadV(v128Load, m.g(base), offset)) }
func (m *wasm) store(s vec, base gp, offset int) { m.do(storeV(m.g(base), offset, m.v(s))) }
func (m *wasm) loads(d []vec, p gp)              { eachOf(m, d, p, m.load) }
func (m *wasm) stores(s []vec, p gp)             { eachOf(m, s, p, m.store) }
func (m *wasm) dup(d vec, base gp, offset int)   { m.let(d, loadV(load32Splat, m.g(base), offset)) }

func (m *wasm) zero(d vec)    { m.let(d, zeroV()) }
func (m *wasm) copy(d, s vec) { m.let(d, m.v(s)) }

var codes = map[string]int{"fadd": f32x4Add, "fmul": f32x4Mul, "add32": i32x4Add}

func (m *wasm) op(name string, d, x, y vec) {
	code, ok := codes[name]
	if !ok {
		panic("no operation " + name)
	}
	m.let(d, simd(code, m.v(x), m.v(y)))
}
func (m *wasm) toFloat(d, x vec)    { m.let(d, simd(f32x4OfI32x4, m.v(x))) }
func (m *wasm) maximum(d, x, y vec) { m.let(d, simd(f32x4PMax, m.v(y), m.v(x))) }

func (m *wasm) word(x vec, row, index gp, i, _ int) (vec, int) {
	m.let(x, loadV(load32Splat, plus(m.g(row), m.g(index)), 4*i))
	return x, 0
}
func (m *wasm) product(d, w, x vec, _ int) { m.let(d, simd(f32x4RelaxedFMA, m.v(w), m.v(x), m.v(d))) }
func (m *wasm) prepareDots()               {}

// dot adds four products of bytes to each lane of d; see arm64.dot. On some processors, relaxedDot
// requires that the sum of two products fits into 16 bits. Here it always does.
func (m *wasm) dot(d, w, x vec, _ int) {
	if m.relaxed {
		m.let(d, simd(relaxedDot, m.v(w), m.v(x), m.v(d)))
		return
	}
	shorts := m.tmp(simd(i16x8OfLowU, m.v(x)))
	pair := func(i byte) expr {
		return append(simd(i8x16Shuffle, shorts, shorts), bytes.Repeat([]byte{i, i + 1, i + 2, i + 3}, 4)...)
	}
	m.products(d, w, pair(0), pair(4))
}

// products multiplies the bytes of w by 16-bit integers and adds the products to d. low holds the
// integers for the lower half of w, and high those for the upper half.
func (m *wasm) products(d, w vec, low, high expr) {
	first := simd(i32x4Dot16, simd(i16x8OfLowS, m.v(w)), low)
	second := simd(i32x4Dot16, simd(i16x8OfHighS, m.v(w)), high)
	m.let(d, simd(i32x4Add, m.v(d), simd(i32x4Add, first, second)))
}

// activations rounds to the nearest integer, and halves to even. To do so, it adds a number so
// large that floats of that size have no fractional part.
func (m *wasm) activations(row []vec, p gp) {
	const magic, bits = 3 << 22, 0x4b400000 // bits is the bit pattern of float32(magic)
	for _, v := range row {
		cut := simd(f32x4PMin, splat(127), m.v(v))
		m.let(v, simd(i32x4Sub, simd(f32x4Add, cut, splat(magic)), simd(i32x4Splat, number(bits))))
	}
	shorts := simd(i16x8Narrow, m.v(row[0]), m.v(row[1]))
	m.do(append(at(simd(store64Lane, m.g(p), simd(i8x16NarrowU, shorts, zeroV())), 0), 0))
}

func (m *wasm) addRow(sums []vec, row gp, _ vec, _ []vec) { // only for rows of 16-bit integers
	for i, s := range sums {
		m.let(s, simd(i16x8Add, m.v(s), loadV(v128Load, m.g(row), 16*i)))
	}
}

func (m *wasm) columnBytes(sums []vec, shift, dst gp) {
	top := m.tmp(simd(i16x8Splat, number(127)))
	for _, s := range sums {
		m.let(s, simd(i16x8MaxS, zeroV(), simd(i16x8MinS, top, simd(i16x8ShrS, m.v(s), m.g(shift)))))
	}
	for i := 0; i < len(sums); i += 2 {
		m.do(storeV(m.g(dst), 8*i, simd(i8x16NarrowU, m.v(sums[i]), m.v(sums[i+1]))))
	}
	m.addNumber(dst, 8*len(sums))
}

func (m *wasm) inputs(x []vec, src, _ gp) { m.loads(x, src) }

func (m *wasm) rowProducts(sums []vec, row, _ gp, x []vec, _ bool) {
	w := m.spare() - 1
	for i, v := range x {
		m.load(w, row, 16*i)
		if m.relaxed {
			m.dot(sums[0], w, v, 0)
		} else {
			m.products(sums[0], w, simd(i16x8OfLowU, m.v(v)), simd(i16x8OfHighU, m.v(v)))
		}
	}
	m.addNumber(row, 32)
}

func (m *wasm) finishLogits(sums [][]vec, rows []gp, _, dst gp) {
	for i, s := range sums {
		lane := func(n byte) expr { return append(simd(i32x4Lane, m.v(s[0])), n) }
		whole := plus(plus(lane(0), lane(1)), plus(lane(2), lane(3)))
		scale, bias := loadF32(m.g(rows[i]), 0), loadF32(m.g(rows[i]), 4)
		m.do(at(op(0x38, m.g(dst), op(f32Add, op(f32Mul, op(f32OfI32, whole), scale), bias)), 4*i))
	}
}
