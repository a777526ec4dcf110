package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// FeatureSum computes the first layer of a sparse network with 16-bit integers and returns results
// in 8 bits. Each feature has a column of 16-bit weights. Run adds the columns of the active
// features to the bias; this sum is exact. Then Run shifts the sum to the right and clamps it to
// the range from 0 to [MaxActivation]. The results are the same on every processor. A FeatureSum
// never changes, so goroutines may call Run concurrently.
type FeatureSum struct {
	Features int
	Out      int // number of outputs, a multiple of 32

	weight []int16 // [Features][Out]
	// The rounded bias plus half a unit of the results. The half unit makes the shift round to the
	// nearest integer.
	bias  []int16
	shift int
}

// maxShift is the usual and largest shift in bits: a sum of 2^maxShift becomes a result of 1.
// FeatureSum uses a smaller shift only if the sums could otherwise overflow.
const maxShift = 6

// NewFeatureSum returns a layer with the given weights, [features][out], and bias, [out], rounded
// to integers. A result x of channel c becomes the integer nearest to x·inverse[c]. most is the
// maximum number of active features in a position. NewFeatureSum reduces the shift until the sum of
// that many columns cannot overflow int16. If sums could overflow even with a shift of 0,
// NewFeatureSum limits the weights. This happens only if sums can be larger than 258 times the
// range of the results.
func NewFeatureSum(weight, bias, inverse []float32, most int) *FeatureSum {
	out := len(bias)
	if out%32 != 0 || len(inverse) != out || len(weight)%out != 0 {
		panic("kernel: the numbers of weights, biases and scales of the columns do not match")
	}
	c := &FeatureSum{Features: len(weight) / out, Out: out, shift: maxShift}
	for !c.round(weight, bias, inverse, math.MaxInt16, most) {
		if c.shift == 0 {
			c.round(weight, bias, inverse, math.MaxInt16/(most+1), most)
			break
		}
		c.shift--
	}
	return c
}

// Weights returns the integers that Run uses: weights, [Features][Out], and biases, [Out]. The
// caller must not change them. A result is the sum of the bias and the active features' weights,
// shifted to the right by shift bits and clamped to the range from 0 to MaxActivation.
func (c *FeatureSum) Weights() (weight, bias []int16, shift int) { return c.weight, c.bias, c.shift }

// round rounds the weights for the shift c.shift, and limits each weight to ±limit. It returns true
// if no weight exceeded the limit and no sum can overflow 16 bits. A sum adds columns to the bias;
// most is the largest number of columns that a sum can add.
func (c *FeatureSum) round(weight, bias, inverse []float32, limit, most int) bool {
	c.weight, c.bias = make([]int16, len(weight)), make([]int16, c.Out)
	fits := true
	whole := func(v float32, o int) int16 {
		x := math.RoundToEven(float64(v) * float64(inverse[o]) * float64(int(1)<<c.shift))
		top := float64(limit)
		fits = fits && math.Abs(x) <= top
		return int16(max(-top, min(top, x)))
	}
	for i, w := range weight {
		c.weight[i] = whole(w, i%c.Out)
	}
	half := 1 << c.shift >> 1
	for o, b := range bias {
		c.bias[o] = int16(min(math.MaxInt16, int(whole(b, o))+half))
	}
	return fits && c.largest(most) <= math.MaxInt16
}

// largest returns an upper bound for the absolute value of a sum. A sum adds columns to the bias;
// most is the largest number of columns that a sum can add.
func (c *FeatureSum) largest(most int) (bound int) {
	counts := make([]int, 1<<15+1) // number of weights of an output, by magnitude
	for o := range c.Out {
		top := 0
		for f := range c.Features {
			v := magnitude(c.weight[f*c.Out+o])
			counts[v]++
			top = max(top, v)
		}
		sum, left := magnitude(c.bias[o]), most
		for v := top; v >= 0; v-- {
			n := min(left, counts[v])
			sum, left = sum+n*v, left-n
			counts[v] = 0
		}
		bound = max(bound, sum)
	}
	return bound
}

// Run computes the layer for the given active features, which must be distinct. dst is [Out].
func (c *FeatureSum) Run(dst []uint8, features []uint16) {
	checkRows(features, c.Features)
	dst = dst[:c.Out]
	level := activeQuant.of(columnsFunction)
	if !level.has(columnsFunction) {
		c.runPortable(dst, features)
		return
	}
	// Set the fields one by one. A composite literal would be slower: Go would build it in
	// temporary memory and then copy it, before the stores to that memory have finished.
	var a rowsArgs
	a.index, a.count = unsafe.Pointer(unsafe.SliceData(features)), len(features)
	a.stride, a.left, a.shift = 2*c.Out, c.Out, c.shift
	a.dst, a.bias, a.rows = unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(c.bias)), unsafe.Pointer(unsafe.SliceData(c.weight))
	level.call(columnsFunction, unsafe.Pointer(&a))
}

// runPortable is Run in plain Go. Partial sums may overflow and wrap around, but the final sum is
// still correct, because it fits into 16 bits.
func (c *FeatureSum) runPortable(dst []uint8, features []uint16) {
	sums := slices.Clone(c.bias)
	for _, f := range features {
		for o, w := range c.weight[int(f)*c.Out:][:c.Out] {
			sums[o] += w
		}
	}
	for o, sum := range sums {
		dst[o] = uint8(max(0, min(MaxActivation, sum>>c.shift)))
	}
}

func magnitude(v int16) int { return max(int(v), -int(v)) }

// SelectedDense computes selected outputs of a dense layer in 8 bits. Each output has a row of
// weights (signed bytes), a scale and a bias. The results are the same on every processor. A
// SelectedDense never changes, so goroutines may call Run concurrently.
type SelectedDense struct {
	In, Out int // numbers of inputs and outputs; In must be a multiple of 32

	rows []int8 // for each output: its weights, then its scale and its bias as floats
}

// NewSelectedDense rounds weights, [out][in]. units[c] is the real value of the integer 1 in input
// channel c.
func NewSelectedDense(weight, bias, units []float32) *SelectedDense {
	l := &SelectedDense{In: len(units), Out: len(bias)}
	if l.In%32 != 0 || len(weight) != l.In*l.Out {
		panic("kernel: the numbers of weights, biases and units of the logits do not match")
	}
	l.rows = make([]int8, l.Out*l.stride())
	turned := make([]float32, l.In)
	for o := range l.Out {
		copy(turned, weight[o*l.In:])
		whole, scale := RoundWeights(turned, units, 1)
		row := l.rows[o*l.stride():][:l.stride()]
		copy(row, whole)
		tail := (*[2]float32)(unsafe.Pointer(&row[l.In]))
		*tail = [2]float32{scale[0], bias[o]}
	}
	return l
}

// stride returns the number of bytes from one row to the next.
func (l *SelectedDense) stride() int { return l.In + 8 }

// Run computes only the outputs listed in index: it sets dst[i] to output number index[i]. src is
// the input; its length is l.In.
func (l *SelectedDense) Run(dst []float32, index []uint16, src []uint8) {
	checkRows(index, l.Out)
	dst, src = dst[:len(index)], src[:l.In]
	if !activeQuant.has(logitsFunction) {
		for i, o := range index {
			row := l.rows[int(o)*l.stride():][:l.stride()]
			var sum int32
			for j, w := range row[:len(src)] {
				sum += int32(src[j]) * int32(w)
			}
			tail := (*[2]float32)(unsafe.Pointer(&row[l.In]))
			dst[i] = float32(float32(sum)*tail[0]) + tail[1]
		}
		return
	}
	var a rowsArgs
	a.rows, a.src = unsafe.Pointer(unsafe.SliceData(l.rows)), unsafe.Pointer(unsafe.SliceData(src))
	a.stride, a.count = l.stride(), l.In/32
	activeQuant.products(logitsFunction, a, dst, index)
}
