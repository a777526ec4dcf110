package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// winograds are convolutions of every block of channels, with boards in part of a group,
// in one and in two.
var winograds = []shape{{5, 5, 16, 16, 3, 1}, {5, 5, 32, 48, 3, 7}, {5, 5, 64, 64, 3, 33}, {5, 5, 16, 80, 3, 64}, {5, 5, 96, 32, 3, 2}}

// near reports whether two results differ by what rounding explains: a few millionths of
// the largest.
func near(got, want []float32) (worst float64, ok bool) {
	var largest float64
	for i, w := range want {
		largest = max(largest, math.Abs(float64(w)))
		worst = max(worst, math.Abs(float64(got[i])-float64(w)))
	}
	return worst, worst <= 1e-5*(largest+1)
}

// All that a winograd computes is what the direct convolution does, but for rounding.
func TestWinogradAgainstDirect(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(9, 9))
		for _, s := range winograds {
			weight, bias := random(rng, 9*s.in*s.out), random(rng, s.out)
			w := NewTrained(s.h, s.w, s.in, s.out, s.k).(*winograd)
			d := &direct{NewConv(s.h, s.w, s.in, s.out, s.k), NewConv(s.h, s.w, s.out, s.in, s.k)}
			w.Pack(weight, bias)
			d.Pack(weight, bias)
			cells := 25 * s.n
			src, dout := random(rng, cells*s.in), random(rng, cells*s.out)
			compare := func(what string, size int, do func(c Trained, result []float32)) {
				t.Helper()
				all, got := guarded(size)
				for i := range got {
					got[i] = src[i%len(src)] // must not matter, or is the residual
				}
				want := slices.Clone(got)
				do(d, want)
				do(w, got)
				if worst, ok := near(got, want); !ok {
					t.Errorf("%+v: %s: differs by %v", s, what, worst)
				}
				if !untouched(all) {
					t.Errorf("%+v: %s: wrote outside its destination", s, what)
				}
			}
			compare("run", cells*s.out, func(c Trained, y []float32) { c.Run(new(Workspace), y, src, nil, s.n, false) })
			compare("run with residual", cells*s.out, func(c Trained, y []float32) { c.Run(new(Workspace), y, src, y, s.n, true) })
			compare("run with another residual", cells*s.out, func(c Trained, y []float32) { c.Run(new(Workspace), y, src, dout, s.n, true) })
			compare("input", cells*s.in, func(c Trained, dx []float32) { c.Backward(dout, s.n).Input(new(Workspace), dx, nil) })
			compare("input with residual", cells*s.in, func(c Trained, dx []float32) { c.Backward(dout, s.n).Input(new(Workspace), dx, dx) })
			compare("weights", 9*s.in*s.out+s.out, func(c Trained, dw []float32) {
				c.Backward(dout, s.n).Weights(new(Workspace), dw[s.out:], dw[:s.out], src)
			})
		}
	})
}

// All levels agree to the last bit.
func TestWinogradLevelsAgree(t *testing.T) {
	var want []float32 // of portable Go, which comes first
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(2, 2))
		var got []float32
		var work Workspace // of all
		for _, s := range winograds {
			w := newWinograd(s.in, s.out)
			w.Pack(random(rng, 9*s.in*s.out), random(rng, s.out))
			src, dout := random(rng, 25*s.n*s.in), random(rng, 25*s.n*s.out)
			y, dx, dw := make([]float32, len(dout)), make([]float32, len(src)), make([]float32, 9*s.in*s.out+s.out)
			w.Run(&work, y, src, dout, s.n, true)
			b := w.Backward(dout, s.n)
			b.Weights(&work, dw[s.out:], dw[:s.out], src)
			b.Input(&work, dx, src)
			got = slices.Concat(got, y, dx, dw)
		}
		if want == nil {
			want = got
		}
		if !slices.EqualFunc(got, want, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }) {
			t.Error("other bits than portable Go")
		}
	})
}

// A board's result is the same alone and among others, here and in another goroutine.
func TestWinogradBoardsAreIndependent(t *testing.T) {
	levels(t, func(t testing.TB) {
		rng := rand.New(rand.NewPCG(3, 3))
		w := newWinograd(32, 48)
		w.Pack(random(rng, 9*32*48), random(rng, 48))
		const n = 35
		src := random(rng, n*25*32)
		want, got := make([]float32, n*25*48), make([]float32, n*25*48)
		w.Run(new(Workspace), want, src, nil, n, true)
		var wg sync.WaitGroup
		for b := range n {
			wg.Go(func() { w.Run(new(Workspace), got[b*25*48:][:25*48], src[b*25*32:], nil, 1, true) })
		}
		wg.Wait()
		if !slices.Equal(got, want) {
			t.Error("boards one by one differ from boards together")
		}
	})
}

// The transforms of taps and cells, multiplied at the points and turned back, are the
// filter; and contract is the transpose of expand.
func TestTransforms(t *testing.T) {
	cells, taps := []float32{3, -1, 4, 1, -5}, []float32{9, 2, -6}
	var x, g, y [points]float32
	copy(y[:], cells)
	inputTransform.toPoints(&x, &y)
	copy(y[:], taps)
	weightTransform.toPoints(&g, &y)
	for i := range x {
		x[i] *= g[i]
	}
	outputTransform.fromPoints(&y, &x)
	for i := range cells {
		var want float32
		for k, tap := range taps {
			if from := i + k - 1; from >= 0 && from < len(cells) {
				want += tap * cells[from]
			}
		}
		if math.Abs(float64(y[i]-want)) > 1e-4 {
			t.Errorf("result %d is %v, want %v", i, y[i], want)
		}
	}
	for _, f := range []*transform{inputTransform, outputTransform, weightTransform} {
		for i := range f.n {
			for p := range points {
				var number, point, up, down [points]float32
				number[i], point[p] = 1, 1
				f.toPoints(&up, &number)
				f.fromPoints(&down, &point)
				if up[p] != down[i] {
					t.Errorf("from number %d to point %d the factor is %v, back %v", i, p, up[p], down[i])
				}
			}
		}
	}
}

// BenchmarkTrained counts the operations of the direct method for both.
func BenchmarkTrained(b *testing.B) {
	for _, channels := range []int{32, 64} {
		const n = 32
		rng := rand.New(rand.NewPCG(1, 1))
		c := NewConv(5, 5, channels, channels, 3)
		for _, m := range []struct {
			name string
			Trained
		}{{"direct", &direct{c, NewConv(5, 5, channels, channels, 3)}}, {"winograd", newWinograd(channels, channels)}} {
			size := n * 25 * channels
			x, y := random(rng, size), random(rng, size)
			dx, dw := make([]float32, size), make([]float32, 9*channels*channels+channels)
			m.Pack(random(rng, 9*channels*channels), nil)
			var work Workspace
			for what, do := range map[string]func(){
				"forward": func() { m.Run(&work, dx, x, nil, n, true) },
				"backward": func() {
					back := m.Backward(y, n)
					back.Weights(&work, dw[channels:], dw[:channels], x)
					back.Input(&work, dx, nil)
				},
			} {
				operations := n * c.real()
				if what == "backward" {
					operations *= 2
				}
				b.Run(fmt.Sprintf("%d/%s/%s", channels, what, m.name), func(b *testing.B) {
					for b.Loop() {
						do()
					}
					report(b, operations)
				})
			}
		}
	}
}
