package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A matrix describes that of a transform between numbers and their values at points, as
// package kernel's transform does: which numbers have the same factor at both points of
// a pair, and so on. There are three pairs of opposite points, and one at infinity. Numbers
// are counted from 0.
type matrix struct {
	n      int   // of the numbers
	stable []int // what both points of a pair add
	flip   []int // what one point of a pair adds and the other subtracts
	last   []int // what the point at infinity is made of
}

// matrices are the transforms of a board's five cells in a row, and of a row of three taps.
var matrices = []matrix{
	{5, []int{0, 2, 4}, []int{1, 3}, []int{1, 3, 4}},
	{3, []int{1}, []int{0, 2}, []int{2}},
}

const (
	pairsOfPoints = 3
	numberPoints  = 2*pairsOfPoints + 1
)

// factor is the place of a number's factor in the table, for a pair of points.
func (t matrix) factor(pair, number int) int {
	i := slices.Index(append(slices.Clone(t.stable), t.flip...), number)
	return pair*t.n + i
}

// lastFactor is the same for the point at infinity, or −1.
func (t matrix) lastFactor(number int) int {
	if i := slices.Index(t.last, number); i >= 0 {
		return pairsOfPoints*t.n + i
	}
	return -1
}

// factors is the number of factors in a table.
func (t matrix) factors() int { return pairsOfPoints*t.n + len(t.last) }

// A stride addresses the numbers of a transform in memory.
type stride struct{ base, one, three, five reg.GPVirtual }

// at is the memory operand of number i.
func (p stride) at(i int) Mem {
	m := Mem{Base: p.base, Scale: 1}
	switch i {
	case 1, 2, 4:
		m.Index, m.Scale = p.one, uint8(i)
	case 3, 6:
		m.Index, m.Scale = p.three, uint8(i/3)
	case 5:
		m.Index = p.five
	}
	return m
}

func loadStride(a args, base, step string) stride {
	p := stride{a.load(base), a.load(step), GP64(), GP64()}
	LEAQ(Mem{Base: p.one, Index: p.one, Scale: 2}, p.three)
	LEAQ(Mem{Base: p.one, Index: p.one, Scale: 4}, p.five)
	return p
}

// transforms writes the kernel of a transform for all vectors of all rows. body is
// called with the addresses of the numbers that are read and written, and of the factors.
func (s isa) transforms(name string, body func(src, dst stride, factor func(i int) Mem)) {
	TEXT(s.name+name, NOSPLIT, "func(a *transformArgs)")
	Pragma("noescape")
	a := args{Dereference(Param("a"))}
	src, dst := loadStride(a, "src", "srcStep"), loadStride(a, "dst", "dstStep")
	table, vectors := a.load("factors"), GP64()
	const line = 64 // bytes of a factor, as often as a vector has lanes
	Label("rows")
	MOVQ(a.at("vectors"), vectors)
	Label("vectors")
	body(src, dst, func(i int) Mem { return Mem{Base: table, Disp: line * i} })
	ADDQ(U32(uint32(s.bytes)), src.base)
	ADDQ(U32(uint32(s.bytes)), dst.base)
	DECQ(vectors)
	JNZ(LabelRef("vectors"))
	ADDQ(a.at("srcRow"), src.base)
	ADDQ(a.at("dstRow"), dst.base)
	DECQ(a.at("rows"))
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// sum writes to a register the sum of numbers times factors, in their order.
func (s isa) sum(to reg.VecPhysical, factors []Mem, numbers []reg.VecPhysical) {
	VMULPS(factors[0], numbers[0], to)
	for i, f := range factors[1:] {
		VFMADD231PS(f, numbers[i+1], to)
	}
}

// expand writes the kernel that takes numbers to points.
func (s isa) expand(t matrix) {
	s.transforms(fmt.Sprintf("Expand%d", t.n), func(src, dst stride, factor func(i int) Mem) {
		numbers, free := s.regs[:t.n], s.regs[t.n:]
		for i, r := range numbers {
			VMOVUPS(src.at(i), r)
		}
		sumOf := func(to reg.VecPhysical, all []int, place func(number int) int) {
			var factors []Mem
			var chosen []reg.VecPhysical
			for _, i := range all {
				factors, chosen = append(factors, factor(place(i))), append(chosen, numbers[i])
			}
			s.sum(to, factors, chosen)
		}
		stable, flip, result := free[0], free[1], free[2]
		for q := range pairsOfPoints {
			place := func(number int) int { return t.factor(q, number) }
			sumOf(stable, t.stable, place)
			sumOf(flip, t.flip, place)
			VADDPS(flip, stable, result)
			VMOVUPS(result, dst.at(2*q))
			VSUBPS(flip, stable, result)
			VMOVUPS(result, dst.at(2*q+1))
		}
		sumOf(result, t.last, t.lastFactor)
		VMOVUPS(result, dst.at(numberPoints-1))
	})
}

// contract writes the kernel that takes points to numbers. It is the transpose of expand.
func (s isa) contract(t matrix) {
	s.transforms(fmt.Sprintf("Contract%d", t.n), func(src, dst stride, factor func(i int) Mem) {
		points, result := s.regs[:numberPoints], s.regs[numberPoints]
		for i, r := range points {
			VMOVUPS(src.at(i), r)
		}
		var sums, differences []reg.VecPhysical
		for q := range pairsOfPoints {
			x, y := points[2*q], points[2*q+1]
			sum := s.regs[numberPoints+1+q]
			VADDPS(y, x, sum)
			VSUBPS(y, x, y)
			sums, differences = append(sums, sum), append(differences, y)
		}
		for i := range t.n {
			all := sums
			if slices.Contains(t.flip, i) {
				all = differences
			}
			var factors []Mem
			for q := range pairsOfPoints {
				factors = append(factors, factor(t.factor(q, i)))
			}
			if place := t.lastFactor(i); place >= 0 {
				factors, all = append(factors, factor(place)), append(slices.Clone(all), points[numberPoints-1])
			}
			s.sum(result, factors, all)
			VMOVUPS(result, dst.at(i))
		}
	})
}
