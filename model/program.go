package model

import (
	"math"

	"dojo/engine"
	"dojo/model/kernel"
)

// A program is the layers that play, made ready to run one after another on
// some boards, and the sizes of the buffers that their results lie in. It does
// not change after it is made and is safe for concurrent use.
type program struct {
	name    string // of the checkpoint, for errors
	lists   bool   // it reads Batch.Lists
	planes  engine.Shape
	actions int
	steps   []step
	others  []other
	floats  []buffer // of floats; the first are those of the batch
	bytes   []buffer // of 8-bit activations
	planes8 int      // the buffer of the planes in 8 bits, or none
	inverse float32  // of the planes in 8 bits; see Activations
}

// A step is one layer. It has the kernel of its kind of layer, in floats or in
// 8 bits, or none if it is a pooling.
type step struct {
	Layer
	conv    *kernel.Conv    // Convolution and Dense in floats
	quant   *kernel.Quant   // the same in 8 bits
	rows    kernel.Rows     // Columns and Chosen in floats
	bias    []float32       // of rows
	columns *kernel.Columns // Columns in 8 bits
	logits  *kernel.Logits  // Chosen in 8 bits
	inverse []float32       // of the 8-bit results; see Activations

	// Buffers, or none. A step reads one of floats or one of bytes, may add
	// one of floats, and writes one of floats, one of bytes, or both.
	src, src8, add, dst, dst8 int
}

const none = -1

// An other is a head that plays beside policy and value.
type other struct {
	Head
	buffer int
}

// A buffer holds one result after another: the next may be written when the
// last step that reads the one before has run.
type buffer struct {
	size int // elements a board; 0 for one in the batch
	last int // the last step that reads what lies there
}

// The buffers of floats that lie in the batch.
const (
	planesBuffer = iota
	logitsBuffer
	valuesBuffer
)

// forever is the last step that reads a result which nothing may overwrite.
const forever = math.MaxInt

// A result is what a layer computes, in floats or in 8 bits; the layer "" is
// the planes.
type result struct {
	layer string
	int8  bool
}

// A planner makes a program.
type planner struct {
	program
	int8 bool
	last map[result]int // the last step that reads each result; none that nobody reads
	at   map[result]int // the buffer of each result
}

// newProgram plans the memory of the layers that play, in 8 bits or in floats.
// Their kernels are the caller's to set.
func newProgram(a Architecture, int8 bool) program {
	p := planner{program: program{lists: a.Lists, planes: a.Planes}, int8: int8, last: map[result]int{}, at: map[result]int{{}: planesBuffer}}
	p.floats = []buffer{{0, forever}, {0, forever}, {0, forever}}
	layers := a.Playing()
	for i, l := range layers {
		p.last[p.read(l)] = i
		p.last[result{layer: l.Add}] = i
	}
	for _, h := range a.Heads {
		if !h.Plays {
			continue
		}
		p.last[result{layer: h.From}] = forever
		switch h.Target {
		case TargetPolicy:
			p.actions, p.at[result{layer: h.From}] = a.layer(h.From).Out.Size(), logitsBuffer
		case TargetOutcome:
			p.at[result{layer: h.From}] = valuesBuffer
		}
	}
	p.planes8 = p.place(&p.bytes, result{int8: true}, none, a.Planes.Cells()*padded(a.Planes.C))
	for i, l := range layers {
		p.step(i, l)
	}
	for _, h := range a.Heads {
		if h.Plays && h.Target != TargetPolicy && h.Target != TargetOutcome {
			p.others = append(p.others, other{h, p.at[result{layer: h.From}]})
		}
	}
	return p.program
}

// read is the result that a layer reads. Columns reads the lists of the batch,
// for which "" stands too.
func (p *planner) read(l Layer) result { return result{l.From, p.int8 && l.Int8 && l.Kind != Columns} }

// step adds layer i with its buffers.
func (p *planner) step(i int, l Layer) {
	s := step{Layer: l, src: p.at[p.read(l)], src8: none, add: none}
	if p.read(l).int8 {
		s.src, s.src8 = none, s.src
	}
	out := result{layer: l.Name}
	if l.Add != "" {
		s.add = p.at[result{layer: l.Add}]
		_, placed := p.at[out]
		if last, read := p.last[out]; read && !placed && p.floats[s.add].last == i && l.Add != l.From {
			p.floats[s.add].last, p.at[out] = last, s.add // the sum takes the place of what is added
		}
	}
	s.dst = p.place(&p.floats, out, i, l.Out.Size())
	s.dst8 = p.place(&p.bytes, result{l.Name, true}, i, l.Out.Size())
	p.steps = append(p.steps, s)
}

// place returns the buffer of a result that step i writes: its own, if it has
// one, or the first that is free; none if nobody reads it.
func (p *planner) place(buffers *[]buffer, r result, i, size int) int {
	last, read := p.last[r]
	if !read {
		return none
	}
	if at, ok := p.at[r]; ok {
		return at
	}
	at := 0
	for at < len(*buffers) && (*buffers)[at].last >= i {
		at++
	}
	if at == len(*buffers) {
		*buffers = append(*buffers, buffer{})
	}
	b := &(*buffers)[at]
	b.size, b.last = max(b.size, size), last
	p.at[r] = at
	return at
}
