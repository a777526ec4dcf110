package main

// armExp32 is exp32 for arm64: each register holds two of the four numbers. The constants
// stay in registers.
func armExp32(out, stubs string) error {
	file := newArmFile("detmath", fields{})
	f := file.begin("exp32Vectors", "(x *float32, n int, constants *[17][4]float64) (done int)", 32)
	p, n, table, done, mask := f.gp(), f.gp(), f.gp(), f.gp(), f.gp()
	for i, r := range []gp{p, n, table} {
		f.ins("MOVD %s+%d(FP), %v", []string{"x", "n", "constants"}[i], 8*i, r)
	}
	const first = 16 // register of the constants
	row := func(i int, to vec) { f.ins("FMOVQ %d(%v), F%d", 32*i, table, to) }
	const log2e, round, ln2, exponent, limit = first, first + 1, first + 2, first + 3, first + 4
	for i := range vec(4) {
		row(int(i), first+i)
	}
	for k := range vec(11) {
		row(6+int(k), limit+1+k)
	}
	coefficient := func(k int) vec { return limit + vec(k) } // 1/k!
	f.ins("MOVD $0x42ae0000, %v", mask)                      // 87, as the table has it, in 32 bits
	f.ins("VDUP %v, V%d.S4", mask, vec(limit))
	f.ins("MOVD ZR, %v", done)

	const numbers vec = 0
	f.label("loop")
	f.ins("CMP %v, %v", n, done)
	f.ins("BGE end")
	f.ins("FMOVQ (%v), F%d", p, numbers)
	f.facge(1, limit, numbers) // |x| ≤ limit
	f.least(1, 1)
	f.ins("FMOVS F1, %v", mask)
	f.ins("CMNW $1, %v", mask) // all ones?
	f.ins("BNE end")
	for half := range vec(2) {
		x, t, r, r2 := 1+half, 3+half, 5+half, 7+half
		if half == 0 {
			f.fcvtl(x, numbers)
		} else {
			f.fcvtl2(x, numbers)
		}
		f.fmul64(t, x, log2e)
		f.fadd64(t, t, round) // the last bits of t are now the whole number k
		f.fsub64(r, t, round)
		f.fmul64(r, r, ln2)
		f.fsub64(r, x, r)
		f.fmul64(r2, r, r)
	}
	for half := range vec(2) {
		r4, t, r, r2, low, sum, tmp := 1+half, 3+half, 5+half, 7+half, 9+half, 11+half, 13+half
		// four is four terms of the series from term a on: (ca + cb·r) + r²·(cc + cd·r).
		four := func(a int, to vec) {
			f.fmul64(tmp, r, coefficient(a+3))
			f.fadd64(tmp, tmp, coefficient(a+2))
			f.fmul64(tmp, tmp, r2)
			if a == 0 {
				f.fadd64(to, r, coefficient(1))
			} else {
				f.fmul64(to, r, coefficient(a+1))
				f.fadd64(to, to, coefficient(a))
			}
			f.fadd64(to, to, tmp)
		}
		f.fmul64(r4, r2, r2)
		four(8, sum)
		f.fmul64(sum, sum, r4)
		four(4, low)
		f.fadd64(sum, low, sum)
		f.fmul64(sum, sum, r4)
		four(0, low)
		f.fadd64(low, low, sum)
		f.exponents(t, t)
		f.add64(t, t, exponent) // 2ᵏ
		f.fmul64(low, low, t)
		if half == 0 {
			f.fcvtn(numbers, low)
		} else {
			f.fcvtn2(numbers, low)
		}
	}
	f.ins("FMOVQ.P F%d, 16(%v)", numbers, p)
	f.ins("ADD $4, %v", done)
	f.ins("JMP loop")
	f.label("end")
	f.ins("MOVD %v, done+24(FP)", done)
	f.ins("RET")
	return file.write(out, stubs)
}
