package main

// matrix writes the kernel of all matrices: C = Σ_taps A[tap]·B[tap] for some rows of C and
// whole panels of its columns. A list has, for each tile and tap, the rows of A: see
// package kernel's matrix. In floats a sum begins at bias + res and takes its products
// in the order of taps and channels. In 8 bits
//
//	y = max(floor, sum·scale + bias + res),  dst = y,  quant = min(127, round(y·inverse))
//
// where products and sums are rounded one by one.
func matrix(m machine, t tile, quant bool) {
	k := &matrixWriter{machine: m, tile: t, quant: quant}
	k.write()
}

type matrixWriter struct {
	machine
	tile
	quant   bool
	sums    [][][]vec // by set, row and vector
	weights []vec
	inputs  []vec
	tmp     []vec
}

func (k *matrixWriter) write() {
	r := newRegisters(k.machine)
	for range k.sets {
		var set [][]vec
		for range k.rows {
			set = append(set, r.take(k.vectors))
		}
		k.sums = append(k.sums, set)
	}
	k.weights = r.take(k.vectors)
	inputs := 1
	if k.words > 1 {
		inputs = k.rows
	}
	k.inputs = r.take(inputs)
	k.tmp = append(k.weights, k.inputs[0]) // outside of the inner loop
	k.prepareDots()
	k.move("weight", "weightAt")
	k.loopField("panel", func() {
		channel, p := k.gp(), k.gp()
		k.get("channel", channel)
		for _, f := range [][2]string{{"dst", "dstAt"}, {"res", "resAt"}, {"quant", "quantAt"}} {
			k.get(f[0], p)
			k.when(p, func() {
				shift := 2
				if f[0] == "quant" {
					shift = 0
				}
				k.scaled(p, p, channel, shift)
				k.put(p, f[1])
			})
		}
		k.free(channel, p)
		k.move("list", "listAt")
		k.move("tiles", "tile")
		k.loopField("tile", k.oneTile)
		p, step := k.gp(), k.gp()
		k.get("weightAt", p)
		k.get("panelBytes", step)
		k.add(p, step)
		k.put(p, "weightAt")
		k.get("channel", p)
		k.addNumber(p, k.channels(k.machine))
		k.put(p, "channel")
		k.free(p, step)
	})
}

// move copies a field to another.
func (k *matrixWriter) move(from, to string) {
	r := k.gp()
	k.get(from, r)
	k.put(r, to)
	k.free(r)
}

func (k *matrixWriter) oneTile() {
	at, r := k.gp(), k.gp()
	k.get("listAt", at)
	for i, field := range []string{"tap", "cell"} {
		k.load32(r, at, 4*i)
		k.put(r, field)
	}
	k.addNumber(at, 8)
	k.put(at, "listAt")
	k.free(at, r)
	if k.quant {
		for _, set := range k.sums {
			forEach(set, func(_, _ int, sum vec) { k.zero(sum) })
		}
	} else {
		k.perChannel("bias", func(v int, bias vec) {
			for _, row := range k.sums[0] {
				k.copy(row[v], bias)
			}
		})
		k.addResidual()
	}
	k.loopField("tap", k.oneTap)
	if k.quant {
		k.scale()
		k.addResidual()
	}
	k.raise()
	k.results("dstAt", "stride", "cellStride", k.storeRow)
	if k.quant {
		k.storeBytes()
	}
}

// oneTap adds the products of one tap.
func (k *matrixWriter) oneTap() {
	at, src, zeros, weight := k.gp(), k.gp(), k.gp(), k.gp()
	k.get("listAt", at)
	k.load32(weight, at, 0)
	k.get("weightAt", src)
	k.add(weight, src)
	k.get("src", src)
	k.get("zeros", zeros)
	var rows []gp
	for i := range k.rows {
		rows = append(rows, k.gp())
		k.inputRow(rows[i], at, 1+i, src, zeros)
	}
	k.addNumber(at, 4*(1+k.rows))
	k.put(at, "listAt")
	k.free(at, src, zeros)
	index, n := k.gp(), k.gp()
	k.set(index, 0)
	k.get("words", n)
	if k.words > 1 {
		rest := k.gp()
		k.mov(rest, n)
		k.shift(n, 2)
		k.when(n, func() { k.loop(n, func() { k.round(rows, index, weight, k.words) }) })
		k.and(rest, k.words-1)
		k.when(rest, func() { k.loop(rest, func() { k.round(rows, index, weight, 1) }) })
		k.free(rest)
	} else {
		k.loop(n, func() { k.round(rows, index, weight, 1) })
	}
	k.free(append(rows, index, n, weight)...)
}

// round adds the products of some words of each row.
func (k *matrixWriter) round(rows []gp, index, weight gp, words int) {
	for i := range words {
		k.loads(k.weights, weight)
		for r, row := range rows {
			x, lane := k.word(k.inputs[r%len(k.inputs)], row, index, i, words, k.quant)
			for v, w := range k.weights {
				if sum := k.sums[i%k.sets][r][v]; k.quant {
					k.dot(sum, w, x, lane)
				} else {
					k.product(sum, w, x, lane)
				}
			}
		}
	}
	k.addNumber(index, 4*words)
}

// forEach calls f with each sum of a tile: vector v of row r.
func forEach(sums [][]vec, f func(r, v int, sum vec)) {
	for r, row := range sums {
		for v, sum := range row {
			f(r, v, sum)
		}
	}
}

// perChannel calls f with each vector of a field that has a float for each channel.
func (k *matrixWriter) perChannel(field string, f func(v int, x vec)) {
	p, channel := k.gp(), k.gp()
	k.get(field, p)
	k.get("channel", channel)
	k.scaled(p, p, channel, 2)
	for v := range k.vectors {
		k.load(k.tmp[0], p, 4*v*k.lanes())
		f(v, k.tmp[0])
	}
	k.free(p, channel)
}

// results calls f for each row of the tile that is asked for, if the field base points to
// results: those of the panel's first channel.
func (k *matrixWriter) results(base, stride, cellStride string, f func(row []vec, p gp)) {
	first := k.gp()
	k.get(base, first)
	k.when(first, func() {
		p, step, rows := k.gp(), k.gp(), k.gp()
		k.get("cell", p)
		k.get(cellStride, step)
		k.chosenRow(p, p, step, first)
		k.get(stride, step)
		k.get("rows", rows)
		for i, row := range k.sums[0] {
			one := func() {
				f(row, p)
				k.add(p, step)
			}
			if i == 0 {
				one()
			} else {
				k.whenMore(rows, i, one)
			}
		}
		k.free(p, step, rows)
	})
	k.free(first)
}

func (k *matrixWriter) addResidual() {
	k.results("resAt", "stride", "cellStride", func(row []vec, p gp) {
		for v, sum := range row {
			k.load(k.tmp[0], p, 4*v*k.lanes())
			k.op("fadd", sum, sum, k.tmp[0])
		}
	})
}

// scale adds up the sets of sums and makes them floats.
func (k *matrixWriter) scale() {
	for _, set := range k.sums[1:] {
		forEach(set, func(r, v int, sum vec) { k.op("add32", k.sums[0][r][v], k.sums[0][r][v], sum) })
	}
	forEach(k.sums[0], func(_, _ int, sum vec) { k.toFloat(sum, sum) })
	k.eachChannel("fmul", "scale")
	k.eachChannel("fadd", "bias")
}

// eachChannel computes sum = sum op x, where x is a field that has a float for each channel.
func (k *matrixWriter) eachChannel(op, field string) {
	k.perChannel(field, func(v int, x vec) {
		for _, row := range k.sums[0] {
			k.op(op, row[v], row[v], x)
		}
	})
}

// raise raises the sums to the floor.
func (k *matrixWriter) raise() {
	p := k.gp()
	k.get("floor", p)
	k.dup(k.tmp[0], p, 0)
	k.free(p)
	forEach(k.sums[0], func(_, _ int, sum vec) { k.maximum(sum, sum, k.tmp[0]) })
}

func (k *matrixWriter) storeRow(row []vec, p gp) {
	for v, sum := range row {
		k.store(sum, p, 4*v*k.lanes())
	}
}

func (k *matrixWriter) storeBytes() {
	p := k.gp()
	k.get("quantAt", p)
	k.when(p, func() {
		k.eachChannel("fmul", "inverse")
		k.results("quantAt", "quantStride", "quantCells", k.activations)
	})
	k.free(p)
}

// gradient writes the kernel of the gradient of a tap's weights: dw += Σ src·dout over some
// pairs of cells, for tiles of input channels by a panel of output channels.
func gradient(m machine, t tile) {
	r := newRegisters(m)
	var sums [][]vec
	for range t.rows {
		sums = append(sums, r.take(t.vectors))
	}
	douts, inputs := r.take(t.vectors), r.take(1)
	dw, src, dout := m.gp(), m.gp(), m.gp()
	m.get("dw", dw)
	m.put(dw, "dwAt")
	m.get("src", src)
	m.get("dout", dout)
	eachRow := func(move func(v vec, p gp, offset int)) {
		step := m.gp()
		m.get("dwAt", dw)
		m.get("dwStride", step)
		for _, row := range sums {
			for v, sum := range row {
				move(sum, dw, 4*v*m.lanes())
			}
			m.add(dw, step)
		}
		m.free(step)
	}
	m.loopField("tiles", func() {
		eachRow(m.load)
		pair, n, from, g := m.gp(), m.gp(), m.gp(), m.gp()
		m.get("pairs", pair)
		m.get("count", n)
		m.loop(n, func() {
			m.load32(from, pair, 0)
			m.load32(g, pair, 4)
			m.addNumber(pair, 8)
			m.add(g, dout)
			m.loads(douts, g)
			for c, row := range sums {
				x, lane := m.word(inputs[0], src, from, c, t.rows, false)
				for v, sum := range row {
					m.product(sum, douts[v], x, lane)
				}
			}
		})
		m.free(pair, n, from, g)
		eachRow(m.store)
		m.put(dw, "dwAt")
		m.addNumber(src, 4*t.rows)
	})
}
