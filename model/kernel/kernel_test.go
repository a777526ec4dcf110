package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// at level runs f with every level the processor has.
func levels(t testing.TB, f func(t testing.TB)) {
	best := active
	defer func() { active = best }()
	for _, l := range available() {
		active = l
		switch t := t.(type) {
		case *testing.T:
			t.Run(l.String(), func(t *testing.T) { f(t) })
		case *testing.B:
			t.Run(l.String(), func(b *testing.B) { f(b) })
		}
	}
}

func random(rng *rand.Rand, n int) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(rng.NormFloat64())
		if rng.IntN(4) == 0 {
			s[i] = 0
		}
	}
	return s
}

// reference is Run in float64, straight from the definition.
func reference(c *Conv, weight, bias, src, residual []float32, n int, relu bool) []float64 {
	out := make([]float64, n*c.H*c.W*c.Out)
	r := c.K / 2
	for b := range n {
		for y := range c.H {
			for x := range c.W {
				for o := range c.Out {
					i := ((b*c.H+y)*c.W+x)*c.Out + o
					sum := float64(bias[o])
					if residual != nil {
						sum += float64(residual[i])
					}
					for ky := range c.K {
						for kx := range c.K {
							sy, sx := y+ky-r, x+kx-r
							if sy < 0 || sx < 0 || sy >= c.H || sx >= c.W {
								continue
							}
							for in := range c.In {
								sum += float64(src[((b*c.H+sy)*c.W+sx)*c.In+in]) * float64(weight[((ky*c.K+kx)*c.In+in)*c.Out+o])
							}
						}
					}
					if relu {
						sum = max(0, sum)
					}
					out[i] = sum
				}
			}
		}
	}
	return out
}

type shape struct{ h, w, in, out, k, n int }

// shapes are many small convolutions with every kind of edge.
func shapes() (all []shape) {
	for _, hw := range [][2]int{{1, 1}, {1, 3}, {3, 3}, {2, 5}, {5, 5}, {2, 6}, {4, 4}, {9, 9}, {2, 7}, {1, 12}} {
		for _, io := range [][2]int{{1, 1}, {2, 16}, {20, 32}, {16, 58}, {33, 64}, {7, 130}, {5, 9}, {3, 72}} {
			for _, k := range []int{1, 3} {
				for _, n := range []int{1, 3} {
					all = append(all, shape{hw[0], hw[1], io[0], io[1], k, n})
				}
			}
		}
	}
	return all
}

const guard = 40 // floats before and behind dst that must not change

func guarded(n int) (all, inside []float32) {
	all = slices.Repeat([]float32{-77}, n+2*guard)
	return all, all[guard : guard+n]
}

func TestRunAgainstReference(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(1, 1))
		for _, s := range shapes() {
			c := NewConv(s.h, s.w, s.in, s.out, s.k)
			weight, bias := random(rng, s.k*s.k*s.in*s.out), random(rng, s.out)
			c.Pack(weight, bias)
			cells := s.n * s.h * s.w
			src, residual := random(rng, cells*s.in), random(rng, cells*s.out)
			for _, relu := range []bool{false, true} {
				for _, res := range [][]float32{nil, residual} {
					want := reference(c, weight, bias, src, res, s.n, relu)
					all, dst := guarded(cells * s.out)
					if res != nil { // in place, as the blocks of a network use it
						copy(dst, res)
						res = dst
					}
					c.Run(dst, src, res, s.n, relu)
					for i, w := range want {
						if math.Abs(float64(dst[i])-w) > 1e-4*math.Sqrt(float64(s.k*s.k*s.in)) {
							t.Fatalf("%+v relu %v residual %v: element %d is %v, want %v", s, relu, res != nil, i, dst[i], w)
						}
					}
					for i := range guard {
						if all[i] != -77 || all[len(all)-1-i] != -77 {
							t.Fatalf("%+v: wrote outside its destination", s)
						}
					}
				}
			}
		}
	})
}

// AVX2 and AVX-512 agree to the last bit.
func TestVectorLevelsAgree(t *testing.T) {
	if all := available(); all[len(all)-1] != avx512 {
		t.Skip("this processor has no AVX-512")
	}
	best := active
	defer func() { active = best }()
	for _, s := range shapes() {
		var results [2][]float32
		for i, l := range []level{avx2, avx512} {
			rng := rand.New(rand.NewPCG(2, 2))
			active = l
			c := NewConv(s.h, s.w, s.in, s.out, s.k)
			c.Pack(random(rng, s.k*s.k*s.in*s.out), random(rng, s.out))
			cells := s.n * s.h * s.w
			results[i] = make([]float32, cells*s.out)
			c.Run(results[i], random(rng, cells*s.in), random(rng, cells*s.out), s.n, true)
			dw := make([]float32, s.k*s.k*s.in*s.out+s.out)
			c.WeightGrad(dw[s.out:], dw[:s.out], random(rng, cells*s.in), random(rng, cells*s.out), s.n)
			results[i] = append(results[i], dw...)
		}
		if !slices.Equal(results[0], results[1]) {
			t.Fatalf("%+v: AVX2 and AVX-512 differ", s)
		}
	}
}

// A board's result is the same alone and among others, here and in another
// goroutine.
func TestBoardsAreIndependent(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, k := range []int{1, 3} {
			c := NewConv(5, 5, 20, 58, k)
			c.Pack(random(rng, k*k*20*58), random(rng, 58))
			const n = 13
			src := random(rng, n*25*20)
			want := make([]float32, n*25*58)
			c.Run(want, src, nil, n, true)
			got := make([]float32, len(want))
			var wg sync.WaitGroup
			for b := range n {
				wg.Go(func() { c.Run(got[b*25*58:][:25*58], src[b*25*20:], nil, 1, true) })
			}
			wg.Wait()
			if !slices.Equal(got, want) {
				t.Errorf("K=%d: boards one by one differ from boards together", k)
			}
		}
	})
}

// The transposed convolution is the adjoint: <Ax, y> = <x, A'y>.
func TestTransposedIsAdjoint(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, s := range shapes() {
			weight := random(rng, s.k*s.k*s.in*s.out)
			forward, back := NewConv(s.h, s.w, s.in, s.out, s.k), NewConv(s.h, s.w, s.out, s.in, s.k)
			forward.Pack(weight, nil)
			back.PackTransposed(weight)
			cells := s.n * s.h * s.w
			x, y := random(rng, cells*s.in), random(rng, cells*s.out)
			ax, ay := make([]float32, len(y)), make([]float32, len(x))
			forward.Run(ax, x, nil, s.n, false)
			back.Run(ay, y, nil, s.n, false)
			var left, right, scale float64
			for i := range y {
				left += float64(ax[i]) * float64(y[i])
				scale += math.Abs(float64(ax[i]) * float64(y[i]))
			}
			for i := range x {
				right += float64(x[i]) * float64(ay[i])
			}
			if math.Abs(left-right) > 1e-5*(scale+1) {
				t.Fatalf("%+v: <Ax,y> = %v, <x,A'y> = %v", s, left, right)
			}
		}
	})
}

// The weight gradient is the derivative of <conv(x), g>, which is linear in
// the weights: each element is the value with that weight alone set to 1.
func TestWeightGrad(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, s := range shapes() {
			c := NewConv(s.h, s.w, s.in, s.out, s.k)
			cells := s.n * s.h * s.w
			x, g := random(rng, cells*s.in), random(rng, cells*s.out)
			all, dw := guarded(s.k * s.k * s.in * s.out)
			clear(dw)
			db := make([]float32, s.out)
			c.WeightGrad(dw, db, x, g, s.n)
			for i := range guard {
				if all[i] != -77 || all[len(all)-1-i] != -77 {
					t.Fatalf("%+v: wrote outside dw", s)
				}
			}
			for range 20 {
				i := rng.IntN(len(dw))
				weight := make([]float32, len(dw))
				weight[i] = 1
				var want float64
				for j, v := range reference(c, weight, make([]float32, s.out), x, nil, s.n, false) {
					want += v * float64(g[j])
				}
				if math.Abs(want-float64(dw[i])) > 1e-4*math.Sqrt(float64(cells)) {
					t.Fatalf("%+v: gradient of weight %d is %v, want %v", s, i, dw[i], want)
				}
			}
			o := rng.IntN(s.out)
			var want float64
			for cell := range cells {
				want += float64(g[cell*s.out+o])
			}
			if math.Abs(want-float64(db[o])) > 1e-4*math.Sqrt(float64(cells)) {
				t.Fatalf("%+v: gradient of bias %d is %v, want %v", s, o, db[o], want)
			}
		}
	})
}

func TestReLUGrad(t *testing.T) {
	dy := []float32{1, 2, 3, 4}
	ReLUGrad(dy, dy, []float32{0, 5, 0, 0.1})
	if !slices.Equal(dy, []float32{0, 2, 0, 4}) {
		t.Errorf("got %v", dy)
	}
}

func TestNoAllocation(t *testing.T) {
	levels(t, func(t testing.TB) {
		c := NewConv(5, 5, 16, 16, 3)
		src, dst, dw, db := make([]float32, 400), make([]float32, 400), make([]float32, 9*256), make([]float32, 16)
		if n := testing.AllocsPerRun(10, func() {
			c.Run(dst, src, nil, 1, true)
			c.WeightGrad(dw, db, src, dst, 1)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func TestChoose(t *testing.T) {
	best := available()[len(available())-1]
	for name, want := range map[string]level{"": best, "portable": portable, "mmx": best} {
		if got := choose(name); got != want {
			t.Errorf("choose(%q) = %v, want %v", name, got, want)
		}
	}
}

// peakFLOPS is the multiply-add peak of this core, by measurement.
func peakFLOPS() float64 {
	var best float64
	for range 5 {
		start := time.Now()
		ops := active.peak(3_000_000)
		best = max(best, ops/time.Since(start).Seconds())
	}
	return best
}

// real is the number of operations of a board that are not by zero.
func (c *Conv) real() float64 {
	r := c.K / 2
	taps := (c.K*c.H - r*(r+1)) * (c.K*c.W - r*(r+1))
	return 2 * float64(taps*c.In*c.Out)
}

func BenchmarkConv(b *testing.B) {
	for _, s := range []shape{{5, 5, 64, 64, 3, 16}, {5, 5, 32, 32, 3, 16}, {9, 9, 64, 64, 3, 8}, {3, 3, 32, 32, 3, 16}, {5, 5, 64, 58, 1, 16}, {1, 1, 200, 64, 1, 16}} {
		b.Run(fmt.Sprintf("%dx%dx%d/%d/K%d", s.h, s.w, s.in, s.out, s.k), func(b *testing.B) {
			levels(b, func(t testing.TB) {
				b := t.(*testing.B)
				c := NewConv(s.h, s.w, s.in, s.out, s.k)
				cells := s.n * s.h * s.w
				rng := rand.New(rand.NewPCG(1, 1))
				c.Pack(random(rng, s.k*s.k*s.in*s.out), nil)
				src, dst := random(rng, cells*s.in), make([]float32, cells*s.out)
				for b.Loop() {
					c.Run(dst, src, nil, s.n, true)
				}
				report(b, c.real()*float64(s.n))
			})
		})
	}
}

func BenchmarkWeightGrad(b *testing.B) {
	for _, s := range []shape{{5, 5, 64, 64, 3, 16}, {5, 5, 32, 32, 3, 16}, {9, 9, 64, 64, 3, 8}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s.h, s.w, s.in), func(b *testing.B) {
			levels(b, func(t testing.TB) {
				b := t.(*testing.B)
				c := NewConv(s.h, s.w, s.in, s.out, s.k)
				cells := s.n * s.h * s.w
				rng := rand.New(rand.NewPCG(1, 1))
				src, dout := random(rng, cells*s.in), random(rng, cells*s.out)
				dw, db := make([]float32, s.k*s.k*s.in*s.out), make([]float32, s.out)
				for b.Loop() {
					c.WeightGrad(dw, db, src, dout, s.n)
				}
				report(b, c.real()*float64(s.n))
			})
		})
	}
}

// report states a benchmark's speed and its share of the measured peak.
func report(b *testing.B, operations float64) {
	rate := operations * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate/1e9, "GFLOP/s")
	if peak := peakFLOPS(); peak > 0 {
		b.ReportMetric(100*rate/peak, "%peak")
	}
}
