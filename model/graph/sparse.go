package graph

import (
	"slices"

	"dojo/engine"
	"dojo/internal/parallel"
	"dojo/model"
	"dojo/model/kernel"
)

// A sparseLayer is a layer of which a position uses a few rows of weights. What a tile
// computes of it is kept for the whole batch, and the gradient of the parameters is then
// summed up over the batch in its order, so that it does not depend on the workers.
type sparseLayer interface {
	tileKind
	set(in *engine.Input)            // prepares for a batch
	turn()                           // does the rest of that, beside the tiles
	sum(grad []float32, workers int) // computes the gradient of the parameters
}

// newSparse returns a sparse layer, or nil if a layer is not sparse.
func newSparse(spec model.Layer, batch int) sparseLayer {
	switch spec.Kind {
	case model.FeatureSum:
		s := &featureSum{width: spec.Out.C, features: spec.In.C, grad: make([]float32, batch*spec.Out.C)}
		for i := range batch {
			s.all = append(s.all, uint16(i))
		}
		return s
	case model.SelectedDense:
		return &selectedDense{width: spec.In.Size(), actions: spec.Out.C, features: spec.ActionFeatures, each: 1 + spec.PerAction, x: make([]float32, batch*spec.In.Size())}
	}
	return nil
}

// A featureSum is a layer of kind FeatureSum: a row of weights for each feature, and the bias.
type featureSum struct {
	width, features int
	grad            []float32 // of the results, [batch][width]
	all             []uint16  // a list of all positions
	in              *engine.Input

	// The features turned round: positions[starts[f]:starts[f+1]] are the rows in
	// which feature f is active, in their order. See turn.
	positions []uint16
	starts    []int32
}

func (s *featureSum) set(in *engine.Input) { s.in = in }

// turn sets positions and starts.
func (s *featureSum) turn() {
	s.starts = append(s.starts[:0], make([]int32, s.features+1)...)
	s.positions = slices.Grow(s.positions[:0], len(s.in.Features))[:len(s.in.Features)]
	for _, f := range s.in.Features {
		s.starts[f]++
	}
	end := int32(0)
	for f, n := range s.starts {
		end += n
		s.starts[f] = end // where feature f ends; filling it from behind leads to where it begins
	}
	for i := s.in.Rows() - 1; i >= 0; i-- {
		for _, f := range s.in.FeaturesOf(i) {
			s.starts[f]--
			s.positions[s.starts[f]] = uint16(i)
		}
	}
}

func (s *featureSum) forward(l *tileLayer, p *part) {
	m, bias := kernel.Rows{Data: l.weights, Width: s.width}, l.weights[s.features*s.width:]
	l.dy = s.grad[p.from*s.width : p.to*s.width]
	for i := range p.to - p.from {
		row := l.y[i*s.width:][:s.width]
		copy(row, bias)
		m.Sum(row, 0, s.in.FeaturesOf(p.from+i), nil)
	}
	kernel.ReLUGrad(l.y, l.y, l.y) // which is the ReLU itself
}

func (s *featureSum) backward(*tileLayer, *part, []float32) {}

// sum computes the gradient of a feature's row as the sum of the gradients of the positions
// in which the feature is active, and that of the bias as the sum of all. To sum up what
// belongs to a row, in registers, takes a fraction of the time of adding what belongs to a
// position to all its rows.
func (s *featureSum) sum(grad []float32, workers int) {
	const piece = 8 // rows
	m, rows := kernel.Rows{Data: s.grad, Width: s.width}, s.features+1
	parallel.For((rows+piece-1)/piece, workers, func(k int) {
		for f := k * piece; f < min(rows, (k+1)*piece); f++ {
			active := s.all // the last row is the bias
			if f < s.features {
				active = s.positions[s.starts[f]:s.starts[f+1]]
			}
			row := grad[f*s.width:][:s.width]
			clear(row)
			m.Sum(row, 0, active, nil)
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
	index []uint16
	grad  []float32 // the gradient of the logit that each of them is for
	x     []float32 // what the layer reads, [batch][width]
	in    *engine.Input
}

func (s *selectedDense) set(in *engine.Input) {
	s.in = in
	n := s.each * len(in.Legal)
	s.index, s.grad = slices.Grow(s.index[:0], n)[:n], slices.Grow(s.grad[:0], n)[:n]
}

func (s *selectedDense) turn() {}

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
	m, bias := s.matrix(l.weights)
	l.y = l.y[:0]
	var dots []float32
	for i := p.from; i < p.to; i++ {
		from, to, legal := s.span(i)
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

func (s *selectedDense) backward(l *tileLayer, p *part, _ []float32) {
	m, _ := s.matrix(l.weights)
	if !l.from.begun {
		clear(l.from.dy)
	}
	first, _ := s.in.LegalRange(p.from, p.to)
	for i := p.from; i < p.to; i++ {
		from, to, legal := s.span(i)
		for at := from; at < to; at += legal {
			copy(s.grad[at:], l.dy[from/s.each-first:][:legal])
		}
		m.Sum(l.from.dy[(i-p.from)*s.width:][:s.width], 0, s.index[from:to], s.grad[from:to])
	}
	l.from.begun = true
}

// sum adds to the row of each legal action, and of its features, what the layer read, times
// the gradient of the action's logit. Each worker has some columns.
func (s *selectedDense) sum(grad []float32, workers int) {
	const multiple = 16 // of columns that kernels take
	columns := (s.width/multiple + workers - 1) / workers * multiple
	pieces := (s.width + columns - 1) / columns
	m, bias := s.matrix(grad)
	clear(grad)
	parallel.For(pieces+1, workers, func(k int) {
		if k == pieces {
			for j, r := range s.index {
				bias[r] += s.grad[j]
			}
			return
		}
		first, n := k*columns, min(columns, s.width-k*columns)
		for i := range s.in.Rows() {
			from, to, _ := s.span(i)
			m.Add(s.x[i*s.width+first:][:n], first, s.index[from:to], s.grad[from:to])
		}
	})
}
