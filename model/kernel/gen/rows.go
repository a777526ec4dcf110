package main

import "slices"

// The kernels in this file serve sparse layers. A list of 16-bit numbers selects rows of a matrix.
// The kernels add up these rows, add vectors to them, or multiply them by a vector.

// eachBlock writes loops over the blocks of a row. For each block, it calls body with the number of
// vectors in the block and with place, the offset of the block in bytes from the beginning of the
// row. A block has as many vectors as fit into the registers; the last blocks of a row are smaller.
// The length of a row is a multiple of 16 floats. The field left counts the elements that remain.
// lanes is the number of elements in a vector.
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

// eachChosen writes a loop over a list of row numbers, which may be empty. For each number, it
// calls body with the address of the row plus the offset place. body may change the register that
// holds this address.
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

// eachList writes a loop over lists of row numbers. Each list belongs to one vector: the first
// vector is at dst, and the distance between vectors is the same as between rows of the matrix.
// body processes the current vector and its list. The loop skips empty lists.
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

// gather generates a kernel that multiplies each selected row by a coefficient and adds the product
// to a vector: dst += coefficient·row.
func gather(m machine) {
	eachMultiple(m, func(sums []vec, row, _ gp, coefficient vec, tmp []vec) { m.addRow(sums, row, coefficient, tmp) }, m.stores)
}

// scatter generates a kernel that, for each selected row, multiplies a vector by a coefficient and
// adds the product to the row: row += coefficient·dst.
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

// eachMultiple writes loops over the lists, over the blocks of each list's vector at dst, and over
// the rows that the list selects. body gets a block of the vector, the address of the row, and the
// row's coefficient. finish gets the block and the block's address in the vector.
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

// columns generates a kernel that sums selected rows of 16-bit integers. It shifts the sums to the
// right, clamps them to the range from 0 to 127, and stores them as bytes. Partial sums may
// overflow as long as the final sum does not.
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

// fours generates a kernel that multiplies each selected row by the vector src and sums the
// products. It processes four rows together, 32 bytes of each at a time. Then finish stores the
// four results at dst. If whole is set, rows hold signed bytes, src holds bytes, and each row ends
// with its scale and its bias. The result is then scale·sum + bias, rounded after each of the two
// operations. If whole is not set, all numbers are floats, and each sum is kept as eight partial
// sums. At the end, partial sum i+4 is added to partial sum i, then i+2 to i, and then i+1 to i. A
// machine may either advance src and the rows after each step, or leave them unchanged and add the
// register place to them.
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
