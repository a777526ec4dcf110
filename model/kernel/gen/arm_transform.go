package main

import (
	"fmt"
	"slices"
)

// armTransforms is transforms for arm64. The factors are in registers, the first of them
// in that of the number firstFactor.
func (s isa) armTransforms(file *armFile, name string, t matrix, body func(f *arm64, load, store func(i int, v vec))) {
	const line = 64 // bytes of a factor, as often as the widest vector has lanes
	f := file.kernel(s.name+name, "transformArgs")
	table := f.load("factors")
	for i := range t.factors() {
		f.ins("FMOVQ %d(%v), F%d", line*i, table, firstFactor+vec(i))
	}
	f.release(table)
	src, dst, srcStep, dstStep := f.load("src"), f.load("dst"), f.load("srcStep"), f.load("dstStep")
	srcRow, dstRow, rows := f.load("srcRow"), f.load("dstRow"), f.load("rows")
	vectors, p := f.gp(), f.gp()
	to := func(base, step gp, i int) {
		if i == 0 {
			f.ins("MOVD %v, %v", base, p)
		} else {
			f.ins("ADD %v, %v", step, p)
		}
	}
	f.label("rows")
	f.ins("MOVD %s, %v", f.at("vectors"), vectors)
	f.label("vectors")
	body(f, func(i int, v vec) {
		to(src, srcStep, i)
		f.ins("FMOVQ (%v), F%d", p, v)
	}, func(i int, v vec) {
		to(dst, dstStep, i)
		f.ins("FMOVQ F%d, (%v)", v, p)
	})
	f.ins("ADD $16, %v", src)
	f.ins("ADD $16, %v", dst)
	f.countDown(vectors, "vectors")
	f.ins("ADD %v, %v", srcRow, src)
	f.ins("ADD %v, %v", dstRow, dst)
	f.countDown(rows, "rows")
	f.ins("RET")
}

// firstFactor is the first register of a transform's factors.
const firstFactor vec = 14

// sum writes to a register the sum of numbers times factors, in their order.
func (f *arm64) sum(to vec, factors []int, numbers []vec) {
	f.fmul(to, firstFactor+vec(factors[0]), numbers[0])
	for i, place := range factors[1:] {
		f.fmlaVectors(to, firstFactor+vec(place), numbers[i+1])
	}
}

// armExpand is expand for arm64.
func (s isa) armExpand(file *armFile, t matrix) {
	s.armTransforms(file, fmt.Sprintf("Expand%d", t.n), t, func(f *arm64, load, store func(i int, v vec)) {
		for i := range t.n {
			load(i, vec(i))
		}
		sumOf := func(to vec, all []int, place func(number int) int) {
			var factors []int
			var numbers []vec
			for _, i := range all {
				factors, numbers = append(factors, place(i)), append(numbers, vec(i))
			}
			f.sum(to, factors, numbers)
		}
		const stable, flip, result vec = 7, 8, 9
		for q := range pairsOfPoints {
			place := func(number int) int { return t.factor(q, number) }
			sumOf(stable, t.stable, place)
			sumOf(flip, t.flip, place)
			f.fadd(result, stable, flip)
			store(2*q, result)
			f.fsub(result, stable, flip)
			store(2*q+1, result)
		}
		sumOf(result, t.last, t.lastFactor)
		store(numberPoints-1, result)
	})
}

// armContract is contract for arm64.
func (s isa) armContract(file *armFile, t matrix) {
	s.armTransforms(file, fmt.Sprintf("Contract%d", t.n), t, func(f *arm64, load, store func(i int, v vec)) {
		for i := range numberPoints {
			load(i, vec(i))
		}
		var sums, differences []vec
		for q := range vec(pairsOfPoints) {
			x, y, sum := 2*q, 2*q+1, numberPoints+q
			f.fadd(sum, x, y)
			f.fsub(y, x, y)
			sums, differences = append(sums, sum), append(differences, y)
		}
		const result vec = numberPoints + pairsOfPoints
		for i := range t.n {
			all := sums
			if slices.Contains(t.flip, i) {
				all = differences
			}
			var factors []int
			for q := range pairsOfPoints {
				factors = append(factors, t.factor(q, i))
			}
			if place := t.lastFactor(i); place >= 0 {
				factors, all = append(factors, place), append(slices.Clone(all), numberPoints-1)
			}
			f.sum(result, factors, all)
			store(i, result)
		}
	})
}
