package main

// The 8-bit layers in WebAssembly. One call computes a layer: it goes through blocks of
// output channels, and for each through the boards, their rows, and parts of rows. A
// part is a tile, whose sums are in locals that become registers.

// A dialect is a set of vector instructions that browsers have.
type dialect struct {
	name    string
	relaxed bool // it has the dot product of bytes and a multiply-add of floats
	fields  map[string]int
}

// A wasmTile is n cells, of one row if taps is 3, by some vectors of output channels.
type wasmTile struct {
	taps, n, vectors int
	left, right      bool // its first cell, or its last, is at the board's edge
}

const (
	widestRow   = 5 // cells of a tile of a 3×3 convolution, at most
	widestCells = 4 // cells of a tile of a 1×1 convolution, at most
	lanes       = 4 // of a vector
)

// wasmTiles lists all tiles, by their numbers in the table.
func wasmTiles() (all []wasmTile) {
	for v := 1; v <= 2; v++ {
		for n := 1; n <= widestRow; n++ {
			for edges := range 4 {
				all = append(all, wasmTile{3, n, v, edges&1 != 0, edges&2 != 0})
			}
		}
	}
	for v := 1; v <= 2; v++ {
		for n := 1; n <= widestCells; n++ {
			all = append(all, wasmTile{1, n, v, true, true})
		}
	}
	return all
}

// firstTile is the number of the first tile with so many taps and vectors.
func firstTile(taps, vectors int) int {
	for i, t := range wasmTiles() {
		if t.taps == taps && t.vectors == vectors {
			return i
		}
	}
	panic("no such tile")
}

// field is a field of the arguments, a pointer or an int.
func (d dialect) field(a local, name string) expr { return loadI32(get(a), d.offset(name)) }

func (d dialect) offset(name string) int {
	offset, ok := d.fields[name]
	if !ok {
		panic("the arguments have no " + name)
	}
	return offset
}

// weightBytes is the size of a vector of weights: of four channels of the output, those
// of a word of the input.
func (d dialect) weightBytes() int {
	if d.relaxed {
		return 16
	}
	return 8
}

func (d dialect) loadWeights(address expr, offset int) expr {
	if d.relaxed {
		return loadV(v128Load, address, offset)
	}
	return loadV(load8x8S, address, offset)
}

// dot adds to a sum, for each lane, the products of a word of the input: four of bytes, or two
// of 16 bits. No sum of two products of bytes leaves 16 bits, as the instruction may ask.
func (d dialect) dot(weights, value, sum expr) expr {
	if d.relaxed {
		return simd(relaxedDot, weights, value, sum)
	}
	return simd(i32x4Add, simd(i32x4Dot16, weights, value), sum)
}

// A tileWriter writes the function of a tile, whose parameters are these locals.
type tileWriter struct {
	dialect
	wasmTile
	*function
	a, src, weight, rows local // rows of taps
	offset, channel      local // of the results: the first cell's channel among all, and that channel
	sums                 []local
	places               map[int]local // the word at hand of each cell that is read, by x
}

const tileParams = 6

// tile writes the function of a tile.
func (d dialect) tile(m *module, t wasmTile) {
	f := m.function("", tileParams)
	w := &tileWriter{dialect: d, wasmTile: t, function: f, a: 0, src: 1, weight: 2, rows: 3, offset: 4, channel: 5}
	in := f.i32(d.field(w.a, "in"))
	step := f.i32(shl(get(in), 2))
	w.places = map[int]local{}
	for x := -1; x <= t.n; x++ {
		if t.taps == 1 && (x < 0 || x == t.n) || x < 0 && t.left || x == t.n && t.right {
			continue
		}
		w.places[x] = f.i32(plus(get(w.src), mul(get(step), number(x))))
	}
	for range t.n * t.vectors {
		w.sums = append(w.sums, f.vector(zeroV()))
	}
	if t.taps == 1 {
		w.row(in)
		w.finish()
		return
	}
	next := f.i32(d.field(w.a, "srcNext"))
	f.times(w.rows, func() {
		w.row(in)
		for x := -1; x <= t.n; x++ {
			if p, ok := w.places[x]; ok {
				f.add(p, get(next))
			}
		}
	})
	w.finish()
}

// row adds the products of a row of taps.
func (w *tileWriter) row(in local) {
	word := w.i32(get(in))
	if sets := 8 / w.vectors; w.taps == 1 && w.n == 1 {
		w.oneCell(word, sets)
		return
	}
	w.times(word, func() { w.words(1, w.sums) })
}

// oneCell adds the products of a single cell. Its few sums would wait for one another:
// some words of the input go to sums of their own, which are added up in the end.
func (w *tileWriter) oneCell(word local, sets int) {
	all := w.sums
	for range (sets - 1) * w.vectors {
		all = append(all, w.vector(zeroV()))
	}
	w.when(op(i32GeS, get(word), number(sets)), func() {
		w.repeat(func() {
			w.words(sets, all)
			w.function.add(word, number(-sets))
		}, func() expr { return op(i32GeS, get(word), number(sets)) })
	})
	w.when(get(word), func() { w.times(word, func() { w.words(1, w.sums) }) })
	for i, extra := range all[w.vectors:] {
		k := i % w.vectors
		w.set(w.sums[k], simd(i32x4Add, get(extra), get(w.sums[k])))
	}
}

// words adds the products of some words of the input, and moves on behind them. sums has
// as many sets of sums as there are words.
func (w *tileWriter) words(n int, sums []local) {
	weights := w.spare(w.vectors)
	value := w.spare(w.vectors + 1)[w.vectors]
	set := w.n * w.vectors
	for word := range n {
		for tap := range w.taps {
			for k := range w.vectors {
				w.set(weights[k], w.loadWeights(get(w.weight), ((word*w.taps+tap)*w.vectors+k)*w.weightBytes()))
			}
			for cell := range w.n {
				place, ok := w.places[cell+tap-w.taps/2]
				if !ok {
					continue
				}
				w.set(value, loadV(load32Splat, get(place), 4*word))
				for k := range w.vectors {
					sum := sums[word*set%len(sums)+cell*w.vectors+k]
					w.set(sum, w.dot(get(weights[k]), get(value), get(sum)))
				}
			}
		}
	}
	w.function.add(w.weight, number(n*w.taps*w.vectors*w.weightBytes()))
	for x := -1; x <= w.n; x++ {
		if p, ok := w.places[x]; ok {
			w.function.add(p, number(4*n))
		}
	}
}

// spare returns n new locals for vectors.
func (w *tileWriter) spare(n int) (all []local) {
	for range n {
		all = append(all, w.new(typeV128))
	}
	return all
}

// finish turns the sums into floats and bytes and stores them:
//
//	y = max(floor, sum·scale + bias + res),  dst = y,  quant = min(127, round(y·inverse))
//
// Products and sums are rounded one by one.
func (w *tileWriter) finish() {
	channels := w.i32(shl(get(w.channel), 2))
	perVector := func(field string, k int) local {
		return w.vector(loadV(v128Load, plus(w.field(w.a, field), get(channels)), 16*k))
	}
	for k := range w.vectors {
		scale, bias := perVector("scale", k), perVector("bias", k)
		for cell := range w.n {
			sum := w.sums[cell*w.vectors+k]
			w.set(sum, simd(f32x4Add, simd(f32x4Mul, simd(f32x4OfI32x4, get(sum)), get(scale)), get(bias)))
		}
	}
	left := w.i32(minus(w.field(w.a, "out"), get(w.channel)))
	w.eachSum("res", 4, func(p local, offset int, sum local) {
		w.set(sum, simd(f32x4Add, get(sum), w.loadSome(w.function, p, offset, left, w.vectors > 1)))
	})
	floor := w.vector(loadV(load32Splat, get(w.a), w.dialect.offset("floor")))
	for _, sum := range w.sums {
		w.set(sum, simd(f32x4PMax, get(floor), get(sum)))
	}
	w.eachSum("dst", 4, func(p local, offset int, sum local) {
		w.storeSome(w.function, p, offset, sum, left, w.vectors > 1)
	})
	w.bytes(perVector)
}

// eachSum calls f for every sum if a field of the arguments, an array with so many bytes a
// channel, is not nil: with the address of its cell there and the offset of its vector.
func (w *tileWriter) eachSum(field string, bytes int, f func(p local, offset int, sum local)) {
	p := w.i32(w.field(w.a, field))
	w.when(get(p), func() {
		w.function.add(p, mul(get(w.offset), number(bytes)))
		for cell := range w.n {
			for k := range w.vectors {
				f(p, k*lanes*bytes, w.sums[cell*w.vectors+k])
			}
			w.function.add(p, mul(w.field(w.a, "out"), number(bytes)))
		}
	})
}

// loadSome is a vector of floats of which the first lanes are read, as many as left says.
func (d dialect) loadSome(f *function, p local, offset int, left local, whole bool) expr {
	if whole {
		return loadV(v128Load, get(p), offset)
	}
	v := f.vector(zeroV())
	for lane := range lanes {
		f.when(op(i32LtS, number(lane), get(left)), func() {
			f.set(v, append(at(simd(load32Lane, get(p), get(v)), offset+4*lane), byte(lane)))
		})
	}
	return get(v)
}

// storeSome stores the first lanes of a vector of floats.
func (d dialect) storeSome(f *function, p local, offset int, v local, left local, whole bool) {
	if whole {
		f.do(storeV(get(p), offset, get(v)))
		return
	}
	for lane := range lanes {
		f.when(op(i32LtS, number(lane), get(left)), func() {
			f.do(storeLane(store32Lane, get(p), offset+4*lane, lane, get(v)))
		})
	}
}

// bytes writes the sums, floats by now, in 8 bits.
func (w *tileWriter) bytes(perVector func(field string, k int) local) {
	w.when(w.field(w.a, "quant"), func() {
		for k := range w.vectors {
			inverse := perVector("inverse", k)
			for cell := range w.n {
				sum := w.sums[cell*w.vectors+k]
				w.set(sum, roundV(get(sum), get(inverse)))
			}
		}
	})
	p := w.i32(w.field(w.a, "quant"))
	w.when(get(p), func() {
		w.function.add(p, get(w.offset))
		for cell := range w.n {
			first, last := w.sums[cell*w.vectors], w.sums[(cell+1)*w.vectors-1]
			v := narrow(get(first), get(last))
			if w.vectors == 2 {
				w.do(storeLane(store64Lane, get(p), 0, 0, v))
			} else {
				w.do(storeLane(store32Lane, get(p), 0, 0, v))
			}
			w.function.add(p, w.field(w.a, "out"))
		}
	})
}

// wholeBits is 1.5·2²³ in bits. A small number that is added to it is rounded to the
// nearest whole number, which are its lowest bits then.
const wholeBits = 0x4b400000

// roundV is the whole numbers max(0, min(127, x·inverse)), rounded to the nearest, and
// 127 for what is no number.
func roundV(x, inverse expr) expr {
	const magic = 3 << 22
	units := simd(f32x4PMax, zeroV(), simd(f32x4PMin, splat(127), simd(f32x4Mul, x, inverse)))
	rounded := simd(f32x4Add, units, splat(magic))
	return simd(i32x4Sub, rounded, simd(i32x4Splat, number(wholeBits)))
}

// narrow is two vectors of whole numbers as eight bytes; negative ones become 0.
func narrow(x, y expr) expr {
	words := simd(i16x8Narrow, x, y)
	return simd(i8x16NarrowU, words, zeroV())
}

// layer writes the function that computes a layer of 3×3 or 1×1 taps.
func (d dialect) layer(m *module, name string, taps int) {
	f := m.function(name, 1)
	const a local = 0
	src, weight := f.i32(d.field(a, "src")), f.i32(d.field(a, "weight"))
	if !d.relaxed {
		d.widen(f, a, src)
	}
	out, in := f.i32(d.field(a, "out")), f.i32(d.field(a, "in"))
	step, channel := f.i32(shl(get(in), 2)), f.i32(number(0))
	for v := 2; v > 0; v-- {
		block := lanes * v
		end := plus(get(out), number(1-block))
		if v == 1 {
			end = get(out)
		}
		rowBytes := f.i32(mul(get(in), number(taps*v*d.weightBytes())))
		f.upTo(channel, end, number(block), func() {
			if taps == 1 {
				d.cellTiles(f, v, src, weight, channel, step)
			} else {
				d.rowTiles(f, v, src, weight, channel, step, rowBytes)
			}
			f.add(weight, mul(get(rowBytes), number(taps)))
		})
	}
}

// firstPartV writes package kernel's firstPart for at most limit.
func firstPartV(f *function, n expr, limit int) local {
	left := f.i32(n)
	parts := f.i32(op(i32DivS, plus(get(left), number(limit-1)), number(limit)))
	return f.i32(op(i32DivS, plus(get(left), plus(get(parts), number(-1))), get(parts)))
}

// cellTiles computes a block of channels of all cells.
func (d dialect) cellTiles(f *function, v int, src, weight, channel, step local) {
	const a local = 0
	cell, cells := f.i32(number(0)), f.i32(mul(d.field(a, "boards"), mul(d.field(a, "h"), d.field(a, "w"))))
	n := f.new(typeI32)
	f.upTo(cell, get(cells), get(n), func() {
		f.set(n, get(firstPartV(f, minus(get(cells), get(cell)), widestCells)))
		f.do(call(plus(get(n), number(firstTile(1, v)-1)), get(a),
			plus(get(src), mul(get(cell), get(step))), get(weight), number(1),
			plus(mul(get(cell), d.field(a, "out")), get(channel)), get(channel)))
	})
}

// rowTiles computes a block of channels of all boards, row by row and part by part.
func (d dialect) rowTiles(f *function, v int, src, weight, channel, step, rowBytes local) {
	const a local = 0
	w, h := f.i32(d.field(a, "w")), f.i32(d.field(a, "h"))
	row := f.i32(number(0)) // counted over all boards
	rows := f.i32(mul(get(h), d.field(a, "boards")))
	y := f.i32(number(0))
	f.upTo(row, get(rows), number(1), func() {
		above := f.i32(op(i32LtS, number(0), get(y)))
		below := f.i32(op(i32LtS, plus(get(y), number(1)), get(h)))
		x, n := f.i32(number(0)), f.new(typeI32)
		start := f.i32(mul(minus(get(row), get(above)), get(w)))
		taps := f.i32(plus(get(weight), mul(get(rowBytes), minus(number(1), get(above)))))
		f.upTo(x, get(w), get(n), func() {
			f.set(n, get(firstPartV(f, minus(get(w), get(x)), widestRow)))
			edges := op(i32Or, op(i32Eqz, get(x)), shl(op(i32Eq, plus(get(x), get(n)), get(w)), 1))
			tile := plus(number(firstTile(3, v)-4), plus(shl(get(n), 2), edges))
			f.do(call(tile, get(a),
				plus(get(src), mul(plus(get(start), get(x)), get(step))), get(taps),
				plus(number(1), plus(get(above), get(below))),
				plus(mul(plus(mul(get(row), get(w)), get(x)), d.field(a, "out")), get(channel)), get(channel)))
		})
		f.add(y, number(1))
		f.when(op(i32Eq, get(y), get(h)), func() { f.set(y, number(0)) })
	})
}

// widen copies the input to the array wide, in 16 bits, and makes that src. Its number of
// bytes is a multiple of four.
func (d dialect) widen(f *function, a, src local) {
	from, to := f.i32(get(src)), f.i32(d.field(a, "wide"))
	n := f.i32(mul(mul(d.field(a, "boards"), mul(d.field(a, "h"), d.field(a, "w"))), shl(d.field(a, "in"), 1)))
	f.set(src, get(to))
	f.when(op(i32GeS, get(n), number(8)), func() {
		f.repeat(func() {
			f.do(storeV(get(to), 0, loadV(load8x8U, get(from), 0)))
			f.add(from, number(8))
			f.add(to, number(16))
			f.add(n, number(-8))
		}, func() expr { return op(i32GeS, get(n), number(8)) })
	})
	f.when(get(n), func() {
		f.do(storeLane(store64Lane, get(to), 0, 0, simd(i16x8OfLowU, loadV(load32Zero, get(from), 0))))
	})
}
