package graph

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"

	"gorgonia.org/tensor"
)

// A position uses few rows of the weights of a sparse layer. Each part keeps what it has computed, and
// reduce adds up the parts in their order, so that the gradient does not depend on the workers.

// perColumns returns a piece of work for each worker's columns of a matrix, whose number is a
// multiple of 16: f has n columns from from on. A worker sums up a column over the whole batch.
func perColumns(width, workers int, f func(from, n int)) (work []func()) {
	const multiple = 16 // of columns that the kernels take
	most := (width/multiple + workers - 1) / workers * multiple
	for from := 0; from < width; from += most {
		work = append(work, func() { f(from, min(most, width-from)) })
	}
	return work
}

// clearColumns sets n columns of a matrix to zero, from from on.
func clearColumns(m kernel.Rows, from, n int) {
	for ; from < len(m.Data); from += m.Width {
		clear(m.Data[from:][:n])
	}
}

// A featureSum is the kind of FeatureSum: a row of weights for each feature, and the bias.
type featureSum struct{ *layer }

func (f featureSum) state(boards int) partState {
	return &featureState{featureSum: f, grad: newMatrix(boards, f.Out.C)}
}

// reduce computes the gradient of a feature's row as the sum over the positions in which the
// feature is active, and the gradient of the bias as the sum over all positions. Going row by row
// keeps each sum in registers, which takes a fraction of the time of adding every position's
// gradient to all its rows.
func (f featureSum) reduce(grad []float32, states []partState, workers int) []func() {
	return perColumns(f.Out.C, workers, func(from, n int) {
		clearColumns(kernel.Rows{Data: grad, Width: f.Out.C}, from, n)
		for _, s := range states {
			s := s.(*featureState)
			m := kernel.Rows{Data: s.grad.Float32s(), Width: f.Out.C}
			m.SumEach(grad, from, n, s.counts, s.positions, nil)
		}
	})
}

// A featureState keeps the gradient of the results, and an inverted index of the features: for each
// feature the positions in which it is active, and last all positions, for the bias.
type featureState struct {
	featureSum
	part      *part
	grad      *tensor.Dense
	counts    []uint32 // of positions
	positions []uint16 // within the part
	ends      []uint32 // scratch
}

func (s *featureState) forward(y, _, _ []float32, p *part) {
	s.part = p
	weights, bias := s.Split(s.Values)
	m := kernel.Rows{Data: weights, Width: s.Out.C}
	for i := range p.to - p.from {
		row := y[i*s.Out.C:][:s.Out.C]
		copy(row, bias)
		m.Sum(row, p.batch.Input.FeaturesOf(p.from+i))
	}
	kernel.ReLUGrad(y, y, y) // which is the ReLU itself
}

func (s *featureState) place() *tensor.Dense { return s.grad }

func (s *featureState) paramGrad(_, _, _ []float32) { // the gradient of the ReLU lies there
	s.invert(&s.part.batch.Input, s.part.from, s.part.to, s.In.C)
}

func (s *featureState) inputGrad(_, _, _ []float32) { panic("graph: lists have no gradient") }

// invert makes the inverted index of the features of the positions from ≤ i < to.
func (s *featureState) invert(in *engine.Input, from, to, features int) {
	s.counts = append(s.counts[:0], make([]uint32, features+1)...)
	first, _ := in.FeatureRange(from)
	_, end := in.FeatureRange(to - 1)
	for _, f := range in.Features[first:end] {
		s.counts[f]++
	}
	s.counts[features] = uint32(to - from)
	s.ends = s.ends[:0]
	total := uint32(0)
	for _, n := range s.counts {
		total += n
		s.ends = append(s.ends, total)
	}
	s.positions = slices.Grow(s.positions[:0], int(total))[:total]
	for i := to - 1; i >= from; i-- { // from behind, which moves the ends to the beginnings
		for _, f := range in.FeaturesOf(i) {
			s.ends[f]--
			s.positions[s.ends[f]] = uint16(i - from)
		}
		s.ends[features]--
		s.positions[s.ends[features]] = uint16(i - from)
	}
}

// A selectedDense is the kind of SelectedDense: a row of weights for each action and then
// one for each feature of actions, and a bias for each row.
type selectedDense struct{ *layer }

func (d selectedDense) state(int) partState { return &selectedState{selectedDense: d} }

// matrix returns the weights and the biases among parameters.
func (d selectedDense) matrix(params []float32) (m kernel.Rows, bias []float32) {
	weights, bias := d.Split(params)
	return kernel.Rows{Data: weights, Width: d.In.Size()}, bias
}

// reduce adds to the row of each legal action, and of its features, what the layer read, times
// the gradient of the action's logit.
func (d selectedDense) reduce(grad []float32, states []partState, workers int) []func() {
	m, bias := d.matrix(grad)
	work := perColumns(m.Width, workers, func(from, n int) {
		clearColumns(m, from, n)
		for _, s := range states {
			s := s.(*selectedState)
			m.AddEach(s.x, from, n, s.counts, s.index, s.grads())
		}
	})
	return append(work, func() {
		clear(bias)
		for _, s := range states {
			s := s.(*selectedState)
			for j, g := range s.grads() {
				bias[s.index[j]] += g
			}
		}
	})
}

// A selectedState keeps the rows that each position uses: those of its n legal actions, then those of the
// n first features of these actions, and so on.
type selectedState struct {
	selectedDense
	index  []uint16
	counts []uint32  // of these rows, by position
	grad   flexible  // the gradient of the logit that each of them is for
	x      []float32 // what the layer read
	dots   []float32 // scratch
}

func (s *selectedState) forward(y, x, _ []float32, p *part) {
	in := &p.batch.Input
	first, end := in.LegalRange(p.from, p.to)
	rows := (1 + s.PerAction) * (end - first)
	s.x, s.counts, s.index = append(s.x[:0], x...), s.counts[:0], slices.Grow(s.index[:0], rows)[:rows]
	rest := s.index
	m, bias := s.matrix(s.Values)
	done := 0
	for i := p.from; i < p.to; i++ {
		legal, features := in.LegalOf(i), in.AllActionFeatures(i)
		index := rest[:len(legal)+len(features)]
		rest = rest[len(index):]
		for j, a := range legal {
			index[j] = uint16(a)
		}
		for j, f := range features {
			index[len(legal)+j] = uint16(s.Out.C) + f
		}
		s.counts = append(s.counts, uint32(len(index)))
		dots := slices.Grow(s.dots[:0], len(index))[:len(index)]
		m.Dots(dots, index, x[(i-p.from)*m.Width:][:m.Width])
		for j, r := range index {
			dots[j] += bias[r]
		}
		for j := len(dots) - 1; j >= len(legal); j-- { // of the last features first, so that those of the first have them
			dots[j-len(legal)] += dots[j]
		}
		done += copy(y[done:], dots[:len(legal)])
		s.dots = dots
	}
}

func (s *selectedState) place() *tensor.Dense { return s.grad.of(len(s.index)) }

func (s *selectedState) paramGrad(out, dy, _ []float32) {
	done, at := 0, 0
	for _, n := range s.counts {
		legal := int(n) / (1 + s.PerAction)
		for range 1 + s.PerAction {
			at += copy(out[at:], dy[done:][:legal])
		}
		done += legal
	}
}

func (s *selectedState) inputGrad(dx, _, before []float32) {
	if before == nil {
		clear(dx)
	}
	m, _ := s.matrix(s.Values)
	m.SumEach(dx, 0, m.Width, s.counts, s.index, s.grads())
}

func (s *selectedState) grads() []float32 { return s.grad.column.Float32s()[:len(s.index)] }

// flexible is a column of numbers whose length changes from run to run. Its memory only grows. Elements
// after the current numbers are left over from an earlier run.
type flexible struct{ column *tensor.Dense }

// of returns the column, with n numbers or more.
func (f *flexible) of(n int) *tensor.Dense {
	if f.column == nil || f.column.Shape()[0] < n {
		f.column = newMatrix(n+n/2+1, 1)
	}
	return f.column
}
