package main

import "math/bits"

// products adds all products of a tile to the sums. Words of the input are taken as many at
// a time as the layout says, a power of two, and then one by one.
func (r *armRow) products() {
	r.input()
	weight, rows := r.load("weight"), gp(0)
	switch {
	case r.wholeBoard():
		step := r.load("steps")
		skip := r.gp()
		rows = r.gp()
		r.ins("LDP 8(%v), (%v, %v)", step, skip, rows)
		r.ins("ADD %v, %v", skip, weight)
		r.release(step, skip)
	case r.taps() > 1:
		rows = r.load("rows")
	}
	in, n := r.load("in"), r.gp()
	row, several, rest, each, end := r.newLabel("rows"), r.newLabel("several"), r.newLabel("rest"), r.newLabel("word"), r.newLabel("end")
	r.label(row)
	r.ins("LSR $%d, %v, %v", bits.TrailingZeros(uint(r.layout.words)), in, n)
	r.ins("CBZ %v, %s", n, rest)
	r.label(several)
	r.wordsAtOnce(r.layout.words, weight)
	r.countDown(n, several)
	r.label(rest)
	r.ins("ANDS $%d, %v, %v", r.layout.words-1, in, n)
	r.ins("BEQ %s", end)
	r.label(each)
	r.wordsAtOnce(1, weight)
	r.countDown(n, each)
	r.label(end)
	if r.taps() > 1 {
		r.nextRow()
		r.countDown(rows, row)
		r.release(rows)
	}
	r.release(weight, in, n)
	for _, registers := range []map[column]gp{r.cell, r.step, r.leap} {
		for _, p := range registers {
			r.release(p)
		}
	}
}

// input loads the addresses of the cells.
func (r *armRow) input() {
	r.cell, r.step, r.leap = map[column]gp{}, map[column]gp{}, map[column]gp{}
	first := r.load("src")
	if r.wholeBoard() {
		steps, skip := r.load("steps"), r.gp()
		r.ins("MOVD (%v), %v", steps, skip)
		r.ins("ADD %v, %v", skip, first)
		r.release(steps, skip)
	}
	distance := r.load("srcCell")
	for board := range r.boards() {
		if board > 0 {
			second := r.load("srcBoard")
			r.ins("ADD %v, %v", r.cell[column{0, 0}], second)
			first = second
		}
		for x := range r.n {
			if x > 0 {
				next := r.gp()
				r.ins("ADD %v, %v, %v", distance, first, next)
				first = next
			}
			r.cell[column{board, x}] = first
		}
	}
	r.release(distance)
	if r.kind == part {
		side := func(c column, name string) {
			r.cell[c], r.step[c], r.leap[c] = r.load(name), r.load(name+"Step"), r.gp()
			r.ins("LSL $2, %v, %v", r.step[c], r.leap[c])
		}
		side(column{0, -1}, "left")
		side(column{0, r.n}, "right")
	}
}

// nextRow moves on from the end of each cell to its place in the next row.
func (r *armRow) nextRow() {
	next := r.load("srcNext")
	for _, c := range r.columns {
		switch {
		case r.kind == part && c.x < 0:
			r.addField("leftNext", r.cell[c])
		case r.kind == part && c.x == r.n:
			r.addField("rightNext", r.cell[c])
		default:
			r.ins("ADD %v, %v", next, r.cell[c])
		}
	}
	r.release(next)
}

// wordsAtOnce writes the products of n words of the input, one or as many as are taken
// together, and moves on.
func (r *armRow) wordsAtOnce(n int, weight gp) {
	if r.order == byCell {
		for word := range n {
			r.pairWord(word, weight)
		}
		return
	}
	values := map[column]vec{}
	for i, c := range r.columns {
		values[c] = r.free() + vec(i)
		r.loadWords(c, n, values[c])
	}
	weights := r.free() + vec(len(values))
	group := min(4, r.weights) // vectors that one instruction loads
	banks := r.weights / group
	for i, all := 0, n*r.taps()*r.vectors; i < all; i += group {
		bank := weights + vec(i/group%banks*group)
		r.loadVectors(weight, bank, min(group, all-i))
		for j := range min(group, all-i) {
			word, tap, k := (i+j)/(r.taps()*r.vectors), (i+j)/r.vectors%r.taps(), (i+j)%r.vectors
			r.forEachPair(tap, func(c column, board, cell int) {
				sum := r.sum(board, cell, k) + vec(word%r.sets*r.results())
				if r.quant {
					r.sdot(sum, bank+vec(j), values[c], word)
				} else {
					r.fmla(sum, bank+vec(j), values[c], word)
				}
			})
		}
	}
}

// forEachPair calls do for the columns and cells that a tap connects.
func (r *armRow) forEachPair(tap int, do func(c column, board, cell int)) {
	for board := range r.boards() {
		for cell := range r.n {
			c := column{board, cell + tap - r.taps()/2}
			if _, ok := r.cell[c]; ok {
				do(c, board, cell)
			}
		}
	}
}

// loadWords loads one word of a column, or four, and moves on.
func (r *armRow) loadWords(c column, n int, to vec) {
	p := r.cell[c]
	step, side := r.step[c]
	switch {
	case side && n == 4:
		r.ins("VLD1.P (%v)(%v), %s", p, r.leap[c], list(to, 1, words))
	case side:
		r.ins("VLD1.P (%v)(%v), V%d.S[0]", p, step, to)
	case n == 4:
		r.ins("FMOVQ.P 16(%v), F%d", p, to)
	default:
		r.ins("FMOVS.P 4(%v), F%d", p, to)
	}
}

// pairWord writes the products of one word of the input without the dot product. A word
// is four bytes; two registers repeat the first two of them and the last two. In a vector
// of weights there come first the weights of these for each of four output channels, and
// then the others; see package kernel's place.
func (r *armRow) pairWord(word int, weight gp) {
	weights := r.free()
	bytes := weights + vec(r.weights)
	product := bytes + vec(r.values)
	forEachFour(weights, r.weights, func(first vec, n int) { r.loadVectors(weight, first, n) })
	done := 0
	for _, c := range r.columns {
		if step, side := r.step[c]; side {
			r.ins("VLD2R.P (%v)(%v), %s", r.cell[c], step, list(bytes, 2, shorts))
		} else {
			r.ins("VLD2R.P 4(%v), %s", r.cell[c], list(bytes, 2, shorts))
		}
		for tap := range r.taps() {
			r.forEachPair(tap, func(from column, board, cell int) {
				for k := range r.vectors {
					if from == c {
						sum := r.sum(board, cell, k) + vec(word%r.sets*r.results())
						r.pairs(sum, weights+vec(tap*r.vectors+k), bytes, bytes+1, product+vec(done%r.others))
						done++
					}
				}
			})
		}
	}
}
