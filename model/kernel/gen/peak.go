package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
)

// peakProducts is the number of multiply-adds in the loop of a function that measures the
// peak; package kernel has the same.
const peakProducts = 48

// peak writes a function that does peakProducts multiply-adds n times, in as many
// independent chains as the level has, and nothing else.
func (s isa) peak() {
	TEXT(s.name+"Peak", NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	chains := s.chains
	for i := range chains + 2 {
		VXORPS(s.regs[i], s.regs[i], s.regs[i])
	}
	Label("loop")
	for i := range peakProducts {
		VFMADD231PS(s.regs[chains], s.regs[chains+1], s.regs[i%chains])
	}
	DECQ(n)
	JNZ(operand.LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// quantPeak writes the same in 8 bits: what adds the products of peakProducts vectors of
// bytes, n times.
func (s isa) quantPeak() {
	TEXT(s.name+"QuantPeak", NOSPLIT, "func(n int)")
	n := Load(Param("n"), GP64())
	chains := s.chains
	a, b, ones, product := s.regs[chains], s.regs[chains+1], s.regs[chains+2], s.regs[chains+3]
	for i := range chains + 4 {
		s.clear(s.regs[i])
	}
	Label("loop")
	for i := range peakProducts {
		if s.dot == fused {
			s.dotProduct(a, b, s.regs[i%chains])
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
