package kernel

import (
	"math"
	"slices"
	"unsafe"
)

// FeatureSum computes the first layer of a sparse network, with results in 8 bits. Each feature has
// a column of 16-bit whole numbers. Run adds the columns of the active features to the bias; this
// sum is exact. It shifts the sum to the right and limits it to a byte from 0 to [MaxActivation].
// Results are the same on every processor. A FeatureSum does not change, so Run may be called
// concurrently.
type FeatureSum struct {
	Features int
	Out      int // number of outputs, a multiple of 32

	weight []int16 // [Features][Out]
	bias   []int16 // includes 1/2 of a result's unit, so that the shift rounds to nearest
	shift  int
}

// maxShift is the preferred shift, used if the sums are small enough. Weights are then whole
// multiples of 1/2^maxShift of a result's unit.
const maxShift = 6

// NewFeatureSum rounds weights, [features][out], and bias, [out]. A result x of channel c becomes
// the whole number nearest to x·inverse[c]. most is the largest number of features that are active
// at once. NewFeatureSum reduces the shift until no sum of most columns can overflow int16. If a
// sum may overflow even without a shift, which takes 258 times the range of the results,
// NewFeatureSum limits the weights.
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

// Weights returns the whole numbers with which Run computes: weights, [Features][Out], and biases,
// [Out]. The caller must not change them. A result is the sum of the bias and the active features'
// weights, shifted to the right by shift and limited to the range from 0 to MaxActivation.
func (c *FeatureSum) Weights() (weight, bias []int16, shift int) { return c.weight, c.bias, c.shift }

// round rounds the weights for c.shift and limits each weight to ±limit. It reports whether no
// weight was limited and the sums of any most columns fit into 16 bits.
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

// largest returns a bound for the magnitude of the sum of the bias and any most columns.
func (c *FeatureSum) largest(most int) (bound int) {
	column := make([]int, c.Features)
	for o := range c.Out {
		for f := range column {
			column[f] = magnitude(c.weight[f*c.Out+o])
		}
		slices.Sort(column)
		sum := magnitude(c.bias[o])
		for _, v := range column[max(0, len(column)-most):] {
			sum += v
		}
		bound = max(bound, sum)
	}
	return bound
}

// Run computes the layer for some active features, which must be distinct. dst is [Out].
func (c *FeatureSum) Run(dst []uint8, features []uint16) {
	checkRows(features, c.Features)
	dst = dst[:c.Out]
	level := activeQuant.of(columnsFunction)
	if !level.has(columnsFunction) {
		c.runPortable(dst, features)
		return
	}
	var a rowsArgs // set field by field: Go would build a literal elsewhere and copy it here before its stores are done
	a.index, a.count = unsafe.Pointer(unsafe.SliceData(features)), len(features)
	a.stride, a.left, a.shift = 2*c.Out, c.Out, c.shift
	a.dst, a.bias, a.rows = unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(c.bias)), unsafe.Pointer(unsafe.SliceData(c.weight))
	level.call(columnsFunction, unsafe.Pointer(&a))
}

// runPortable is Run in plain Go. Partial sums may overflow, but the final sum does not.
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

// SelectedDense computes a dense layer in 8 bits, a few outputs at a time. Each output has a row of
// weights, which are signed bytes, a scale and a bias. Results are the same on every processor. A
// SelectedDense does not change, so Run may be called concurrently.
type SelectedDense struct {
	In, Out int // In is a multiple of 32

	rows []int8 // for each output: the weights, then scale and bias as floats
}

// NewSelectedDense rounds weights, [out][in]. units[c] is the real value of 1 in input channel c.
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

// Run computes some outputs: dst[i] is output index[i] for the input src, [In].
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
