package main

import "slices"

// The kernels in this file serve sparse layers. They take rows of a matrix, chosen by a list of
// 16-bit numbers, and sum them, add to them, or multiply them with a vector.

// eachBlock writes loops over the blocks of a row. body processes a block: a number of vectors at
// place, an offset in bytes from the beginning of the row. A vector counts as lanes units of the
// field left. A block has as many vectors as there are registers for, and fewer at the end of the
// row, whose length is a multiple of 16 floats.
func eachBlock(m machine, lanes int, body func(vectors int, place gp)) {
	left, place := from(m, "left"), m.gp()
	m.set(place, 0)
	most := 8
	if m.spare() > 16 {
		most = 16
	}
	for v := most; v*m.lanes() >= 16; v /= 2 {
		m.whileMore(left, v*lanes-1, func() {
			body(v, place)
			m.addNumber(place, 4*v*m.lanes())
			m.addNumber(left, -v*lanes)
		})
	}
	m.free(left, place)
}

// eachChosen writes a loop over the row numbers of the list, which may be empty. body processes the
// row of each number, beginning at the offset place, and may change the register.
func eachChosen(m machine, place gp, body func(row gp)) {
	rows := from(m, "rows")
	m.add(rows, place)
	stride, index, n, row := from(m, "stride"), from(m, "index"), from(m, "count"), m.gp()
	m.when(n, func() {
		m.loop(n, func() {
			m.load16(row, index, 0)
			m.addNumber(index, 2)
			m.chosenRow(row, row, stride, rows)
			body(row)
		})
	})
	m.free(rows, stride, index, n, row)
}

// eachList writes a loop over consecutive lists of row numbers. Each list has a vector at dst; the
// vectors are as far apart as rows. body processes the next vector and its list, which is not
// empty.
func eachList(m machine, body func()) {
	m.loopField("lists", func() {
		counts, n := from(m, "counts"), m.gp()
		m.load32(n, counts, 0)
		m.addNumber(counts, 4)
		m.put(counts, "counts")
		m.put(n, "count")
		m.free(counts)
		m.when(n, func() {
			m.free(n)
			body()
			n, at, step := from(m, "count"), from(m, "index"), from(m, "coefficientStep")
			m.scaled(at, at, n, 1)
			m.put(at, "index")
			m.when(step, func() {
				m.get("coefficients", at)
				m.scaled(at, at, n, 2)
				m.put(at, "coefficients")
			})
			m.free(n, at, step)
		})
		dst, stride := from(m, "dst"), from(m, "stride")
		m.add(dst, stride)
		m.put(dst, "dst")
		m.free(dst, stride)
	})
}

// gather adds chosen rows, each times a coefficient, to a vector: dst += coefficient·row.
func gather(m machine) {
	eachMultiple(m, func(sums []vec, row, _ gp, coefficient vec, tmp []vec) { m.addRow(sums, row, coefficient, tmp) }, m.stores)
}

// scatter adds a vector to chosen rows, each time multiplied by a coefficient: row +=
// coefficient·dst.
func scatter(m machine) {
	eachMultiple(m, func(x []vec, row, to gp, coefficient vec, tmp []vec) {
		m.mov(to, row)
		for some := range slices.Chunk(x, len(tmp)) {
			m.loads(tmp[:len(some)], row)
			for k, v := range some {
				m.product(tmp[k], v, coefficient, 0)
			}
			m.stores(tmp[:len(some)], to)
		}
	}, func([]vec, gp) {})
}

// eachMultiple writes loops over the lists, over the blocks of a vector at dst, and over the chosen
// rows. body gets the block, the row and its coefficient. finish gets the block and the address of
// the vector.
func eachMultiple(m machine, body func(block []vec, row, spare gp, coefficient vec, tmp []vec), finish func(block []vec, dst gp)) {
	eachList(m, func() {
		eachBlock(m, m.lanes(), func(vectors int, place gp) {
			r := newRegisters(m)
			block, coefficient := r.take(vectors), r.one()
			tmp := r.take(min(vectors, int(r.end-r.next), 8))
			dst := from(m, "dst")
			m.add(dst, place)
			m.loads(block, dst)
			coefficients, step := from(m, "coefficients"), from(m, "coefficientStep")
			eachChosen(m, place, func(row gp) {
				m.dup(coefficient, coefficients, 0)
				m.add(coefficients, step)
				body(block, row, dst, coefficient, tmp)
			})
			m.get("dst", dst)
			m.add(dst, place)
			finish(block, dst)
			m.free(dst, coefficients, step)
		})
	})
}

// columns sums chosen rows of 16-bit numbers and stores the sums, shifted to the right, as bytes
// from 0 to 127. Partial sums may overflow as long as the final sum fits.
func columns(m machine) {
	eachBlock(m, 2*m.lanes(), func(vectors int, place gp) {
		r := newRegisters(m)
		sums := r.take(vectors)
		tmp := r.take(min(vectors, int(r.end-r.next), 8))
		bias := from(m, "bias")
		m.add(bias, place)
		m.loads(sums, bias)
		m.free(bias)
		eachChosen(m, place, func(row gp) { m.addRow(sums, row, none, tmp) })
		shift, dst := from(m, "shift"), from(m, "dst")
		m.columnBytes(sums, shift, dst)
		m.put(dst, "dst")
		m.free(shift, dst)
	})
}

// fours multiplies src with the rows that a list chooses, four rows and 32 bytes at a time. Then
// finish stores the results at dst. If whole is set, rows have signed bytes, src has bytes, and
// each row ends with its scale and its bias: dst = scale·sum + bias, rounded twice. Otherwise the
// numbers are floats, and a sum has eight parts, which are added in pairs: i to i+4, then to i+2,
// then to i+1. A machine either advances src and the rows, or reads them at the offset place.
func fours(m machine, whole bool, finish func(sums [][]vec, rows []gp, place, dst gp)) {
	const atOnce = 4
	r := newRegisters(m)
	parts := max(1, 8/m.lanes())
	width := parts
	if whole {
		width = 1
		m.prepareDots()
	}
	sums, x := r.rows(atOnce, width), r.take(parts)
	index, matrix, stride := from(m, "index"), from(m, "rows"), from(m, "stride")
	src, dst, groups := m.gp(), from(m, "dst"), from(m, "groups")
	m.loop(groups, func() {
		var rows []gp
		for i := range atOnce {
			row := m.gp()
			m.load16(row, index, 2*i)
			m.chosenRow(row, row, stride, matrix)
			rows = append(rows, row)
			for _, sum := range sums[i] {
				m.zero(sum)
			}
		}
		place, n := m.gp(), m.gp()
		m.get("src", src)
		m.get("count", n)
		m.set(place, 0)
		m.loop(n, func() {
			m.inputs(x, src, place)
			for i, row := range rows {
				m.rowProducts(sums[i], row, place, x, whole)
			}
			m.addNumber(place, 32)
		})
		finish(sums, rows, place, dst)
		m.addNumber(index, 2*atOnce)
		m.addNumber(dst, 4*atOnce)
		m.free(append(rows, place, n)...)
	})
}
