package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// A Conv8 is a convolution in 8 bits. An activation (a number that a layer reads or returns) is
// stored as an integer q from 0 to [MaxActivation] and represents the real value q·unit. Every
// input channel has its own unit. A weight is stored as an integer from -127 to 127. Every output
// channel has its own scale. Sums of products of these integers are exact, so the results have the
// same bits on every processor. Activations use only seven of the eight bits because AVX2, without
// VNNI, adds two products in 16 bits.
//
// After packing, a Conv8 does not change, so goroutines may call Run concurrently.
type Conv8 struct {
	matrix
	weight []int8 // packed for the kernels; for portable Go: [K][K][In][Out]
	// One per output channel, padded to whole panels. A result is sum·scale + bias.
	scale, bias []float32
}

// MaxActivation is the largest 8-bit activation. Larger results are replaced by it.
const MaxActivation = 127

// maxWeight is the largest 8-bit weight. The smallest one is -maxWeight.
const maxWeight = 127

// NewConv8 returns a convolution with all weights zero.
func NewConv8(h, w, in, out, k int) *Conv8 {
	return newQuant(activeQuant, h, w, in, out, k)
}

func newQuant(l *level, h, w, in, out, k int) *Conv8 {
	if k != 1 && k != 3 || min(h, w, in, out) < 1 || in%4 != 0 || in > len(zeros) {
		panic("kernel: no convolution in 8 bits has these sizes")
	}
	l = l.fitting(out)
	q := &Conv8{matrix: newMatrix(l, quantFunction, h, w, in, in/4, out, k)}
	words := aligned(q.panels * q.panelWords())
	q.weight = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
	q.scale, q.bias = aligned(q.panels*q.channels), aligned(q.panels*q.channels)
	return q
}

// Pack rounds the weights, [K][K][In][Out], with [RoundWeights], and sets the bias, [Out]. units[c]
// is the real value of the integer 1 in input channel c.
func (q *Conv8) Pack(weight, bias, units []float32) {
	whole, scale := RoundWeights(weight, units, q.Out)
	copy(q.scale, scale)
	copy(q.bias, bias)
	if q.level == portable {
		q.weight = whole
		return
	}
	q.forEachRun(func(i, tap, word, from, to int) {
		for out := from; out < to; out++ {
			for c := range 4 {
				q.weight[4*i+q.place(out-from, c)] = whole[(tap*q.In+4*word+c)*q.Out+out]
			}
		}
	})
}

// place returns the place of a weight in a packed panel, as an offset in bytes from the first
// weight for the same input word. c is the input channel within the word (0 to 3), and out is the
// output channel within the panel. For kernels without byte dot products, each group of four output
// channels has its weights for the first two input channels first, and then those for the other
// two.
func (l *level) place(out, c int) int {
	if l.halves {
		return out/4*16 + c/2*8 + out%4*2 + c%2
	}
	return 4*out + c
}

// RoundWeights rounds weights, [K][K][In][out], to integers from -127 to 127. It returns these
// integers and one scale per output channel. units[c] is the real value of the integer 1 in input
// channel c. For 8-bit activations q and integer weights w:
//
//	Σ q·unit·weight ≈ scale · Σ q·w
func RoundWeights(weight, units []float32, out int) (whole []int8, scale []float32) {
	weight = slices.Clone(weight)
	for i := range weight { // multiply each weight by the unit of its input
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

// Output holds the slices to which a [Conv8] writes its results: floats, bytes for the next Conv8,
// or both.
type Output struct {
	Floats []float32 // results as floats; may be nil
	// Results in 8 bits; may be nil. They are possible only with a ReLU and if Out is a multiple of
	// 16.
	Bytes []uint8

	// Inverse[c] is 1 divided by the unit of channel c in Bytes. A result y becomes the integer
	// nearest to y·Inverse[c], but at most MaxActivation.
	Inverse []float32
}

// Run computes conv(src) + bias + residual for n boards and writes it to dst. If relu is set, it
// replaces negative results by 0. residual may be nil or the same slice as dst.Floats. The result
// for a board does not depend on n.
func (q *Conv8) Run(dst *Output, src []uint8, residual []float32, n int, relu bool) {
	cells := n * q.H * q.W
	src = src[:cells*q.In]
	if dst.Bytes != nil {
		if !relu || q.Out%16 != 0 {
			panic("kernel: only a layer with ReLU and a multiple of 16 outputs can write 8 bits")
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
	case q.has(quantFunction):
		var a matrixArgs
		a.dst, a.res = unsafe.Pointer(unsafe.SliceData(dst.Floats)), unsafe.Pointer(unsafe.SliceData(residual))
		a.quant, a.src = unsafe.Pointer(unsafe.SliceData(dst.Bytes)), unsafe.Pointer(unsafe.SliceData(src))
		a.weight, a.floor = unsafe.Pointer(unsafe.SliceData(q.weight)), unsafe.Pointer(floor(relu))
		a.scale, a.bias, a.inverse = at(q.scale, 0), at(q.bias, 0), unsafe.Pointer(unsafe.SliceData(dst.Inverse))
		q.run(&a, n)
	default:
		q.runPortable(dst, src, residual, n, *floor(relu))
	}
}

// runPortable is Run in plain Go. Like the kernels, it rounds after each multiplication and each
// addition of floats.
func (q *Conv8) runPortable(dst *Output, src []uint8, residual []float32, n int, floor float32) {
	sums := make([]int32, q.Out)
	for cell := range n * q.H * q.W {
		clear(sums)
		forEachTap(q.H, q.W, q.K, cell, func(tap, from int) {
			for i, v := range src[from*q.In:][:q.In] {
				if v != 0 {
					for k, w := range q.weight[(tap*q.In+i)*q.Out:][:q.Out] {
						sums[k] += int32(v) * int32(w)
					}
				}
			}
		})
		for k, sum := range sums {
			at := cell*q.Out + k
			y := float32(float32(float32(sum)*q.scale[k]) + q.bias[k])
			if residual != nil {
				y = float32(y + residual[at])
			}
			y = max(floor, y)
			if dst.Floats != nil {
				dst.Floats[at] = y
			}
			if dst.Bytes != nil {
				dst.Bytes[at] = activation(float32(y * dst.Inverse[k]))
			}
		}
	}
}

// Round converts floats to 8 bits. dst[i] becomes the integer nearest to src[i]·inverse[i], clamped
// to the range from 0 to MaxActivation. All three slices must have the same length.
func Round(dst []uint8, src, inverse []float32) {
	dst, inverse = dst[:len(src)], inverse[:len(src)]
	for i, v := range src {
		dst[i] = activation(float32(v * inverse[i]))
	}
}

// activation converts a number, given in units of its channel, to an 8-bit activation. Like the
// kernels, it converts NaN to MaxActivation.
func activation(units float32) uint8 {
	if !(units < MaxActivation) {
		return MaxActivation
	}
	return uint8(max(0, math.RoundToEven(float64(units))))
}
