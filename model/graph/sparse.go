package graph

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model/kernel"

	"gorgonia.org/tensor"
)

// A position uses only a few rows of a sparse layer's weights. So the parts do not store gradients
// of all rows. They store what they have computed, and reduce sums over the parts in a fixed order,
// so that the gradient does not depend on the number of workers.

// perColumns divides the columns of a matrix among the workers and returns one function for each
// worker. Each function calls f for its own columns: n columns, of which from is the first. So each
// column is summed over the whole batch by one worker. width is the number of columns, a multiple
// of 16.
func perColumns(width, workers int, f func(from, n int)) (work []func()) {
	const multiple = 16 // the kernels process this many columns together
	most := (width/multiple + workers - 1) / workers * multiple
	for from := 0; from < width; from += most {
		work = append(work, func() { f(from, min(most, width-from)) })
	}
	return work
}

// clearColumns sets n columns of a matrix to zero, beginning with column from.
func clearColumns(m kernel.Rows, from, n int) {
	for ; from < len(m.Data); from += m.Width {
		clear(m.Data[from:][:n])
	}
}

// A featureSum implements FeatureSum layers. Such a layer has one row of weights per feature, and
// one row of biases.
type featureSum struct{ *layer }

func (f featureSum) state(boards int) partState {
	return &featureState{featureSum: f, grad: newMatrix(boards, f.Out.C)}
}

// reduce computes the gradients of a FeatureSum layer. The gradient of a feature's row is the sum
// of the gradients of the results over the positions in which the feature is active. The gradient
// of the biases is the sum over all positions. reduce finishes one row before it begins the next,
// so that each sum stays in registers. The alternative, adding each position's gradient to all rows
// that the position uses, takes several times as long.
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

// A featureState stores the gradient of the layer's results and an inverted index. The index lists,
// for each feature, the positions in which the feature is active. An additional list at the end
// contains all positions, for the biases.
type featureState struct {
	featureSum
	part   *part
	grad   *tensor.Dense
	counts []uint32 // number of positions in each list of the index
	// The lists of the index, one after another. Positions are numbered from 0 within their part.
	positions []uint16
	ends      []uint32 // scratch memory: the ends of the lists in positions
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
	// Compute the ReLU of y with ReLUGrad, which keeps the elements of its second argument where
	// the third one is positive.
	kernel.ReLUGrad(y, y, y)
}

func (s *featureState) place() *tensor.Dense { return s.grad }

// The gradient of the results is already in s.grad, so paramGrad only builds the index.
func (s *featureState) paramGrad(_, _, _ []float32) {
	s.invert(&s.part.batch.Input, s.part.from, s.part.to, s.In.C)
}

func (s *featureState) inputGrad(_, _, _ []float32) {
	panic("graph: lists of features have no gradient")
}

// invert builds the inverted index of the positions from ≤ i < to.
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
	// Fill each list from its end: ends[f] moves from the end of feature f's list to its beginning.
	for i := to - 1; i >= from; i-- {
		for _, f := range in.FeaturesOf(i) {
			s.ends[f]--
			s.positions[s.ends[f]] = uint16(i - from)
		}
		s.ends[features]--
		s.positions[s.ends[features]] = uint16(i - from)
	}
}

// A selectedDense implements SelectedDense layers. Such a layer has one row of weights per action,
// followed by one row per action feature, and one bias per row.
type selectedDense struct{ *layer }

func (d selectedDense) state(int) partState { return &selectedState{selectedDense: d} }

// matrix splits params, which has the layout of the layer's parameters, into the matrix of weights
// and the slice of biases.
func (d selectedDense) matrix(params []float32) (m kernel.Rows, bias []float32) {
	weights, bias := d.Split(params)
	return kernel.Rows{Data: weights, Width: d.In.Size()}, bias
}

// reduce computes the gradients of the rows and biases. For each legal action, it multiplies the
// layer's input by the gradient of the action's logit. It adds the product to the gradients of the
// action's row and of the rows of the action's features.
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

// A selectedState stores which rows each position uses, by row number. For a position with n legal
// actions, these are the rows of the n actions, then the n rows of the actions' first features,
// then the n rows of their second features, and so on.
type selectedState struct {
	selectedDense
	index  []uint16
	counts []uint32 // number of rows used by each position
	// For each entry of index, the gradient of the logit to which this row contributes.
	grad flexible
	x    []float32 // copy of the layer's input
	dots []float32 // scratch memory
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
		// dots holds the products of the n legal actions, then the n products of their first
		// features, and so on. From the end, add each number to the one n places before it. After
		// the loop, the first n numbers are the logits.
		for j := len(dots) - 1; j >= len(legal); j-- {
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

// flexible is memory for a column of numbers whose length differs from run to run. The memory grows
// but never shrinks, so elements beyond the current length are left over from earlier runs.
type flexible struct{ column *tensor.Dense }

// of returns the column, with memory for at least n elements.
func (f *flexible) of(n int) *tensor.Dense {
	if f.column == nil || f.column.Shape()[0] < n {
		f.column = newMatrix(n+n/2+1, 1)
	}
	return f.column
}
