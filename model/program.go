package model

import (
	"math"

	"dojo.example/engine"
)

// A program is a network made ready to be evaluated: a list of steps, one for each
// layer that plays, and the buffers that their results lie in. Results that are
// not needed at the same time share a buffer. A program does not change after it is
// made and is safe for concurrent use: the memory of the buffers is in [scratch].
type program struct {
	name                      string // of the checkpoint, for errors
	lists                     bool   // it reads features, not planes
	planes                    engine.Shape
	actions                   int
	active                    int // features that are active at once, at most, if it reads lists
	actionFeatures, perAction int // as in Layer
	steps                     []step
	floats                    []buffer  // the first three are slices of the batch: planesBuffer and so on
	bytes                     []buffer  // for 8-bit activations
	planes8                   int       // index in bytes of the planes in 8 bits, or none
	inverse                   []float32 // of the planes in 8 bits, of a cell or a board; see roundPlanes
}

// A step is one layer.
type step struct {
	Layer
	kernel  any       // the packed weights: one of the types of run's switch
	inverse []float32 // of the 8-bit results; see Activations

	// Indices of buffers, or none. A step reads src in floats or src8 in bytes,
	// may add the floats in add, and writes floats to dst, bytes to dst8, or both.
	src, src8, add, dst, dst8 int
}

// none stands for no buffer.
const none = -1

// A buffer holds one result after another: a step may write to it once the last
// step that reads the result before has run.
type buffer struct {
	size int // elements for each board; 0 if it lies in the batch
	last int // while planning: the last step that reads the result in it now
}

// The buffers of floats that lie in the batch of an evaluation.
const (
	planesBuffer = iota
	logitsBuffer
	valuesBuffer
)

// forever stands for a step after all others: a result that is last read then is
// never overwritten.
const forever = math.MaxInt

// A result names what a layer computes, in floats or in 8 bits. The layer "" is the
// planes.
type result struct {
	layer string
	int8  bool
}

// A planner makes a program.
type planner struct {
	program
	int8 bool           // layers with Int8 read 8 bits
	last map[result]int // the last step that reads each result that is read at all
	at   map[result]int // the buffer of each result that has one by now
}

// newProgram returns the steps and buffers for the layers that play, in 8 bits or
// in floats. The caller sets the steps' kernels.
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
		p.active = max(p.active, l.Active)
		p.actionFeatures, p.perAction = max(p.actionFeatures, l.ActionFeatures), max(p.perAction, l.PerAction)
		p.step(i, l)
	}
	return p.program
}

// read returns the result that a layer reads. FeatureSum reads the features of the batch,
// for which "" stands too.
func (p *planner) read(l Layer) result {
	return result{l.From, p.int8 && l.Int8 && l.Kind != FeatureSum}
}

// step adds the step of layer i and chooses its buffers.
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
			p.floats[s.add].last, p.at[out] = last, s.add // write the sum over what was added: nobody reads that later
		}
	}
	s.dst = p.place(&p.floats, out, i, l.Out.Size())
	s.dst8 = p.place(&p.bytes, result{l.Name, true}, i, l.Out.Size())
	p.steps = append(p.steps, s)
}

// place returns the buffer for a result that step i writes: the one that it has
// been given, else the first that is free, enlarged to size elements a board; none
// if nobody reads the result.
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
