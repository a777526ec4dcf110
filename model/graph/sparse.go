package graph

import (
	"slices"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/model/kernel"
)

// A sparseLayer is a layer of which a position uses a few rows of weights. What a tile
// computes of it is kept for the whole batch, and the gradient of the parameters is then
// summed up over the batch in its order, so that it does not depend on the workers.
type sparseLayer interface {
	set(in *engine.Input)           // prepares for a batch
	forward(l *tileLayer, p *part)  // before the ReLU
	backward(l *tileLayer, p *part) // from the gradient of the results that forward gave
	// sums returns what computes the gradient of the parameters, in any order.
	sums(grad []float32, workers int) []func()
}

// newSparse returns a sparse layer, or nil if a layer is not sparse.
func newSparse(spec model.Layer, batch int) sparseLayer {
	switch spec.Kind {
	case model.FeatureSum:
		return &featureSum{width: spec.Out.C, features: spec.In.C, grad: make([]float32, batch*spec.Out.C)}
	case model.SelectedDense:
		return &selectedDense{
			width: spec.In.Size(), actions: spec.Out.C, features: spec.ActionFeatures, each: 1 + spec.PerAction,
			x: make([]float32, batch*spec.In.Size()), counts: make([]uint32, batch),
		}
	}
	return nil
}

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

// A featureSum is a layer of kind FeatureSum: a row of weights for each feature, and the bias.
type featureSum struct {
	width, features int
	grad            []float32 // of the results, [batch][width]
	in              *engine.Input
	turned          [parts]turned
}

// Turned is the features of a part turned round: the positions in which feature 0 is active,
// those of feature 1 and so on, in their order, and at last all positions, for the bias.
type turned struct {
	counts    []uint32 // of positions
	positions []uint16
	ends      []uint32 // scratch
}

func (s *featureSum) set(in *engine.Input) { s.in = in }

// turn turns the features of some positions round.
func (t *turned) turn(in *engine.Input, from, to, features int) {
	t.counts = append(t.counts[:0], make([]uint32, features+1)...)
	first, _ := in.FeatureRange(from)
	_, end := in.FeatureRange(to - 1)
	for _, f := range in.Features[first:end] {
		t.counts[f]++
	}
	t.counts[features] = uint32(to - from)
	t.ends = t.ends[:0]
	total := uint32(0)
	for _, n := range t.counts {
		total += n
		t.ends = append(t.ends, total)
	}
	t.positions = slices.Grow(t.positions[:0], int(total))[:total]
	for i := to - 1; i >= from; i-- { // from behind, which moves the ends to the beginnings
		for _, f := range in.FeaturesOf(i) {
			t.ends[f]--
			t.positions[t.ends[f]] = uint16(i)
		}
		t.ends[features]--
		t.positions[t.ends[features]] = uint16(i)
	}
}

func (s *featureSum) forward(l *tileLayer, p *part) {
	s.turned[p.index].turn(s.in, p.from, p.to, s.features)
	m, bias := kernel.Rows{Data: l.values, Width: s.width}, l.values[l.weights:]
	l.dy = s.grad[p.from*s.width : p.to*s.width]
	for i := range p.to - p.from {
		row := l.y[i*s.width:][:s.width]
		copy(row, bias)
		m.Sum(row, s.in.FeaturesOf(p.from+i))
	}
	kernel.ReLUGrad(l.y, l.y, l.y) // which is the ReLU itself
}

func (s *featureSum) backward(*tileLayer, *part) {}

// sums computes the gradient of a feature's row as the sum over the positions in which the
// feature is active, and the gradient of the bias as the sum over all positions. Going row by row
// keeps each sum in registers, which takes a fraction of the time of adding every position's
// gradient to all its rows.
func (s *featureSum) sums(grad []float32, workers int) []func() {
	m := kernel.Rows{Data: s.grad, Width: s.width}
	return perColumns(s.width, workers, func(from, n int) {
		clearColumns(kernel.Rows{Data: grad, Width: s.width}, from, n)
		for i := range s.turned {
			m.SumEach(grad, from, n, s.turned[i].counts, s.turned[i].positions, nil)
		}
	})
}

// A selectedDense is a layer of kind SelectedDense: a row of weights for each action and then
// one for each feature of actions, and a bias for each row.
type selectedDense struct {
	width, actions, features int
	each                     int // rows that a logit is the sum of

	// The rows that a position uses: those of its n legal actions, then those of the n first
	// features of these actions, and so on.
	index  []uint16
	grad   []float32 // the gradient of the logit that each of them is for
	counts []uint32  // of these rows, by position
	x      []float32 // what the layer reads, [batch][width]
	in     *engine.Input
}

func (s *selectedDense) set(in *engine.Input) {
	s.in = in
	n := s.each * len(in.Legal)
	s.index, s.grad = slices.Grow(s.index[:0], n)[:n], slices.Grow(s.grad[:0], n)[:n]
}

// span returns where in index the rows of a position lie, and how many actions it has.
func (s *selectedDense) span(position int) (from, to, legal int) {
	from, to = s.in.LegalRange(position, position+1)
	return s.each * from, s.each * to, to - from
}

// matrix returns the weights and the biases among parameters.
func (s *selectedDense) matrix(params []float32) (m kernel.Rows, bias []float32) {
	n := (s.actions + s.features) * s.width
	return kernel.Rows{Data: params[:n], Width: s.width}, params[n:]
}

func (s *selectedDense) forward(l *tileLayer, p *part) {
	copy(s.x[p.from*s.width:], l.from.y)
	m, bias := s.matrix(l.values)
	l.y = l.y[:0]
	var dots []float32
	for i := p.from; i < p.to; i++ {
		from, to, legal := s.span(i)
		s.counts[i] = uint32(to - from)
		index := s.index[from:to]
		for j, a := range s.in.LegalOf(i) {
			index[j] = uint16(a)
		}
		for j, f := range s.in.AllActionFeatures(i) {
			index[legal+j] = uint16(s.actions) + f
		}
		dots = slices.Grow(dots[:0], to-from)[:to-from]
		m.Dots(dots, index, s.x[i*s.width:][:s.width])
		for j, r := range index {
			dots[j] += bias[r]
		}
		for j := len(dots) - 1; j >= legal; j-- { // of the last features first, so that those of the first have them
			dots[j-legal] += dots[j]
		}
		l.y = append(l.y, dots[:legal]...)
	}
}

func (s *selectedDense) backward(l *tileLayer, p *part) {
	m, _ := s.matrix(l.values)
	if !l.from.begun {
		clear(l.from.dy)
	}
	first, last := s.in.LegalRange(p.from, p.to)
	for i := p.from; i < p.to; i++ {
		from, to, legal := s.span(i)
		for at := from; at < to; at += legal {
			copy(s.grad[at:], l.dy[from/s.each-first:][:legal])
		}
	}
	begin, end := s.each*first, s.each*last
	m.SumEach(l.from.dy, 0, s.width, s.counts[p.from:p.to], s.index[begin:end], s.grad[begin:end])
	l.from.begun = true
}

// sums adds to the row of each legal action, and of its features, what the layer read, times
// the gradient of the action's logit.
func (s *selectedDense) sums(grad []float32, workers int) []func() {
	m, bias := s.matrix(grad)
	work := perColumns(s.width, workers, func(from, n int) {
		clearColumns(m, from, n)
		m.AddEach(s.x, from, n, s.counts, s.index, s.grad)
	})
	return append(work, func() {
		clear(bias)
		for j, r := range s.index {
			bias[r] += s.grad[j]
		}
	})
}
