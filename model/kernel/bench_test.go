package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// peakFLOPS measures the maximum number of operations per second on this core, with multiply-add
// instructions.
func peakFLOPS() float64 {
	var best float64
	for range 5 {
		start := time.Now()
		ops := MultiplyAdds(200_000)
		best = max(best, ops/time.Since(start).Seconds())
	}
	return best
}

// real returns the number of operations per board, without products with the zero padding.
func (c *matrix) real() float64 {
	r := c.K / 2
	taps := (c.K*c.H - r*(r+1)) * (c.K*c.W - r*(r+1))
	return 2 * float64(taps*c.In*c.Out)
}

func BenchmarkConv(b *testing.B) {
	for _, s := range []shape{{5, 5, 64, 64, 3, 16}, {5, 5, 32, 32, 3, 16}, {9, 9, 64, 64, 3, 8}, {3, 3, 32, 32, 3, 16}, {2, 12, 64, 64, 3, 8}, {5, 5, 64, 58, 1, 16}, {1, 1, 200, 64, 1, 16}} {
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

func BenchmarkQuant(b *testing.B) {
	for _, s := range []shape{{5, 5, 64, 64, 3, 16}, {5, 5, 32, 32, 3, 16}, {9, 9, 64, 64, 3, 8}, {2, 6, 48, 48, 3, 16}, {5, 5, 64, 50, 1, 16}} {
		b.Run(fmt.Sprintf("%dx%dx%d/%d/K%d", s.h, s.w, s.in, s.out, s.k), func(b *testing.B) {
			levels(b, func(t testing.TB) {
				b := t.(*testing.B)
				q := NewConv8(s.h, s.w, s.in, s.out, s.k)
				cells := s.n * s.h * s.w
				rng := rand.New(rand.NewPCG(1, 1))
				q.Pack(random(rng, s.k*s.k*s.in*s.out), nil, positive(rng, s.in))
				src, dst := activations(rng, cells*s.in), Output{Floats: make([]float32, cells*s.out)}
				if s.k == 3 {
					dst = Output{Bytes: make([]uint8, cells*s.out), Inverse: positive(rng, s.out)}
				}
				for b.Loop() {
					q.Run(&dst, src, nil, s.n, true)
				}
				report(b, q.real()*float64(s.n))
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

// report reports a benchmark's speed and its percentage of the measured peak.
func report(b *testing.B, operations float64) {
	rate := operations * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate/1e9, "GFLOP/s")
	if peak := peakFLOPS(); peak > 0 {
		b.ReportMetric(100*rate/peak, "%peak")
	}
}

// BenchmarkSparse measures one evaluation of a sparse network of the size used for Onitama: 30 of
// 198 features are active, the first layer has 256 sums, the next one has 64 outputs, and 16 of
// 1,250 logits are computed.
func BenchmarkSparse(b *testing.B) {
	levels(b, func(t testing.TB) {
		b := t.(*testing.B)
		rng := rand.New(rand.NewPCG(1, 1))
		const features, wide, hidden, actions, boards = 198, 256, 64, 1250, 16
		first := NewFeatureSum(random(rng, features*wide), random(rng, wide), positive(rng, wide), 40)
		middle := NewConv8(1, 1, wide, hidden, 1)
		middle.Pack(random(rng, wide*hidden), random(rng, hidden), positive(rng, wide))
		last := NewSelectedDense(random(rng, actions*hidden/2), random(rng, actions), positive(rng, hidden/2))
		active, legal := numbers(rng, features, 30, false), numbers(rng, actions, 16, false)
		x, y, logits := make([]uint8, boards*wide), make([]uint8, boards*hidden), make([]float32, 16)
		inverse := positive(rng, hidden)
		for b.Loop() {
			for i := range boards {
				first.Run(x[i*wide:(i+1)*wide], active)
			}
			middle.Run(&Output{Bytes: y, Inverse: inverse}, x, nil, boards, true)
			for i := range boards {
				last.Run(logits, legal, y[i*hidden:i*hidden+hidden/2])
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*boards), "ns/evaluation")
	})
}
