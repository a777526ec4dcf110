package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// numbers returns n random row numbers. If repeat is set, a number may occur more than once.
func numbers(rng *rand.Rand, rows, n int, repeat bool) []uint16 {
	index := make([]uint16, n)
	perm := rng.Perm(rows)
	for i := range index {
		index[i] = uint16(perm[i%rows])
		if repeat {
			index[i] = uint16(rng.IntN(rows))
		}
	}
	return index
}

// Sums of rows, additions to rows and products with rows are bit-identical on every level and in
// portable Go. The sums of portable Go are close to sums in 64 bits.
func TestRowsAreTheSameOnEveryLevel(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, width := range []int{16, 32, 48, 64, 112, 256, 400} {
			for n := range 11 {
				m := Rows{Data: random(rng, 9*width), Width: width}
				index := numbers(rng, 9, n, true)
				var coefficients []float32
				if n%2 == 1 {
					coefficients = random(rng, n)
				}
				from := rng.IntN(width/16) * 16
				columns := (1 + rng.IntN((width-from)/16)) * 16
				start := random(rng, columns)

				want, sum64 := slices.Clone(start), make([]float64, columns)
				m.chosenPortable(gatherFunction, want, from, index, coefficients)
				for j := range sum64 {
					sum64[j] = float64(start[j])
					for i, r := range index {
						c := 1.0
						if coefficients != nil {
							c = float64(coefficients[i])
						}
						sum64[j] += c * float64(m.Data[int(r)*width+from+j])
					}
				}
				all, row := guarded(from + columns)
				got := row[from:]
				copy(got, start)
				m.SumEach(row, from, columns, []uint32{uint32(n)}, index, coefficients)
				if !slices.Equal(got, want) || !untouched(all) || from > 0 && row[from-1] != -77 {
					tb.Fatalf("the sum of %d rows of %d, columns %d+%d: %v, want %v", n, width, from, columns, got, want)
				}
				for j, x := range got {
					if math.Abs(float64(x)-sum64[j]) > 1e-5 {
						tb.Fatalf("column %d of a sum is %v, want %v", j, x, sum64[j])
					}
				}

				before := slices.Clone(m.Data)
				twin := Rows{Data: slices.Clone(m.Data), Width: width}
				twin.chosenPortable(scatterFunction, start, from, index, coefficients)
				m.AddEach(slices.Concat(make([]float32, from), start), from, columns, []uint32{uint32(n)}, index, coefficients)
				if !slices.Equal(m.Data, twin.Data) {
					tb.Fatalf("adding to %d rows of %d, columns %d+%d differs from the portable code", n, width, from, columns)
				}
				for i, v := range m.Data {
					touched := slices.Contains(index, uint16(i/width)) && i%width >= from && i%width < from+columns
					if !touched && v != before[i] {
						tb.Fatalf("adding to rows %v, columns %d+%d, changed element %d", index, from, columns, i)
					}
				}

				x := random(rng, width)
				all, got = guarded(n)
				m.Dots(got, index, x)
				for i, r := range index {
					if w := dot(m.Data[int(r)*width:][:width], x); got[i] != w {
						tb.Fatalf("product %d of %d with a row of %d is %v, want %v", i, n, width, got[i], w)
					}
				}
				if !untouched(all) {
					tb.Fatal("products are written beside their place")
				}
			}
		}
	})
}

// One call with many lists gives the same results as a separate call for each list.
func TestEachListOfRows(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(9, 9))
		const width, rows, from, columns = 112, 9, 32, 64
		for n := 1; n < 12; n++ {
			m := Rows{Data: random(rng, rows*width), Width: width}
			each, twin := random(rng, n*width), Rows{Data: slices.Clone(m.Data), Width: width}
			want := slices.Clone(each)
			var counts []uint32
			var index []uint16
			var coefficients []float32
			for range n {
				list := numbers(rng, rows, rng.IntN(4), true)
				counts, index = append(counts, uint32(len(list))), append(index, list...)
			}
			if n%2 == 0 {
				coefficients = random(rng, len(index))
			}
			eachList := func(m Rows, f function, vectors []float32) {
				at := 0
				for i, c := range counts {
					var some []float32
					if coefficients != nil {
						some = coefficients[at:][:c]
					}
					m.chosenPortable(f, vectors[i*width+from:][:columns], from, index[at:][:c], some)
					at += int(c)
				}
			}
			eachList(m, gatherFunction, want)
			m.SumEach(each, from, columns, counts, index, coefficients)
			if !slices.Equal(each, want) {
				tb.Fatalf("the sums of lists of %v rows differ from those of each", counts)
			}
			eachList(twin, scatterFunction, each)
			m.AddEach(each, from, columns, counts, index, coefficients)
			if !slices.Equal(m.Data, twin.Data) {
				tb.Fatalf("adding to lists of %v rows differs from adding to each", counts)
			}
		}
	})
}

// On every level, FeatureSum computes exactly what its definition says.
func TestColumnsAreExact(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(7, 7))
		for _, out := range []int{32, 64, 96, 160, 256, 480} {
			for n := range 13 {
				const features = 40
				weight, bias, inverse := random(rng, features*out), random(rng, out), positive(rng, out)
				for o := range inverse {
					inverse[o] *= 20
				}
				c := NewFeatureSum(weight, bias, inverse, 12)
				index := numbers(rng, features, n, false)
				dst := slices.Repeat([]uint8{99}, out+2)
				c.Run(dst[1:out+1], index)
				for o, got := range dst[1 : out+1] {
					sum := int(c.bias[o])
					units := float64(bias[o] * inverse[o])
					for _, f := range index {
						sum += int(c.weight[int(f)*out+o])
						units += float64(weight[int(f)*out+o] * inverse[o])
					}
					if want := max(0, min(MaxActivation, sum>>c.shift)); int(got) != want {
						tb.Fatalf("channel %d of %d with %d features is %d, want %d", o, out, n, got, want)
					}
					off := float64(n+1)/math.Exp2(float64(c.shift)) + 1
					if math.Abs(float64(got)-max(0, min(MaxActivation, units))) > off {
						tb.Fatalf("channel %d of %d is %d, its floats say %v", o, out, got, units)
					}
				}
				if dst[0] != 99 || dst[out+1] != 99 {
					tb.Fatal("columns are written beside their place")
				}
			}
		}
	})
}

// NewFeatureSum reduces the shift until the sums of columns fit into 16 bits.
func TestColumnsDoNotOverflow(t *testing.T) {
	const out, features, most = 32, 50, 20
	weight, inverse := make([]float32, features*out), make([]float32, out)
	for i := range weight {
		weight[i] = 1
	}
	for o := range inverse {
		inverse[o] = 100
	}
	c := NewFeatureSum(weight, make([]float32, out), inverse, most)
	if c.shift != 4 { // 20·100·2^4 fits into 16 bits, 20·100·2^5 does not
		t.Errorf("the shift is %d, want 4", c.shift)
	}
	dst := make([]uint8, out)
	c.Run(dst, numbers(rand.New(rand.NewPCG(1, 1)), features, most, false))
	if dst[0] != MaxActivation {
		t.Errorf("a large sum is %d, want %d", dst[0], MaxActivation)
	}
}

// Sums do not wrap around even if the weights of columns are far larger than the range of the
// results: the result for many such columns is MaxActivation or 0.
func TestHugeColumnsSaturate(t *testing.T) {
	levels(t, func(tb testing.TB) {
		const out, features, most = 32, 40, 20
		for _, size := range []float32{100, 1e4, 1e9, math.MaxFloat32} {
			weight, inverse := make([]float32, features*out), slices.Repeat([]float32{100}, out)
			for i := range weight {
				weight[i] = size * float32(1-2*(i%2))
			}
			bias := slices.Repeat([]float32{size, -size}, out/2)
			dst := make([]uint8, out)
			NewFeatureSum(weight, bias, inverse, most).Run(dst, numbers(rand.New(rand.NewPCG(1, 1)), features, most, false))
			if want := slices.Repeat([]uint8{MaxActivation, 0}, out/2); !slices.Equal(dst, want) {
				tb.Errorf("columns of ±%v units are summed to %v", 100*size, dst)
			}
		}
	})
}

// On every level, the results of SelectedDense are bit-identical to its definition.
func TestLogitsAreExact(t *testing.T) {
	levels(t, func(tb testing.TB) {
		rng := rand.New(rand.NewPCG(8, 8))
		for _, in := range []int{32, 64, 96, 256} {
			for n := range 10 {
				const outputs = 60
				weight, bias, units := random(rng, outputs*in), random(rng, outputs), positive(rng, in)
				l := NewSelectedDense(weight, bias, units)
				x, index := activations(rng, in), numbers(rng, outputs, n, true)
				all, got := guarded(n)
				l.Run(got, index, x)
				for i, o := range index {
					whole, scale := RoundWeights(weight[int(o)*in:][:in], units, 1)
					sum := 0
					for j := range x {
						sum += int(x[j]) * int(whole[j])
					}
					want := float32(float32(sum)*scale[0]) + bias[o]
					if got[i] != want {
						tb.Fatalf("logit %d of %d with %d inputs is %v, want %v", i, n, in, got[i], want)
					}
				}
				if !untouched(all) {
					tb.Fatal("logits are written beside their place")
				}
			}
		}
	})
}

// If a list contains a row number that does not exist, the methods panic instead of letting a
// kernel access memory outside the matrix.
func TestRowsThatAreNotThere(t *testing.T) {
	for name, f := range map[string]func(){
		"sum": func() { Rows{make([]float32, 64), 16}.Sum(make([]float32, 16), []uint16{4}) },
		"add": func() {
			Rows{make([]float32, 64), 16}.AddEach(make([]float32, 16), 0, 16, []uint32{1}, []uint16{4}, nil)
		},
		"vectors": func() {
			Rows{make([]float32, 64), 16}.SumEach(make([]float32, 31), 0, 16, []uint32{0, 1}, []uint16{1}, nil)
		},
		"lists": func() {
			Rows{make([]float32, 64), 16}.SumEach(make([]float32, 32), 0, 16, []uint32{1, 1}, []uint16{1}, nil)
		},
		"dots": func() { Rows{make([]float32, 64), 16}.Dots(make([]float32, 1), []uint16{4}, make([]float32, 16)) },
		"columns": func() {
			NewFeatureSum(make([]float32, 64), make([]float32, 32), make([]float32, 32), 2).Run(make([]uint8, 32), []uint16{2})
		},
		"logits": func() {
			NewSelectedDense(make([]float32, 64), make([]float32, 2), make([]float32, 32)).Run(make([]float32, 1), []uint16{2}, make([]uint8, 32))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes a row that is not there", name)
				}
			}()
			f()
		}()
	}
}

// checkRows finds a row number that is too large anywhere in the list, and accepts all other lists.
func TestCheckRows(t *testing.T) {
	panics := func(index []uint16, rows int) (yes bool) {
		defer func() { yes = recover() != nil }()
		checkRows(index, rows)
		return false
	}
	for _, rows := range []int{1, 198, 1<<15 - 1, 1 << 15, 1<<15 + 1, 1<<16 - 1} {
		for n := range 10 {
			index := slices.Repeat([]uint16{uint16(rows - 1)}, n)
			if panics(index, rows) {
				t.Errorf("row %d of %d, %d times, is taken for too large", rows-1, rows, n)
			}
			for i := range index {
				for _, large := range []int{rows, 1<<16 - 1} {
					wrong := slices.Clone(index)
					wrong[i] = uint16(large)
					if !panics(wrong, rows) {
						t.Errorf("row %d of %d is not noticed as number %d of %d", large, rows, i, n)
					}
				}
			}
		}
	}
}
