package main

// Layers in floats. A product and the sum it is added to are rounded once, as a fused
// multiply-add rounds them. Where there is none the product and the sum are computed
// in 64 bits, as package kernel's multiplyAdd does.

// layerInFloats writes the function of a convolution of k×k taps in floats. Its weights
// are [k][k][in][out], with four floats to spare behind them and the bias.
func (d dialect) layerInFloats(m *module, name string) {
	f := m.function(name, 1)
	const a local = 0
	c := &floatWriter{dialect: d, function: f, a: a}
	c.out, c.k = f.i32(d.field(a, "out")), f.i32(d.field(a, "k"))
	c.in, c.w, c.h = f.i32(d.field(a, "in")), f.i32(d.field(a, "w")), f.i32(d.field(a, "h"))
	c.channel = f.i32(number(0))
	for _, t := range d.kernels() {
		if t.kind != cells || t.quant {
			continue
		}
		block := d.lanes() * t.vectors
		end := plus(get(c.out), number(1-block))
		if t.vectors == 1 {
			end = get(c.out)
		}
		f.upTo(c.channel, end, number(block), func() { c.cells(t.vectors) })
	}
}

type floatWriter struct {
	dialect
	*function
	a, out, in, k, w, h local
	channel             local // the block's first
}

// cells computes a block of v vectors of channels of all cells.
func (c *floatWriter) cells(v int) {
	cells := c.i32(mul(c.field(c.a, "boards"), mul(get(c.w), get(c.h))))
	cell, x, y := c.i32(number(0)), c.i32(number(0)), c.i32(number(0))
	half := c.i32(op(i32ShrS, get(c.k), number(1)))
	left := c.i32(minus(get(c.out), get(c.channel)))
	c.upTo(cell, get(cells), number(1), func() {
		offset := c.i32(shl(plus(mul(get(cell), get(c.out)), get(c.channel)), 2))
		sums := c.begin(v, offset, left)
		fromX, toX := c.clip(x, half, c.w)
		fromY, toY := c.clip(y, half, c.h)
		c.upTo(fromY, get(toY), number(1), func() {
			// The first cell that the row of taps reads, and its first weights.
			first := plus(plus(get(cell), mul(minus(get(fromY), get(half)), get(c.w))), minus(get(fromX), get(half)))
			src := c.i32(plus(c.field(c.a, "src"), shl(mul(first, get(c.in)), 2)))
			tap := plus(mul(get(fromY), get(c.k)), get(fromX))
			weight := c.i32(plus(c.field(c.a, "weight"), shl(plus(mul(mul(tap, get(c.in)), get(c.out)), get(c.channel)), 2)))
			channel := c.i32(get(c.in))
			c.times(channel, func() {
				from, w := c.i32(get(src)), c.i32(get(weight))
				taps := c.i32(minus(get(toX), get(fromX)))
				c.times(taps, func() {
					c.products(sums, loadF32(get(from), 0), w)
					c.add(from, shl(get(c.in), 2))
					c.add(w, shl(mul(get(c.in), get(c.out)), 2))
				})
				c.add(src, number(4))
				c.add(weight, shl(get(c.out), 2))
			})
		})
		c.end(sums, offset, left)
		c.add(x, number(1))
		c.when(op(i32Eq, get(x), get(c.w)), func() {
			c.set(x, number(0))
			c.add(y, number(1))
			c.when(op(i32Eq, get(y), get(c.h)), func() { c.set(y, number(0)) })
		})
	})
}

// clip returns the taps from ≤ tap < to that are on the board at a coordinate.
func (c *floatWriter) clip(at, half, size local) (from, to local) {
	from = c.i32(minus(get(half), get(at)))
	c.when(op(i32LtS, get(from), number(0)), func() { c.set(from, number(0)) })
	to = c.i32(plus(minus(get(size), get(at)), get(half)))
	c.when(op(i32LtS, get(c.k), get(to)), func() { c.set(to, get(c.k)) })
	return from, to
}

// begin returns the sums: the bias, and the residual if there is one. Without relaxed
// instructions a sum of four floats is two of two in 64 bits.
func (c *floatWriter) begin(v int, offset, left local) (sums []local) {
	for k := range v {
		sums = append(sums, c.vector(loadV(v128Load, plus(c.field(c.a, "bias"), shl(get(c.channel), 2)), 16*k)))
	}
	res := c.i32(c.field(c.a, "res"))
	c.when(get(res), func() {
		c.add(res, get(offset))
		for k, s := range sums {
			c.set(s, simd(f32x4Add, get(s), c.loadSome(c.function, res, 16*k, left, v > 1)))
		}
	})
	if c.relaxed {
		return sums
	}
	var wide []local
	for _, s := range sums {
		wide = append(wide, c.vector(simd(f64x2OfF32x4, get(s))), c.vector(simd(f64x2OfF32x4, high(get(s)))))
	}
	return wide
}

// products adds to the sums the products of a value with weights.
func (c *floatWriter) products(sums []local, value expr, weight local) {
	if c.relaxed {
		v := c.vector(simd(f32x4Splat, value))
		for k, s := range sums {
			c.set(s, simd(f32x4RelaxedFMA, get(v), loadV(v128Load, get(weight), 16*k), get(s)))
		}
		return
	}
	x := c.new(typeF32)
	c.set(x, value)
	c.when(op(f32Ne, get(x), constF32(0)), func() {
		v := c.vector(simd(f64x2Splat, op(f64OfF32, get(x))))
		for i := range sums {
			c.multiplyAdd(sums[i], get(v), simd(f64x2OfF32x4, loadV(load64Zero, get(weight), 8*i)))
		}
	})
}

// multiplyAdd adds the products x·y to sums, and rounds the results to 32 bits once. In
// 64 bits a product is exact and a sum is rounded. To round that to 32 bits is to round
// twice, which matters only where the 28 lowest bits are zero.
func (c *floatWriter) multiplyAdd(sum local, x, y expr) {
	const spare = 64 - 28
	product := c.vector(simd(f64x2Mul, x, y))
	total := c.vector(simd(f64x2Add, get(product), get(sum)))
	even := c.vector(simd(i64x2Eq, simd(i64x2Shl, get(total), number(spare)), zeroV()))
	c.when(simd(v128AnyTrue, get(even)), func() {
		// What the sum has lost (Knuth's two-sum), with the sum's sign.
		part := c.vector(simd(f64x2Sub, get(total), get(product)))
		lost := simd(f64x2Add, simd(f64x2Sub, get(product), simd(f64x2Sub, get(total), get(part))), simd(f64x2Sub, get(sum), get(part)))
		away := c.vector(simd(f64x2Mul, lost, get(total)))
		up := simd(v128And, simd(f64x2Gt, get(away), zeroV()), get(even))
		down := simd(v128And, simd(f64x2Gt, zeroV(), get(away)), get(even))
		c.set(total, simd(i64x2Add, simd(i64x2Sub, get(total), up), down)) // a mask is -1
	})
	c.set(sum, simd(f64x2OfF32x4, simd(f32x4OfF64x2, get(total))))
}

// end raises the sums to the floor and stores them.
func (c *floatWriter) end(sums []local, offset, left local) {
	if !c.relaxed {
		var narrow []local
		for i := 0; i < len(sums); i += 2 {
			narrow = append(narrow, c.vector(lowHalves(simd(f32x4OfF64x2, get(sums[i])), simd(f32x4OfF64x2, get(sums[i+1])))))
		}
		sums = narrow
	}
	floor := c.vector(loadV(load32Splat, get(c.a), c.offset("floor")))
	dst := c.i32(plus(c.field(c.a, "dst"), get(offset)))
	for k, s := range sums {
		c.set(s, simd(f32x4PMax, get(floor), get(s)))
		c.storeSome(c.function, dst, 16*k, s, left, len(sums) > 1)
	}
}

// shuffle is the bytes of two vectors that are named, those of the second from 16 on.
func shuffle(x, y expr, bytes [16]byte) expr { return append(simd(i8x16Shuffle, x, y), bytes[:]...) }

// high is the upper half of a vector, and lowHalves are the lower ones of two.
func high(x expr) expr {
	return shuffle(x, x, [16]byte{8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15})
}

func lowHalves(x, y expr) expr {
	return shuffle(x, y, [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
}

// fused writes the function that finds out whether a multiply-add rounds once, which
// processors decide: it makes the product of two vectors, and adds a third, in memory.
func (d dialect) fused(m *module, name string) {
	f := m.function(name, 1)
	const p local = 0
	operand := func(i int) expr { return loadV(v128Load, get(p), 16*i) }
	f.do(storeV(get(p), 0, simd(f32x4RelaxedFMA, operand(0), operand(1), operand(2))))
}

// loadSome is a vector of floats of which the first lanes are read, as many as left says.
func (d dialect) loadSome(f *function, p local, offset int, left local, whole bool) expr {
	if whole {
		return loadV(v128Load, get(p), offset)
	}
	v := f.vector(zeroV())
	for lane := range d.lanes() {
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
	for lane := range d.lanes() {
		f.when(op(i32LtS, number(lane), get(left)), func() {
			f.do(storeLane(store32Lane, get(p), offset+4*lane, lane, get(v)))
		})
	}
}
