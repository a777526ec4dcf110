package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// levels runs the test or benchmark f once for each level that the processor supports.
func levels(t testing.TB, f func(t testing.TB)) {
	floats, bytes := active, activeQuant
	defer func() { active, activeQuant = floats, bytes }()
	for _, l := range available() {
		active, activeQuant = l.pair()
		switch t := t.(type) {
		case *testing.T:
			t.Run(l.name, func(t *testing.T) { f(t) })
		case *testing.B:
			t.Run(l.name, func(b *testing.B) { f(b) })
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

// reference computes conv(src) + bias in float64, directly from the definition.
func reference(c *Conv, weight, bias, src []float32, n int) []float64 {
	out := make([]float64, n*c.H*c.W*c.Out)
	for cell := range n * c.H * c.W {
		sums := out[cell*c.Out:][:c.Out]
		for o := range sums {
			sums[o] = float64(bias[o])
		}
		for tap := range c.K * c.K {
			from, ok := c.neighbour(cell, tap)
			if !ok {
				continue
			}
			for in, x := range src[from*c.In:][:c.In] {
				for o, w := range weight[(tap*c.In+in)*c.Out:][:c.Out] {
					sums[o] += float64(x) * float64(w)
				}
			}
		}
	}
	return out
}

// neighbour returns the input cell that a tap reads for an output cell, and whether it is on the
// board.
func (m *matrix) neighbour(cell, tap int) (from int, ok bool) {
	y, x, r := cell/m.W%m.H, cell%m.W, m.K/2
	dy, dx := tap/m.K-r, tap%m.K-r
	return cell + dy*m.W + dx, y+dy >= 0 && y+dy < m.H && x+dx >= 0 && x+dx < m.W
}

type shape struct{ h, w, in, out, k, n int }

// shapes returns sizes of convolutions to test: rows of many widths, last panels of many sizes, and
// some random sizes.
func shapes() (all []shape) {
	for w := 1; w <= 14; w++ {
		for i, io := range [][2]int{{1, 1}, {2, 16}, {20, 32}, {16, 58}, {9, 64}, {7, 130}, {5, 9}, {3, 72}} {
			all = append(all, shape{1 + (w+i)%3, w, io[0], io[1], 3, 1 + i%3})
		}
	}
	rng := rand.New(rand.NewPCG(0, 0))
	for range 60 {
		all = append(all, shape{1 + rng.IntN(9), 1 + rng.IntN(9), 1 + rng.IntN(70), 1 + rng.IntN(130), 1 + 2*rng.IntN(2), 1 + rng.IntN(5)})
	}
	// These shapes have at least as many boards as a tile has rows.
	all = append(all, shape{5, 5, 16, 40, 3, 8}, shape{2, 6, 20, 48, 3, 17}, shape{3, 3, 7, 33, 3, 12}, shape{5, 5, 8, 58, 1, 9})
	for n := range 14 { // dense layers
		all = append(all, shape{1, 1, 1 + rng.IntN(200), 1 + rng.IntN(130), 1, n})
	}
	return all
}

const guard = 40 // number of floats before and after dst that must stay unchanged

func guarded(n int) (all, inside []float32) {
	all = slices.Repeat([]float32{-77}, n+2*guard)
	return all, all[guard : guard+n]
}

func untouched(all []float32) bool {
	for i := range guard {
		if all[i] != -77 || all[len(all)-1-i] != -77 {
			return false
		}
	}
	return true
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
			sums := reference(c, weight, bias, src, s.n)
			tolerance := 1e-5 * math.Sqrt(float64(s.k*s.k*s.in+1))
			for i, relu := range []bool{false, true, false, true} {
				all, dst := guarded(cells * s.out)
				var res []float32
				if i >= 2 { // the result overwrites the residual, as in the blocks of a network
					copy(dst, residual)
					res = dst
				}
				c.Run(dst, src, res, s.n, relu)
				for i, want := range sums {
					if res != nil {
						want += float64(residual[i])
					}
					if relu {
						want = max(0, want)
					}
					if math.Abs(float64(dst[i])-want) > tolerance {
						t.Fatalf("%+v relu %v residual %v: element %d is %v, want %v", s, relu, res != nil, i, dst[i], want)
					}
				}
				if !untouched(all) {
					t.Fatalf("%+v: wrote outside its destination", s)
				}
			}
		}
	})
}

// Results and weight gradients are bit-identical on all levels.
func TestLevelsAgree(t *testing.T) {
	all := available()
	if len(all) == 1 {
		t.Skip("this processor has no vector kernels")
	}
	best := active
	defer func() { active = best }()
	for _, s := range shapes() {
		results := make([][]float32, len(all))
		for i, l := range all {
			rng := rand.New(rand.NewPCG(2, 2))
			active, _ = l.pair()
			c := NewConv(s.h, s.w, s.in, s.out, s.k)
			c.Pack(random(rng, s.k*s.k*s.in*s.out), random(rng, s.out))
			cells := s.n * s.h * s.w
			results[i] = make([]float32, cells*s.out)
			c.Run(results[i], random(rng, cells*s.in), random(rng, cells*s.out), s.n, true)
			dw := make([]float32, s.k*s.k*s.in*s.out+s.out)
			c.WeightGrad(dw[s.out:], dw[:s.out], random(rng, cells*s.in), random(rng, cells*s.out), s.n)
			results[i] = append(results[i], dw...)
		}
		for i, l := range all[1:] {
			if !slices.Equal(results[0], results[i+1]) {
				t.Fatalf("%+v: %v and %v differ", s, portable.name, l.name)
			}
		}
	}
}

// The result for a board does not depend on which other boards are computed in the same call, or on
// the goroutine.
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

// The transposed convolution A' is the adjoint of the convolution A: <Ax, y> = <x, A'y> for all x
// and y.
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

// WeightGrad computes the gradient of each weight, which is a sum over all output cells. Each term
// is the gradient of the output times the input that the weight is multiplied by.
func TestWeightGrad(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, s := range shapes() {
			c := NewConv(s.h, s.w, s.in, s.out, s.k)
			cells := s.n * s.h * s.w
			x, g := random(rng, cells*s.in), random(rng, cells*s.out)
			all, dw := guarded(s.k * s.k * s.in * s.out)
			allBias, db := guarded(s.out)
			for i := range dw {
				dw[i] = 3
			}
			c.WeightGrad(dw, db, x, g, s.n)
			if !untouched(all) || !untouched(allBias) {
				t.Fatalf("%+v: wrote outside its destination", s)
			}
			tolerance := 1e-5 * math.Sqrt(float64(cells+9))
			for range 200 {
				i := rng.IntN(len(dw))
				tap, in, out := i/s.out/s.in, i/s.out%s.in, i%s.out
				want := 0.
				for cell := range cells {
					if from, ok := c.neighbour(cell, tap); ok {
						want += float64(x[from*s.in+in]) * float64(g[cell*s.out+out])
					}
				}
				if math.Abs(want-float64(dw[i])) > tolerance {
					t.Fatalf("%+v: gradient of weight %d is %v, want %v", s, i, dw[i], want)
				}
			}
			for o, got := range db {
				want := 0.
				for cell := range cells {
					want += float64(g[cell*s.out+o])
				}
				if math.Abs(want-float64(got)) > 10*tolerance {
					t.Fatalf("%+v: gradient of bias %d is %v, want %v", s, o, got, want)
				}
			}
		}
	})
}

func TestReLUGrad(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(7, 7))
		for n := range 50 {
			dy, y := random(rng, n), random(rng, n)
			got := slices.Clone(dy)
			ReLUGrad(got, got, y)
			for i, g := range got {
				want := dy[i]
				if !(y[i] > 0) {
					want = 0
				}
				if g != want {
					tb.Fatalf("%d of %d: %v behind %v becomes %v", i, n, dy[i], y[i], g)
				}
			}
		}
	})
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
	for name, want := range map[string]*level{"": best, "portable": portable, "mmx": best} {
		if got := choose(name); got != want {
			t.Errorf("choose(%q) = %v, want %v", name, got.name, want.name)
		}
	}
}
