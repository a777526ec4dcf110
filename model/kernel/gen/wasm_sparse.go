package main

// The rounding of floats to bytes in WebAssembly, and the functions of sparse layers.

// round writes vectors of floats as bytes: min(127, max(0, x·inverse)).
func (d dialect) round(m *module, name string) {
	f := m.function(name, 1)
	const a local = 0
	dst, src, inverse := f.i32(d.field(a, "dst")), f.i32(d.field(a, "src")), f.i32(d.field(a, "inverse"))
	f.times(f.i32(d.field(a, "vectors")), func() {
		v := f.vector(roundV(loadV(v128Load, get(src), 0), loadV(v128Load, get(inverse), 0)))
		f.do(storeLane(store32Lane, get(dst), 0, 0, narrow(get(v), get(v))))
		f.add(src, number(16))
		f.add(inverse, number(16))
		f.add(dst, number(4))
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

// chosen writes a loop over the numbers of the list, which may be empty: f works on the
// row of each.
func (d dialect) chosen(f *function, a local, body func(row local)) {
	index, n := f.i32(d.field(a, "index")), f.i32(d.field(a, "count"))
	f.when(get(n), func() {
		f.times(n, func() {
			body(f.i32(plus(d.field(a, "rows"), mul(loadU16(get(index), 0), d.field(a, "stride")))))
			f.add(index, number(2))
		})
	})
}

// columns writes the function that sums chosen rows of 16-bit numbers and stores the sums,
// shifted to the right, as bytes from 0 to 127. Sums may overflow on the way, as long as
// the last one fits. It works on 64 numbers at a time, and on 32 at the end.
func (d dialect) columns(m *module, name string) {
	f := m.function(name, 1)
	const a = 0
	done, out := f.i32(number(0)), f.i32(d.field(a, "out"))
	for _, t := range d.kernels() {
		if t.kind != columns {
			continue
		}
		v := t.vectors
		f.upTo(done, plus(get(out), number(1-8*v)), number(8*v), func() { d.columnBlock(f, a, done, v) })
	}
}

// columnBlock sums v vectors of eight numbers, from number done on.
func (d dialect) columnBlock(f *function, a, done local, v int) {
	from := f.i32(shl(get(done), 1))
	bias := f.i32(plus(d.field(a, "bias"), get(from)))
	var sums []local
	for k := range v {
		sums = append(sums, f.vector(loadV(v128Load, get(bias), 16*k)))
	}
	d.chosen(f, a, func(row local) {
		f.add(row, get(from))
		for k, s := range sums {
			f.set(s, simd(i16x8Add, get(s), loadV(v128Load, get(row), 16*k)))
		}
	})
	dst := f.i32(plus(d.field(a, "dst"), get(done)))
	top := f.vector(simd(i16x8Splat, number(127)))
	for _, s := range sums {
		shifted := simd(i16x8ShrS, get(s), d.field(a, "shift"))
		f.set(s, simd(i16x8MaxS, zeroV(), simd(i16x8MinS, get(top), shifted)))
	}
	for k := 0; k < v; k += 2 {
		f.do(storeV(get(dst), 8*k, simd(i8x16NarrowU, get(sums[k]), get(sums[k+1]))))
	}
}

// logits writes the function that multiplies a vector of bytes with chosen rows of signed
// bytes, behind which each row has its scale and its bias: dst = scale·sum + bias, rounded
// twice.
func (d dialect) logits(m *module, name string) {
	f := m.function(name, 1)
	const a = 0
	t, _ := d.one(logits)
	dst := f.i32(d.field(a, "dst"))
	d.chosen(f, a, func(row local) {
		src, n := f.i32(d.field(a, "src")), f.i32(op(i32ShrS, d.field(a, "in"), number(5)))
		var sums []local
		for range d.layout(t).sums {
			sums = append(sums, f.vector(zeroV()))
		}
		f.times(n, func() {
			d.bytes32(f, row, src, sums)
			f.add(row, number(32))
			f.add(src, number(32))
		})
		sum := f.vector(simd(i32x4Add, get(sums[0]), get(sums[1])))
		lane := func(i int) expr { return withLane(i32x4Lane, i, get(sum)) }
		whole := plus(plus(lane(0), lane(1)), plus(lane(2), lane(3)))
		f.do(storeF32(get(dst), 0, op(f32Add, op(f32Mul, op(f32OfI32, whole), loadF32(get(row), 0)), loadF32(get(row), 4))))
		f.add(dst, number(4))
	})
}

// bytes32 adds to two sums the products of 32 bytes of a row and of src.
func (d dialect) bytes32(f *function, row, src local, sums []local) {
	if d.relaxed {
		for i, s := range sums {
			f.set(s, d.addDot(loadV(v128Load, get(row), 16*i), loadV(v128Load, get(src), 16*i), get(s)))
		}
		return
	}
	for i := range 4 {
		s := sums[i%2]
		f.set(s, d.addDot(loadV(load8x8S, get(row), 8*i), loadV(load8x8U, get(src), 8*i), get(s)))
	}
}
