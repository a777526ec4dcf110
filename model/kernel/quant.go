package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// A Quant is a convolution in 8 bits. An activation is stored as a whole number q
// from 0 to [MaxActivation] and stands for the real value q·unit, where every
// input channel has its own unit. A weight is stored as a whole number from -127
// to 127, with one scale for each output channel. Sums of products of these are
// exact, so that results have the same bits on every processor. Activations have
// seven bits and not eight because AVX2, without VNNI, adds pairs of products in
// 16 bits.
//
// After packing it does not change: Run may be called concurrently.
type Quant struct {
	H, W    int
	In, Out int // In is a multiple of 4
	K       int

	plan
	weight      []int8    // packed; not of portable Go
	pairs       []int64   // of portable Go: the weights of two output channels each, packed
	scale, bias []float32 // by output channel, padded to whole vectors: a result is sum·scale + bias
}

// MaxActivation is the largest 8-bit activation; larger results are cut off there.
const MaxActivation = 127

// maxWeight is the largest 8-bit weight; the smallest is -maxWeight.
const maxWeight = 127

// NewQuant returns a convolution with all weights zero.
func NewQuant(h, w, in, out, k int) *Quant {
	return newQuant(activeQuant, h, w, in, out, k)
}

func newQuant(l level, h, w, in, out, k int) *Quant {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 || in%4 != 0 {
		panic("kernel: no such convolution in 8 bits")
	}
	q := &Quant{H: h, W: w, In: in, Out: out, K: k, plan: newPlan(l, quants, h, w, in/4, out, k)}
	if q.level == portable {
		q.pairs = make([]int64, k*k*in*((out+1)/2))
		q.scale, q.bias = make([]float32, out), make([]float32, out)
		return q
	}
	words := aligned(q.words)
	q.weight = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(words))), 4*q.words)
	q.scale, q.bias = aligned(q.padded()), aligned(q.padded())
	return q
}

// Pack rounds weights, [K][K][In][Out], as [RoundWeights] does, and sets bias,
// [Out]. units[c] is the real value of 1 in input channel c.
func (q *Quant) Pack(weight, bias, units []float32) {
	whole, scale := RoundWeights(weight, units, q.Out)
	copy(q.scale, scale)
	copy(q.bias, bias)
	if q.level == portable {
		q.pairs = pack(whole, q.Out, 2)
		return
	}
	q.forEachRun(func(i, ky, kx, word, from, to int) {
		for out := from; out < to; out++ {
			for c := range 4 {
				at := 4*i + q.level.place(out-from, c)
				if q.level == simd { // its words are two channels
					lanes := (to - from + 3) / 4 * 4
					at = 4*i + 2*lanes*(c/2*q.K-kx) + 2*(out-from) + c%2
				}
				q.weight[at] = whole[((ky*q.K+kx)*q.In+4*word+c)*q.Out+out]
			}
		}
	})
}

// place is where the kernels read the weight of channel c of an input word, of 0 to 3, for
// an output channel, in bytes from the first of them. Without dot products those for NEON
// take the first two channels of four output channels, and then the others.
func (l level) place(out, c int) int {
	if l == neon {
		return out/4*16 + c/2*8 + out%4*2 + c%2
	}
	return 4*out + c
}

// RoundWeights rounds weights, [K][K][In][out], to whole numbers from -127 to
// 127, with one scale for each output channel. units[c] is the real value of 1 in
// input channel c, so that for 8-bit activations q and whole weights w
//
//	Σ q·unit·weight ≈ scale · Σ q·w
func RoundWeights(weight, units []float32, out int) (whole []int8, scale []float32) {
	weight = slices.Clone(weight)
	for i := range weight { // the unit of the input becomes part of the weight
		weight[i] *= units[i/out%len(units)]
	}
	whole, scale = make([]int8, len(weight)), make([]float32, out)
	for k := range out {
		top := float32(0)
		for i := k; i < len(weight); i += out {
			top = max(top, float32(math.Abs(float64(weight[i]))))
		}
		scale[k] = top / maxWeight
		if top == 0 {
			continue
		}
		inverse := maxWeight / top
		for i := k; i < len(weight); i += out {
			whole[i] = int8(math.RoundToEven(float64(weight[i] * inverse)))
		}
	}
	return whole, scale
}

// Output is where a [Quant] writes: floats, bytes for the next Quant, or both.
type Output struct {
	Floats []float32 // may be nil
	Bytes  []uint8   // may be nil; needs a ReLU, and Out a multiple of 16

	// Inverse[c] is 1 over the unit of channel c in Bytes: a result y is written
	// as y·Inverse[c], rounded, or MaxActivation if that is less.
	Inverse []float32
}

// Run computes n boards: src ∗ weights + bias + residual, with negative
// results replaced by 0 if relu. residual may be nil, and may be the output's
// floats. The result for a board does not depend on n.
func (q *Quant) Run(dst *Output, src []uint8, residual []float32, n int, relu bool) {
	cells := n * q.H * q.W
	src = src[:cells*q.In]
	a := rowArgs{floor: float32(math.Inf(-1))}
	if relu {
		a.floor = 0
	}
	if dst.Bytes != nil {
		if !relu || q.Out%16 != 0 {
			panic("kernel: no 8-bit output of such a layer")
		}
		_, _ = dst.Bytes[:cells*q.Out], dst.Inverse[:q.Out]
	}
	if dst.Floats != nil {
		_ = dst.Floats[:cells*q.Out]
	}
	if residual != nil {
		residual = residual[:cells*q.Out]
	}
	switch {
	case cells == 0:
	case q.level == portable:
		q.runPortable(dst, src, residual, n, a)
	default:
		a.dst, a.res = unsafe.Pointer(unsafe.SliceData(dst.Floats)), unsafe.Pointer(unsafe.SliceData(residual))
		a.quant, a.src = unsafe.Pointer(unsafe.SliceData(dst.Bytes)), unsafe.Pointer(unsafe.SliceData(src))
		a.weight = unsafe.Pointer(unsafe.SliceData(q.weight))
		a.scale, a.bias, a.inverse = at(q.scale, 0), at(q.bias, 0), unsafe.Pointer(unsafe.SliceData(dst.Inverse))
		q.run(&a, n)
	}
}

// runPortable is Run in plain Go. Products and sums of floats are rounded one by
// one, as in the kernels; a holds the floor.
func (q *Quant) runPortable(dst *Output, src []uint8, residual []float32, n int, a rowArgs) {
	pairs := (q.Out + 1) / 2
	sums := make([]int64, pairs)
	for cell := range n * q.H * q.W {
		clear(sums)
		tapRows(q.H, q.W, q.K, cell, func(tap, from, n int) {
			for i, v := range src[from*q.In:][:n*q.In] {
				if v != 0 {
					addPackedProducts(sums, q.pairs[(tap*q.In+i)*pairs:], int64(v))
				}
			}
		})
		for k := range q.Out {
			at := cell*q.Out + k
			y := float32(float32(pairLane(sums[k/2], k%2)) * q.scale[k])
			y = float32(y + q.bias[k])
			if residual != nil {
				y = float32(y + residual[at])
			}
			y = max(a.floor, y)
			if dst.Floats != nil {
				dst.Floats[at] = y
			}
			if dst.Bytes != nil {
				dst.Bytes[at] = activation(float32(y * dst.Inverse[k]))
			}
		}
	}
}

// Round writes floats in 8 bits: dst[i] is the whole number nearest to
// src[i]·inverse[i], what is below zero as 0 and what is above MaxActivation as MaxActivation.
// All three are as long.
func Round(dst []uint8, src, inverse []float32) {
	dst, inverse = dst[:len(src)], inverse[:len(src)]
	l := activeQuant
	if l != portable && len(src) >= l.lanes() {
		vectors := len(src) / l.lanes()
		roundVectors(l, dst, src, inverse, vectors)
		if rest := len(src) - l.lanes(); rest%l.lanes() != 0 { // the last vector overlaps the one before
			roundVectors(l, dst[rest:], src[rest:], inverse[rest:], 1)
		}
		return
	}
	for i, v := range src {
		dst[i] = activation(float32(v * inverse[i]))
	}
}

// activation is a number of units as an 8-bit activation. What is not even a number
// becomes MaxActivation, as in the vector kernels.
func activation(units float32) uint8 {
	if !(units < MaxActivation) {
		return MaxActivation
	}
	return uint8(max(0, math.RoundToEven(float64(units))))
}

func roundVectors(l level, dst []uint8, src, inverse []float32, vectors int) {
	a := roundArgs{
		dst: unsafe.Pointer(unsafe.SliceData(dst)), src: at(src, 0), inverse: at(inverse, 0),
		vectors: vectors,
	}
	if l.layers() {
		l.roundLayer(&a)
	} else {
		l.round(&a)
	}
}
