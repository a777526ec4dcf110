package main

// armGrad is grad for arm64. The list of pairs holds distances: from a cell of each pair
// to that of the next, because a load can move its register on by another one at no cost;
// see package kernel's listed.
type armGrad struct {
	*arm64
	tile
	lanes    gp        // as in armRow
	src      gp        // the cell at hand, at the tile's first channel
	dout     gp        // and of the output's gradient
	pair     gp        // the distances to the next pair
	channels []armLane // of the input
	values   int       // registers that hold them
	in       int       // how many of them a register holds
}

// An armLane is a lane of a vector.
type armLane struct {
	vec
	lane int
}

func (s isa) armGrad(file *armFile, t tile) {
	f := file.kernel(s.function(t), "gradArgs")
	g := &armGrad{arm64: f, tile: t, lanes: f.load("mask"), src: f.gp(), dout: f.gp(), pair: f.gp(), values: s.layout(t).values, in: channelsPerVector(t)}
	g.place(vec(t.n * t.vectors))
	tap, left, channel := f.load("taps"), f.load("count"), f.load("dwChannel")
	dw, pairs := f.gp(), f.gp()
	f.label("taps")
	f.ins("LDP (%v), (%v, %v)", tap, g.pair, pairs)
	g.begin(dw, tap, channel)
	g.firstPair()
	masked, end := "masked", "end"
	full := f.load("full")
	f.ins("CBZ %v, %s", full, masked)
	f.release(full)
	f.ins("TBZ $0, %v, even", pairs)
	g.products(true)
	f.label("even")
	f.ins("LSR $1, %v, %v", pairs, pairs)
	f.ins("CBZ %v, %s", pairs, end)
	f.label("twice")
	g.products(true)
	g.products(true)
	f.countDown(pairs, "twice")
	f.ins("JMP %s", end)
	f.label(masked)
	g.products(false)
	f.countDown(pairs, masked)
	f.label(end)
	g.moveToTap(dw, tap)
	g.forEachChannel(dw, channel, func(c, k int) {
		if k < t.vectors-1 {
			f.ins("FMOVQ F%d, %d(%v)", g.sum(c, k), 16*k, dw)
		} else {
			g.lastVector(func(whole bool) {
				if whole {
					f.ins("FMOVQ F%d, %d(%v)", g.sum(c, k), 16*k, dw)
				} else {
					f.storeLanes(g.sum(c, k), dw, 16*k, g.lanes)
				}
			})
		}
	})
	f.ins("ADD $%d, %v, %v", gradTapBytes, tap, tap)
	f.countDown(left, "taps")
	f.ins("RET")
}

func (g *armGrad) sum(c, k int) vec { return vec(c*g.vectors + k) }

// moveToTap points dw to the weights of a tap.
func (g *armGrad) moveToTap(dw, tap gp) {
	g.ins("MOVD 16(%v), %v", tap, dw)
	g.addField("dw", dw)
}

// begin sets the sums to zero, or to what dw holds.
func (g *armGrad) begin(dw, tap, channel gp) {
	for i := range vec(g.n * g.vectors) {
		g.clear(i)
	}
	overwrite := g.load("overwrite")
	g.ins("CBNZ %v, begin", overwrite)
	g.release(overwrite)
	g.moveToTap(dw, tap)
	g.forEachChannel(dw, channel, func(c, k int) {
		if k < g.vectors-1 {
			g.ins("FMOVQ %d(%v), F%d", 16*k, dw, g.sum(c, k))
		} else {
			g.lastVector(func(whole bool) { g.loadLast(whole, dw, g.sum(c, k)) })
		}
	})
	g.label("begin")
}

// loadLast loads the last vector behind p.
func (g *armGrad) loadLast(whole bool, p gp, to vec) {
	if whole {
		g.ins("FMOVQ %d(%v), F%d", 16*(g.vectors-1), p, to)
	} else {
		g.loadLanes(p, 16*(g.vectors-1), to, g.lanes)
	}
}

// lastVector writes code twice, for a last vector that is in use as a whole and for one
// that is not.
func (g *armGrad) lastVector(do func(whole bool)) {
	some, end := g.newLabel("some"), g.newLabel("moved")
	g.ins("TBZ $2, %v, %s", g.lanes, some)
	do(true)
	g.ins("JMP %s", end)
	g.label(some)
	do(false)
	g.label(end)
}

// forEachChannel is tile.forEachChannel.
func (g *armGrad) forEachChannel(dw, step gp, do func(c, k int)) {
	for c := range g.n {
		for k := range g.vectors {
			do(c, k)
		}
		if c < g.n-1 {
			g.ins("ADD %v, %v", step, dw)
		}
	}
}

// firstPair points src and dout to the first pair, whose distances are from the first
// cells of the boards.
func (g *armGrad) firstPair() {
	first := g.load("src")
	g.ins("LDPW.P 8(%v), (%v, %v)", g.pair, g.src, g.dout)
	g.ins("ADD %v, %v", first, g.src)
	g.release(first)
	g.addField("dout", g.dout)
}

// place says which lane holds which channel of the input.
func (g *armGrad) place(first vec) {
	for c := range g.n {
		g.channels = append(g.channels, armLane{first + vec(c/g.in), c % g.in})
	}
}

// loadChannels loads the channels of the input and moves src on by the register by.
func (g *armGrad) loadChannels(by gp) {
	first, as := g.channels[0].vec, words
	if g.in == 2 {
		as = halves
	}
	whole := g.n / g.in
	if rest := g.n % g.in; rest > 0 {
		to, at := first+vec(whole), 4*g.in*whole
		switch rest {
		case 1:
			g.ins("FMOVS %d(%v), F%d", at, g.src, to)
		case 2:
			g.ins("FMOVD %d(%v), F%d", at, g.src, to)
		case 3:
			p := g.gp()
			g.ins("FMOVD %d(%v), F%d", at, g.src, to)
			g.ins("ADD $%d, %v, %v", at+8, g.src, p)
			g.ins("VLD1 (%v), V%d.S[2]", p, to)
			g.release(p)
		}
	}
	if whole == 0 {
		g.ins("ADD %v, %v", by, g.src)
		return
	}
	g.ins("VLD1.P (%v)(%v), %s", g.src, by, list(first, whole, as))
}

// products writes the products of one pair of cells, and moves on to the next.
func (g *armGrad) products(whole bool) {
	bySrc, byDout := g.gp(), g.gp()
	douts := g.channels[0].vec + vec(g.values)
	g.ins("LDPW.P 8(%v), (%v, %v)", g.pair, bySrc, byDout)
	g.loadChannels(bySrc)
	if whole {
		g.ins("VLD1.P (%v)(%v), %s", g.dout, byDout, list(douts, g.vectors, words))
	} else {
		if g.vectors > 1 {
			g.ins("VLD1 (%v), %s", g.dout, list(douts, g.vectors-1, words))
		}
		g.loadLast(false, g.dout, douts+vec(g.vectors-1))
		g.ins("ADD %v, %v", byDout, g.dout)
	}
	for c, at := range g.channels {
		for k := range g.vectors {
			g.fmla(g.sum(c, k), douts+vec(k), at.vec, at.lane)
		}
	}
	g.release(bySrc, byDout)
}
