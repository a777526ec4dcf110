package main

// A call of a layer goes through blocks of output channels, and for each through the
// boards, their rows, and parts of rows, which are tiles.

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
		block := d.lanes() * v
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
	cell, all := f.i32(number(0)), f.i32(mul(d.field(a, "boards"), mul(d.field(a, "h"), d.field(a, "w"))))
	n := f.new(typeI32)
	f.upTo(cell, get(all), get(n), func() {
		f.set(n, get(firstPartV(f, minus(get(all), get(cell)), d.widest(cells))))
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
			f.set(n, get(firstPartV(f, minus(get(w), get(x)), d.widest(part))))
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
