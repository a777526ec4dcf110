package main

import "slices"

// matrix generates the kernel of all matrix multiplications. It computes C = Σ_taps A[tap]·B[tap]
// for some rows of C and for whole panels (groups of adjacent columns) of C. A tap is one cell of a
// convolution's window. For each tile (group of rows) and tap, a list tells which rows of A to use;
// see type matrix in package kernel. In floats, a sum begins with the bias plus the residual res.
// Then the products are added tap by tap and, within a tap, in the order of the channels. In 8
// bits, sum is an exact integer, and the kernel writes two results, dst and quant:
//
//	y = max(floor, sum·scale + bias + res),  dst = y,  quant = min(127, round(y·inverse))
//
// Each product and each sum in this formula is rounded to float32. The parameter quant selects the
// computation in 8 bits.
func matrix(m machine, t tile, quant bool) {
	k, r := &matrixWriter{machine: m, tile: t, quant: quant}, newRegisters(m)
	for range k.sets {
		k.sums = append(k.sums, r.rows(k.rows, k.vectors))
	}
	k.weights = r.take(k.vectors)
	inputs := 1
	if k.words > 1 {
		inputs = k.rows
	}
	k.input = r.take(inputs)
	k.tmp = append(k.weights, k.input[0]) // for use outside the inner loop only
	k.prepareDots()
	k.move("weight", "weightAt")
	k.loopField("panel", func() {
		channel, p := from(m, "channel"), k.gp()
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
		p, step := from(m, "weightAt"), from(m, "panelBytes")
		k.add(p, step)
		k.put(p, "weightAt")
		k.get("channel", p)
		k.addNumber(p, k.vectors*k.lanes())
		k.put(p, "channel")
		k.free(p, step)
	})
}

type matrixWriter struct {
	machine
	tile
	quant   bool
	sums    [][][]vec // the registers with the sums, by set, row and vector
	weights []vec
	input   []vec
	tmp     []vec
}

// move writes code that copies one field of the arguments to another.
func (k *matrixWriter) move(field, to string) {
	r := from(k.machine, field)
	k.put(r, to)
	k.free(r)
}

func (k *matrixWriter) oneTile() {
	at, r := from(k.machine, "listAt"), k.gp()
	for i, field := range []string{"tap", "cell"} {
		k.load32(r, at, 4*i)
		k.put(r, field)
	}
	k.addNumber(at, 8)
	k.put(at, "listAt")
	k.free(at, r)
	if k.quant {
		for _, sum := range slices.Concat(slices.Concat(k.sums...)...) {
			k.zero(sum)
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
	floor := from(k.machine, "floor")
	k.dup(k.tmp[0], floor, 0)
	k.free(floor)
	for _, sum := range slices.Concat(k.sums[0]...) {
		k.maximum(sum, sum, k.tmp[0])
	}
	k.results("dstAt", "stride", "cellStride", func(row []vec, p gp) {
		for v, sum := range row {
			k.store(sum, p, 4*v*k.lanes())
		}
	})
	if k.quant {
		p := from(k.machine, "quantAt")
		k.when(p, func() {
			k.eachChannel("fmul", "inverse")
			k.results("quantAt", "quantStride", "quantCells", k.activations)
		})
		k.free(p)
	}
}

// oneTap writes code that adds one tap's products to the sums of a tile.
func (k *matrixWriter) oneTap() {
	at, src, zeros, weight := from(k.machine, "listAt"), k.gp(), k.gp(), k.gp()
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

// round writes code for one round: it adds the products of the next words of each row.
func (k *matrixWriter) round(rows []gp, index, weight gp, words int) {
	for i := range words {
		k.loads(k.weights, weight)
		for r, row := range rows {
			x, lane := k.word(k.input[r%len(k.input)], row, index, i, words)
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

// perChannel loads one float per channel of the panel, vector by vector, and calls f with each
// vector. The field with the given name points to these floats.
func (k *matrixWriter) perChannel(field string, f func(v int, x vec)) {
	p, channel := from(k.machine, field), from(k.machine, "channel")
	k.scaled(p, p, channel, 2)
	for v := range k.vectors {
		k.load(k.tmp[0], p, 4*v*k.lanes())
		f(v, k.tmp[0])
	}
	k.free(p, channel)
}

// results calls f for each row of the tile that is a result, with the row's address in memory. base
// is the name of the field with the address of the tile's first result (first row, first channel of
// the panel). If this address is nil, the generated code does nothing.
func (k *matrixWriter) results(base, stride, cellStride string, f func(row []vec, p gp)) {
	first := from(k.machine, base)
	k.when(first, func() {
		p, step := from(k.machine, "cell"), from(k.machine, cellStride)
		k.chosenRow(p, p, step, first)
		k.get(stride, step)
		rows := from(k.machine, "rows")
		f(k.sums[0][0], p) // every tile has at least one result row
		k.add(p, step)
		for i, row := range k.sums[0][1:] {
			k.whenMore(rows, 1+i, func() {
				f(row, p)
				k.add(p, step)
			})
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

// scale writes code that adds up the sets of sums, converts the sums to floats, multiplies them by
// the scale, and adds the bias.
func (k *matrixWriter) scale() {
	all := slices.Concat(k.sums[0]...)
	for _, set := range k.sums[1:] {
		for i, sum := range slices.Concat(set...) {
			k.op("add32", all[i], all[i], sum)
		}
	}
	for _, sum := range all {
		k.toFloat(sum, sum)
	}
	k.eachChannel("fmul", "scale")
	k.eachChannel("fadd", "bias")
}

// eachChannel writes code that computes sum = sum op x for each sum. The field with the given name
// points to the numbers x, one float per channel.
func (k *matrixWriter) eachChannel(op, field string) {
	k.perChannel(field, func(v int, x vec) {
		for _, row := range k.sums[0] {
			k.op(op, row[v], row[v], x)
		}
	})
}

// gradient generates the kernel that computes the gradient of the weights of one tap: dw += Σ
// src·dout. The sum is over a list of pairs, each of an input cell and an output cell. The kernel
// computes dw tile by tile. A tile is the part of dw for some input channels and one panel of
// output channels.
func gradient(m machine, t tile) {
	r := newRegisters(m)
	sums, douts, input := r.rows(t.rows, t.vectors), r.take(t.vectors), r.one()
	dw := from(m, "dw")
	m.put(dw, "dwAt")
	src, dout := from(m, "src"), from(m, "dout")
	eachRow := func(move func(v vec, p gp, offset int)) {
		m.get("dwAt", dw)
		step := from(m, "dwStride")
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
		pair, n, at, g := from(m, "pairs"), from(m, "count"), m.gp(), m.gp()
		m.loop(n, func() {
			m.load32(at, pair, 0)
			m.load32(g, pair, 4)
			m.addNumber(pair, 8)
			m.add(g, dout)
			m.loads(douts, g)
			for c, row := range sums {
				x, lane := m.word(input, src, at, c, t.rows)
				for v, sum := range row {
					m.product(sum, douts[v], x, lane)
				}
			}
		})
		m.free(pair, n, at, g)
		eachRow(m.store)
		m.put(dw, "dwAt")
		m.addNumber(src, 4*t.rows)
	})
}
