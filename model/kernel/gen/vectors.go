package main

// each writes a loop that steps through several arrays in parallel, by the given number of bytes
// per round. names lists the fields with the arrays' addresses. body gets one register per array,
// with the current address.
func each(m machine, names []string, bytes int, body func(at []gp)) {
	var at []gp
	for _, name := range names {
		at = append(at, from(m, name))
	}
	n := from(m, "vectors")
	m.loop(n, func() {
		body(at)
		for _, p := range at {
			m.addNumber(p, bytes)
		}
	})
	m.free(append(at, n)...)
}

// relu generates the kernel for the gradient of a ReLU: dst is src where y is positive, and 0
// elsewhere.
func relu(m machine) {
	each(m, []string{"dst", "src", "y"}, 4*m.lanes(), func(at []gp) {
		m.load(0, at[1], 0)
		m.load(1, at[2], 0)
		m.positive(0, 0, 1)
		m.store(0, at[0], 0)
	})
}

// add generates the kernel that adds src to dst, element by element.
func add(m machine) {
	each(m, []string{"dst", "src"}, 4*m.lanes(), func(at []gp) {
		m.load(0, at[0], 0)
		m.load(1, at[1], 0)
		m.op("fadd", 0, 0, 1)
		m.store(0, at[0], 0)
	})
}

// squares generates the kernel that adds the squares of floats to eight 64-bit sums at dst. The
// square of element i goes to sum i mod 8.
func squares(m machine) {
	r := newRegisters(m)
	sums, x := r.take(16/m.lanes()), r.one()
	dst, p := from(m, "dst"), m.gp()
	m.loads(sums, dst)
	each(m, []string{"src"}, 32, func(at []gp) {
		m.mov(p, at[0])
		for _, sum := range sums {
			m.widen(x, p)
			m.op("fmul64", x, x, x)
			m.op("fadd64", sum, sum, x)
			m.addNumber(p, 2*m.lanes())
		}
	})
	m.get("dst", dst)
	m.stores(sums, dst)
}

// adam generates the kernel for the method Step of kernel.Adam, which computes the same products
// and sums as the method's Go code. There is no register left for the last constant, Share, so the
// kernel reloads it for each vector.
func adam(m machine) {
	r := newRegisters(m)
	constants := map[string]vec{}
	p := from(m, "constants")
	for i, name := range []string{"scale", "beta1", "rest1", "beta2", "rest2", "correct1", "correct2", "epsilon", "decay", "rate"} {
		constants[name] = r.one()
		m.dup(constants[name], p, 4*i)
	}
	d, mean, square, x := r.one(), r.one(), r.one(), r.one()
	each(m, []string{"dst", "src", "mean", "square", "y"}, 4*m.lanes(), func(at []gp) {
		m.load(d, at[1], 0)
		m.op("fmul", d, d, constants["scale"])
		m.load(mean, at[2], 0)
		m.op("fmul", mean, mean, constants["beta1"])
		m.op("fmul", x, d, constants["rest1"])
		m.op("fadd", mean, mean, x)
		m.store(mean, at[2], 0)
		m.load(square, at[3], 0)
		m.op("fmul", square, square, constants["beta2"])
		m.op("fmul", x, d, constants["rest2"])
		m.op("fmul", x, x, d)
		m.op("fadd", square, square, x)
		m.store(square, at[3], 0)
		m.op("fmul", square, square, constants["correct2"])
		m.sqrt(square, square)
		m.op("fadd", square, square, constants["epsilon"])
		m.op("fmul", mean, mean, constants["correct1"])
		m.op("fdiv", mean, mean, square)
		m.load(d, at[0], 0)
		m.op("fmul", x, d, constants["decay"])
		m.op("fadd", mean, mean, x)
		m.op("fmul", mean, mean, constants["rate"])
		m.op("fsub", d, d, mean)
		m.store(d, at[0], 0)
		m.load(mean, at[4], 0)
		m.op("fsub", d, d, mean)
		m.dup(x, p, 40)
		m.op("fmul", d, d, x)
		m.op("fadd", mean, mean, d)
		m.store(mean, at[4], 0)
	})
	m.free(p)
}

// peak generates a function that only computes multiply-adds, peakProducts vectors per round. It
// has enough independent sums to keep the processor busy.
func peak(m machine, whole bool) {
	const peakProducts = 48 // must equal the constant in package kernel
	r := newRegisters(m)
	sums := r.take(min(24, int(m.spare())-4))
	x := r.take(2)
	for v := range r.next {
		m.zero(v)
	}
	m.prepareDots()
	each(m, nil, 0, func([]gp) {
		for i := range peakProducts {
			if sum := sums[i%len(sums)]; whole {
				m.dot(sum, x[0], x[1], 0)
			} else {
				m.product(sum, x[0], x[1], 0)
			}
		}
	})
}

// exp32 generates a function that replaces numbers by their Exp32 (see package internal/detmath),
// four numbers at a time. The function computes the same 64-bit products and sums as the Go code,
// and rounds each of them. It stops if one of the next four numbers is beyond ±87, and stores in
// the field done how many numbers it has replaced. Each row of the table of constants repeats one
// of exp32Constants four times.
func exp32(m machine) {
	const log2e, round, ln2, exponent = 0, 1, 2, 3
	// coefficient returns the row of the table that holds 1/k!.
	coefficient := func(k int) int { return 6 + k - 1 }
	p, table, n, done := from(m, "x"), from(m, "constants"), from(m, "n"), m.gp()
	m.set(done, 0)
	const x, t, r, r2, r4, low, sum, tmp vec = 0, 1, 2, 3, 4, 5, 6, 7
	op := func(name string, d, x vec, row int) { m.opConstant(name, d, x, table, row) }
	// four writes code that computes four terms of the series, beginning with term a: (c(a) +
	// c(a+1)·r) + r²·(c(a+2) + c(a+3)·r), where c(k) is 1/k!.
	four := func(a int, sum vec) {
		op("fmul64", tmp, r, coefficient(a+3))
		op("fadd64", tmp, tmp, coefficient(a+2))
		m.op("fmul64", tmp, tmp, r2)
		if a == 0 {
			op("fadd64", sum, r, coefficient(1))
		} else {
			op("fmul64", sum, r, coefficient(a+1))
			op("fadd64", sum, sum, coefficient(a))
		}
		m.op("fadd64", sum, sum, tmp)
	}
	m.loop(n, func() {
		m.exitBeyond(p, table)
		for range 8 / m.lanes() {
			m.widen(x, p)
			op("fmul64", t, x, log2e)
			op("fadd64", t, t, round) // the last bits of t are now the integer k; see detmath.Exp32
			op("fsub64", r, t, round)
			op("fmul64", r, r, ln2)
			m.op("fsub64", r, x, r)
			m.op("fmul64", r2, r, r)
			m.op("fmul64", r4, r2, r2)
			four(8, sum)
			m.op("fmul64", sum, sum, r4)
			four(4, low)
			m.op("fadd64", sum, low, sum)
			m.op("fmul64", sum, sum, r4)
			four(0, low)
			m.op("fadd64", low, low, sum)
			m.op("exponent64", t, t, t)
			op("add64", t, t, exponent) // turns the exponent bits of k into those of 2ᵏ
			m.op("fmul64", low, low, t)
			m.narrow(low, p)
			m.addNumber(p, 2*m.lanes())
		}
		m.addNumber(done, 4)
	})
	m.exit()
	m.put(done, "done")
}
