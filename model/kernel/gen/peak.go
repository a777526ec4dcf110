package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// peak writes a function that does 48 multiply-adds n times, in twelve independent
// chains, and nothing else.
func (s isa) peak() {
	TEXT(s.name+"Peak", NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	const all, chains = 48, 12
	for i := range chains + 2 {
		VXORPS(s.regs[i], s.regs[i], s.regs[i])
	}
	Label("loop")
	for i := range all {
		VFMADD231PS(s.regs[chains], s.regs[chains+1], s.regs[i%chains])
	}
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// quantPeak writes the same in 8 bits: what adds the products of 48 vectors of
// bytes, n times.
func (s isa) quantPeak() {
	TEXT(s.name+"QuantPeak", NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	const all, chains = 48, 12
	a, b, ones, product := s.regs[chains], s.regs[chains+1], s.regs[chains+2], s.regs[chains+3]
	for i := range chains + 4 {
		s.clear(s.regs[i])
	}
	Label("loop")
	for i := range all {
		if s.bytes == 64 {
			VPDPBUSD(a, b, s.regs[i%chains])
			continue
		}
		if s.vnni {
			dotProduct(a, b, s.regs[i%chains])
			continue
		}
		VPMADDUBSW(a, b, product)
		VPMADDWD(ones, product, product)
		VPADDD(product, s.regs[i%chains], s.regs[i%chains])
	}
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}
