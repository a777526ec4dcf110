package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// activations returns random 8-bit activations: integers from 0 to MaxActivation.
func activations(rng *rand.Rand, n int) []uint8 {
	s := make([]uint8, n)
	for i := range s {
		if rng.IntN(4) > 0 {
			s[i] = uint8(rng.IntN(MaxActivation + 1))
		}
	}
	return s
}

// positive returns random positive numbers of widely varying magnitude.
func positive(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(math.Exp(rng.NormFloat64()))
	}
	return s
}

// On every level, results are bit-identical to the definition: an exact sum, times the scale, plus
// the bias and the residual, and at least the floor, rounded after each operation.
func TestQuantIsExact(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, s := range shapes() {
			s.in = (s.in + 3) / 4 * 4
			q := NewConv8(s.h, s.w, s.in, s.out, s.k)
			weight, bias := random(rng, s.k*s.k*s.in*s.out), random(rng, s.out)
			units, inverse := positive(rng, s.in), positive(rng, s.out)
			q.Pack(weight, bias, units)
			cells := s.n * s.h * s.w
			src, residual := activations(rng, cells*s.in), random(rng, cells*s.out)
			for _, relu := range []bool{false, true} {
				got := Output{Floats: make([]float32, cells*s.out), Inverse: inverse}
				if relu && s.out%16 == 0 {
					got.Bytes = make([]uint8, cells*s.out)
				}
				res := residual
				if rng.IntN(3) == 0 {
					res = nil
				}
				q.Run(&got, src, res, s.n, relu)
				want := byDefinition(q, weight, bias, units, src, res, s.n, relu)
				for i, y := range want {
					if got.Floats[i] != y {
						tb.Fatalf("%+v relu %v: output %d is %v, want %v", s, relu, i, got.Floats[i], y)
					}
					if got.Bytes == nil {
						continue
					}
					if b := min(MaxActivation, math.RoundToEven(float64(y*inverse[i%s.out]))); float64(got.Bytes[i]) != b {
						tb.Fatalf("%+v: byte %d is %d, want %v", s, i, got.Bytes[i], b)
					}
				}
				if got.Bytes != nil { // repeat without Floats: Bytes must not change
					alone := Output{Bytes: make([]uint8, cells*s.out), Inverse: inverse}
					q.Run(&alone, src, res, s.n, relu)
					if !slices.Equal(alone.Bytes, got.Bytes) {
						tb.Fatalf("%+v: bytes depend on whether floats are asked for", s)
					}
				}
			}
		}
	})
}

// byDefinition computes the results of q from the original, unpacked weights.
func byDefinition(q *Conv8, weight, bias, units []float32, src []uint8, residual []float32, n int, relu bool) []float32 {
	out := make([]float32, n*q.H*q.W*q.Out)
	weight = slices.Clone(weight)
	for i := range weight {
		weight[i] *= units[i/q.Out%q.In]
	}
	for o := range q.Out {
		top := float32(0)
		for i := o; i < len(weight); i += q.Out {
			top = max(top, weight[i], -weight[i])
		}
		inverse := float32(0)
		if top > 0 {
			inverse = MaxActivation / top
		}
		scale := top / MaxActivation
		var rounded []int // the integer weights of output o, by tap and then by input
		for i := o; i < len(weight); i += q.Out {
			rounded = append(rounded, int(math.RoundToEven(float64(weight[i]*inverse))))
		}
		for cell := range n * q.H * q.W {
			sum := 0
			for tap := range q.K * q.K {
				from, ok := (&matrix{H: q.H, W: q.W, K: q.K}).neighbour(cell, tap)
				for in := 0; ok && in < q.In; in++ {
					sum += rounded[tap*q.In+in] * int(src[from*q.In+in])
				}
			}
			y := float32(float32(sum)*scale) + bias[o]
			if residual != nil {
				y += residual[cell*q.Out+o]
			}
			if relu {
				y = max(0, y)
			}
			out[cell*q.Out+o] = y
		}
	}
	return out
}

// Sums do not overflow, even if all activations and weights have the largest absolute values.
func TestQuantExtremes(t *testing.T) {
	levels(t, func(tb testing.TB) {
		q := NewConv8(5, 5, 256, 32, 3)
		weight := make([]float32, 9*256*32)
		for i := range weight {
			weight[i] = 1 - 2*float32(i%2)
		}
		q.Pack(weight, nil, slices.Repeat([]float32{1}, 256))
		src := slices.Repeat([]uint8{MaxActivation}, 25*256)
		got := Output{Floats: make([]float32, 25*32)}
		q.Run(&got, src, nil, 1, false)
		want := float32(9*256*MaxActivation*MaxActivation) * float32(float32(1)/MaxActivation)
		for o := range 32 { // check the cell in the middle of the board
			if y := got.Floats[12*32+o]; math.Abs(float64(y)-float64(want)*float64(1-2*(o%2))) > 1e-3*float64(want) {
				tb.Fatalf("channel %d is %v, want ±%v", o, y, want)
			}
		}
	})
}

// Every result that is too large for a byte becomes MaxActivation. This is true even for a result
// that does not fit into 32 bits after its division by the channel's unit.
func TestHugeResults(t *testing.T) {
	infinite := float32(math.Inf(1))
	levels(t, func(tb testing.TB) {
		const out = 48
		for _, huge := range []float32{127.5, 1e9, 2.2e9, 1e20, math.MaxFloat32, infinite} {
			q := NewConv8(1, 1, 4, out, 1)
			q.Pack(make([]float32, 4*out), slices.Repeat([]float32{huge, -huge}, out/2), slices.Repeat([]float32{1}, 4))
			got := Output{Bytes: make([]uint8, 3*out), Inverse: slices.Repeat([]float32{1}, out)}
			q.Run(&got, make([]uint8, 3*4), nil, 3, true)
			want := slices.Repeat([]uint8{MaxActivation, 0}, 3*out/2)
			if !slices.Equal(got.Bytes, want) {
				tb.Errorf("results of ±%v become %v", huge, got.Bytes)
			}
			src, rounded := slices.Repeat([]float32{huge, -huge}, 3*out/2), make([]uint8, 3*out)
			Round(rounded, src, slices.Repeat([]float32{1}, 3*out))
			if !slices.Equal(rounded, want) {
				tb.Errorf("±%v are rounded to %v", huge, rounded)
			}
		}
	})
}

// The 8-bit results of a layer are close to its results in floats.
func TestQuantIsClose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c, q := NewConv(5, 5, 64, 64, 3), NewConv8(5, 5, 64, 64, 3)
	weight, bias := random(rng, 9*64*64), random(rng, 64)
	c.Pack(weight, bias)
	const unit = 1.0 / MaxActivation
	q.Pack(weight, bias, slices.Repeat([]float32{unit}, 64))
	src := activations(rng, 25*64)
	floats := make([]float32, len(src))
	for i, v := range src {
		floats[i] = unit * float32(v)
	}
	want, got := make([]float32, 25*64), Output{Floats: make([]float32, 25*64)}
	c.Run(want, floats, nil, 1, false)
	q.Run(&got, src, nil, 1, false)
	var off, size float64
	for i, y := range want {
		off += math.Abs(float64(y - got.Floats[i]))
		size += math.Abs(float64(y))
	}
	if off > 0.01*size || off == 0 {
		t.Errorf("the mean error is %.4f of the mean size", off/size)
	}
}

// Round gives the same results on every level and for slices of every length. It rounds halves to
// even, clamps numbers to the range from 0 to MaxActivation, and uses a separate unit for each
// number.
func TestRound(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(6, 6))
		for n := range 70 {
			src, inverse, got := random(rng, n), positive(rng, n), make([]uint8, n+1)
			for i := range src {
				switch i % 5 {
				case 0:
					// The product is often an integer plus one half.
					src[i], inverse[i] = float32(rng.IntN(300)), 0.5
				case 1:
					src[i] *= 100
				}
			}
			Round(got, src, inverse)
			for i, v := range src {
				if want := max(0, min(MaxActivation, math.RoundToEven(float64(float32(v*inverse[i]))))); float64(got[i]) != want {
					tb.Fatalf("%d of %d: %v·%v becomes %d, want %v", i, n, v, inverse[i], got[i], want)
				}
			}
			if got[n] != 0 {
				tb.Fatalf("%d floats write beyond their bytes", n)
			}
		}
	})
}

// TestLargest compares the bound on the sums of columns with a bound from sorted weights.
func TestLargest(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, most := range []int{0, 1, 7, 40, 100} {
		c := &FeatureSum{Features: 40, Out: 32, weight: make([]int16, 40*32), bias: make([]int16, 32)}
		for i := range c.weight {
			c.weight[i] = int16(rng.IntN(1<<16) >> rng.IntN(16))
		}
		want := 0
		for o := range c.bias {
			c.bias[o] = int16(rng.IntN(1<<16) - 1<<15)
			var column []int
			for f := range c.Features {
				column = append(column, -magnitude(c.weight[f*c.Out+o]))
			}
			slices.Sort(column)
			sum := magnitude(c.bias[o])
			for _, v := range column[:min(most, len(column))] {
				sum -= v
			}
			want = max(want, sum)
		}
		if got := c.largest(most); got != want {
			t.Errorf("the largest sum of %d columns is %d, want %d", most, got, want)
		}
	}
}
