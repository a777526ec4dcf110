package main

// vectorLoop is vectors for arm64: a function of a kernel that goes through some
// arrays, one vector at a time. body gets the registers that point into them and moves
// them on.
func (f *arm64) vectorLoop(fields []string, body func(at []gp)) {
	var at []gp
	for _, field := range fields {
		at = append(at, f.load(field))
	}
	n := f.load("vectors")
	f.label("vectors")
	body(at)
	f.countDown(n, "vectors")
	f.release(append(at, n)...)
}

// armAdd is add for arm64.
func (s isa) armAdd(file *armFile) {
	f := file.kernel(s.name+"Add", "addArgs")
	f.vectorLoop([]string{"dst", "src"}, func(at []gp) {
		f.ins("FMOVQ (%v), F0", at[0])
		f.ins("FMOVQ.P 16(%v), F1", at[1])
		f.fadd(0, 0, 1)
		f.ins("FMOVQ.P F0, 16(%v)", at[0])
	})
	f.ins("RET")
}

// armRelu is relu for arm64.
func (s isa) armRelu(file *armFile) {
	f := file.kernel(s.name+"Relu", "reluArgs")
	f.vectorLoop([]string{"dst", "dy", "y"}, func(at []gp) {
		f.ins("FMOVQ.P 16(%v), F0", at[2])
		f.ins("FMOVQ.P 16(%v), F1", at[1])
		f.positive(0, 0)
		f.ins("VAND V0.B16, V1.B16, V1.B16")
		f.ins("FMOVQ.P F1, 16(%v)", at[0])
	})
	f.ins("RET")
}

// armRound is round for arm64.
func (s isa) armRound(file *armFile) {
	f := file.kernel(s.name+"Round", "roundArgs")
	const zero, top, x, inverse vec = 0, 1, 2, 3
	f.clear(zero)
	f.largest(top)
	f.vectorLoop([]string{"dst", "src", "inverse"}, func(at []gp) {
		f.ins("FMOVQ.P 16(%v), F%d", at[1], x)
		f.ins("FMOVQ.P 16(%v), F%d", at[2], inverse)
		f.toWhole(x, x, inverse, top)
		f.smax32(x, x, zero)
		f.narrow(x, 1)
		f.ins("FMOVS.P F%d, 4(%v)", x, at[0])
	})
	f.ins("RET")
}

// armSquares is squares for arm64.
func (s isa) armSquares(file *armFile) {
	f := file.kernel(s.name+"Squares", "squaresArgs")
	sums := f.load("sums")
	f.vectorsAt(sums, 0, 4, f.loadVectors)
	f.vectorLoop([]string{"src"}, func(at []gp) {
		f.loadVectors(at[0], 4, 2)
		for i := range vec(2) {
			low, high := 6+2*i, 7+2*i
			f.fcvtl(low, 4+i)
			f.fcvtl2(high, 4+i)
			f.fmul64(low, low, low)
			f.fmul64(high, high, high)
			f.fadd64(2*i, 2*i, low)
			f.fadd64(2*i+1, 2*i+1, high)
		}
	})
	f.vectorsAt(sums, 0, 4, f.storeVectors)
	f.ins("RET")
}

// armAdam is adam for arm64, product by product and sum by sum.
func (s isa) armAdam(file *armFile) {
	f := file.kernel(s.name+"Adam", "adamArgs")
	constants := map[string]vec{}
	p := f.gp()
	for i, name := range []string{"scale", "beta1", "rest1", "beta2", "rest2", "correct1", "correct2", "epsilon", "decay", "rate"} {
		constants[name] = vec(16 + i)
		f.ins("ADD $%d, %v, %v", f.fields.offset(f.argument, name), parameter, p)
		f.ins("VLD1R (%v), %s", p, list(constants[name], 1, words))
	}
	f.release(p)
	const d, m, v, w, x vec = 0, 1, 2, 3, 4
	f.vectorLoop([]string{"w", "g", "m", "v"}, func(at []gp) {
		f.ins("FMOVQ.P 16(%v), F%d", at[1], d)
		f.ins("FMOVQ (%v), F%d", at[2], m)
		f.ins("FMOVQ (%v), F%d", at[3], v)
		f.ins("FMOVQ (%v), F%d", at[0], w)
		f.fmul(d, d, constants["scale"])
		f.fmul(m, m, constants["beta1"])
		f.fmul(x, d, constants["rest1"])
		f.fadd(m, m, x)
		f.ins("FMOVQ.P F%d, 16(%v)", m, at[2])
		f.fmul(v, v, constants["beta2"])
		f.fmul(x, d, constants["rest2"])
		f.fmul(x, x, d)
		f.fadd(v, v, x)
		f.ins("FMOVQ.P F%d, 16(%v)", v, at[3])
		f.fmul(v, v, constants["correct2"])
		f.fsqrt(v, v)
		f.fadd(v, v, constants["epsilon"])
		f.fmul(m, m, constants["correct1"])
		f.fdiv(m, m, v)
		f.fmul(x, w, constants["decay"])
		f.fadd(m, m, x)
		f.fmul(m, m, constants["rate"])
		f.fsub(w, w, m)
		f.ins("FMOVQ.P F%d, 16(%v)", w, at[0])
	})
	f.ins("RET")
}

// armPeak is peak for arm64.
func (s isa) armPeak(file *armFile) {
	f := file.function(s.name+"Peak", "n int", "")
	f.peak(s.chains, func(sum, a, b, _ vec) { f.fmla(sum, a, b, 0) })
}

// armQuantPeak is quantPeak for arm64.
func (s isa) armQuantPeak(file *armFile) {
	f := file.function(s.name+"QuantPeak", "n int", "")
	f.peak(s.chains, func(sum, a, b, product vec) {
		if s.dot == fused {
			f.sdot(sum, a, b, 0)
		} else {
			f.pairs(sum, a, b, b, product)
		}
	})
}

func (f *arm64) peak(n int, do func(sum, a, b, product vec)) {
	chains := vec(n)
	for i := range vec(neon.registers) {
		f.clear(i)
	}
	f.label("loop")
	for i := range vec(peakProducts) {
		do(i%chains, chains, chains+1, chains+2+i%4)
	}
	f.countDown(parameter, "loop")
	f.ins("RET")
}
