package main

// The 8-bit layers in WebAssembly. One call computes a layer: it goes through blocks of
// output channels, and for each through the boards, their rows, and parts of rows. A
// part is a tile, whose sums are in locals that become registers.

// A dialect is a set of vector instructions that browsers have.
type dialect struct {
	level
	relaxed bool // it has the dot product of bytes and a multiply-add of floats
	fields  map[string]int
}

// A wasmTile is a tile in 8 bits. There is a function for each combination of edges that the
// cells of a row may touch, so that neighbours off the board need no zeros.
type wasmTile struct {
	tile
	left, right bool // its first cell, or its last, is at the board's edge
}

// wasmTiles lists all tiles, by their numbers in the table.
func wasmTiles() (all []wasmTile) {
	for _, t := range tilesOf(quantsWasm, true) {
		if t.kind == cells {
			all = append(all, wasmTile{t, true, true})
			continue
		}
		for edges := range 4 {
			all = append(all, wasmTile{t, edges&1 != 0, edges&2 != 0})
		}
	}
	return all
}

// firstTile is the number of the first tile with so many taps and vectors.
func firstTile(taps, vectors int) int {
	for i, t := range wasmTiles() {
		if t.taps() == taps && t.vectors == vectors {
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

// addDot adds to a sum, for each lane, the products of a word of the input: four of bytes, or two
// of 16 bits. No sum of two products of bytes leaves 16 bits, as the instruction may ask.
func (d dialect) addDot(weights, value, sum expr) expr {
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
	layout
	a, src, weight, rows local         // rows of taps
	offset, channel      local         // of the results: the first cell's channel among all, and that channel
	sums                 []local       // the first set
	places               map[int]local // the word at hand of each cell that is read, by x
}

const tileParams = 6

// tile writes the function of a tile.
func (d dialect) tile(m *module, t wasmTile) {
	f := m.function("", tileParams)
	w := &tileWriter{dialect: d, wasmTile: t, function: f, layout: d.layout(t.tile), a: 0, src: 1, weight: 2, rows: 3, offset: 4, channel: 5}
	in := f.i32(d.field(w.a, "in"))
	step := f.i32(shl(get(in), 2))
	w.places = map[int]local{}
	for x := -1; x <= t.n; x++ {
		if t.taps() == 1 && (x < 0 || x == t.n) || x < 0 && t.left || x == t.n && t.right {
			continue
		}
		w.places[x] = f.i32(plus(get(w.src), mul(get(step), number(x))))
	}
	for range t.n * t.vectors {
		w.sums = append(w.sums, f.vector(zeroV()))
	}
	if t.taps() == 1 {
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
	if w.sets > 1 {
		w.oneCell(word)
		return
	}
	w.times(word, func() { w.wordsAtOnce(1, w.sums) })
}

// oneCell adds the products of a single cell. Its few sums would wait for one another:
// as many words of the input as there are sets of sums are taken in turns, each to its own
// set, and the sets are added up in the end.
func (w *tileWriter) oneCell(word local) {
	all, sets := w.sums, w.sets
	for range w.layout.sums - len(w.sums) {
		all = append(all, w.vector(zeroV()))
	}
	w.when(op(i32GeS, get(word), number(sets)), func() {
		w.repeat(func() {
			w.wordsAtOnce(w.layout.words, all)
			w.function.add(word, number(-sets))
		}, func() expr { return op(i32GeS, get(word), number(sets)) })
	})
	w.when(get(word), func() { w.times(word, func() { w.wordsAtOnce(1, w.sums) }) })
	for i, extra := range all[w.vectors:] {
		k := i % w.vectors
		w.set(w.sums[k], simd(i32x4Add, get(extra), get(w.sums[k])))
	}
}

// wordsAtOnce adds the products of n words of the input, and moves on behind them: for each
// word it loads all weights, and then works cell by cell, which engines make faster code
// of than tap by tap. sums has as many sets of sums as there are words.
func (w *tileWriter) wordsAtOnce(n int, sums []local) {
	weights := w.spare(w.weights)
	value := w.spare(1)[0]
	set := w.n * w.vectors
	for word := range n {
		for i, v := range weights {
			w.set(v, w.loadWeights(get(w.weight), (word*len(weights)+i)*w.weightBytes()))
		}
		for x := -1; x <= w.n; x++ {
			place, ok := w.places[x]
			if !ok {
				continue
			}
			w.set(value, loadV(load32Splat, get(place), 4*word))
			for tap := range w.taps() {
				cell := x - tap + w.taps()/2
				if cell < 0 || cell >= w.n {
					continue
				}
				for k := range w.vectors {
					sum := sums[(word*set+cell*w.vectors+k)%len(sums)]
					w.set(sum, w.addDot(get(weights[tap*w.vectors+k]), get(value), get(sum)))
				}
			}
		}
	}
	w.function.add(w.weight, number(n*w.weights*w.weightBytes()))
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
				f(p, k*w.lanes()*bytes, w.sums[cell*w.vectors+k])
			}
			w.function.add(p, mul(w.field(w.a, "out"), number(bytes)))
		}
	})
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
