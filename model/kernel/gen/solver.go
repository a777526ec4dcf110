package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vectors writes the function of a kernel that goes through some arrays, a vector at a
// time. fields are the arguments with the arrays' addresses, and body has a register
// for each; bytes is how far they move after each vector.
func (s isa) vectors(name, argument string, fields []string, bytes int, begin func(a args), body func(at []reg.GPVirtual), end func(a args)) {
	TEXT(s.name+name, NOSPLIT, "func(a *"+argument+")")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	begin(a)
	var at []reg.GPVirtual
	for _, f := range fields {
		at = append(at, a.load(f))
	}
	n := a.load("vectors")
	Label("vectors")
	body(at)
	for _, p := range at {
		ADDQ(U32(uint32(bytes)), p)
	}
	DECQ(n)
	JNZ(LabelRef("vectors"))
	end(a)
	VZEROUPPER()
	RET()
}

// add writes the kernel of dst += src.
func (s isa) add() {
	x := s.regs[0]
	none := func(args) {}
	s.vectors("Add", "addArgs", []string{"dst", "src"}, s.bytes, none, func(at []reg.GPVirtual) {
		VMOVUPS(Mem{Base: at[0]}, x)
		VADDPS(Mem{Base: at[1]}, x, x)
		VMOVUPS(x, Mem{Base: at[0]})
	}, none)
}

// squares writes the kernel that adds to eight sums the squares of floats, each eighth
// to the same sum, in 64 bits.
func (s isa) squares() {
	const lanes, double = 8, 8 // bytes of a double
	registers := lanes * double / s.bytes
	sums, x := s.regs[:registers], s.regs[registers]
	through := func(move func(m Mem, r reg.VecPhysical)) func(a args) {
		return func(a args) {
			p := a.load("sums")
			for i, r := range sums {
				move(Mem{Base: p, Disp: i * s.bytes}, r)
			}
		}
	}
	s.vectors("Squares", "squaresArgs", []string{"src"}, lanes*4, through(func(m Mem, r reg.VecPhysical) { VMOVUPD(m, r) }), func(at []reg.GPVirtual) {
		for i, r := range sums {
			VCVTPS2PD(Mem{Base: at[0], Disp: i * s.bytes / 2}, x)
			VMULPD(x, x, x)
			VADDPD(x, r, r)
		}
	}, through(func(m Mem, r reg.VecPhysical) { VMOVUPD(r, m) }))
}

// adam writes the kernel of package kernel's Adam, product by product and sum by sum.
func (s isa) adam() {
	constants := map[string]reg.VecPhysical{}
	names := []string{"scale", "beta1", "rest1", "beta2", "rest2", "correct1", "correct2", "epsilon", "decay"}
	for i, name := range names {
		constants[name] = s.regs[i]
	}
	free := s.regs[len(names):]
	d, m, v, w, x := free[0], free[1], free[2], free[3], free[4]
	begin := func(a args) {
		for _, name := range names {
			VBROADCASTSS(a.at(name), constants[name])
		}
		VBROADCASTSS(a.at("rate"), free[5])
	}
	s.vectors("Adam", "adamArgs", []string{"w", "g", "m", "v"}, s.bytes, begin, func(at []reg.GPVirtual) {
		VMULPS(Mem{Base: at[1]}, constants["scale"], d)
		VMULPS(Mem{Base: at[2]}, constants["beta1"], m)
		VMULPS(constants["rest1"], d, x)
		VADDPS(x, m, m)
		VMOVUPS(m, Mem{Base: at[2]})
		VMULPS(Mem{Base: at[3]}, constants["beta2"], v)
		VMULPS(constants["rest2"], d, x)
		VMULPS(d, x, x)
		VADDPS(x, v, v)
		VMOVUPS(v, Mem{Base: at[3]})
		VMULPS(constants["correct2"], v, v)
		VSQRTPS(v, v)
		VADDPS(constants["epsilon"], v, v)
		VMULPS(constants["correct1"], m, m)
		VDIVPS(v, m, m)
		VMOVUPS(Mem{Base: at[0]}, w)
		VMULPS(constants["decay"], w, x)
		VADDPS(x, m, m)
		VMULPS(free[5], m, m)
		VSUBPS(m, w, w)
		VMOVUPS(w, Mem{Base: at[0]})
	}, func(args) {})
}
