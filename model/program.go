package model

import "dojo.example/engine"

// A program is a network made ready to be evaluated: a list of steps, one for each
// layer that plays, and the buffers that their results lie in. A program does not change after it
// is made and is safe for concurrent use: the memory of the buffers is in [scratch].
type program struct {
	name                      string // of the checkpoint, for errors
	lists                     bool   // it reads features, not planes
	planes                    engine.Shape
	actions                   int
	active                    int     // features that are active at once, at most, if it reads lists
	actionFeatures, perAction int     // as in Layer
	unit                      float32 // points that the output of the leads writes as 1; 0 if the values are outcomes; see Checkpoint.Leads
	steps                     []step
	floats                    []int     // the sizes of buffers, in elements a board; the first three are slices of the batch and have none
	bytes                     []int     // the same for 8-bit activations
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

// The buffers of floats that lie in the batch of an evaluation.
const (
	planesBuffer = iota
	logitsBuffer
	valuesBuffer
	batchBuffers // their number
)

// A result names what a layer computes, in floats or in 8 bits. The layer "" is the
// planes.
type result struct {
	layer string
	int8  bool
}

// newProgram returns the steps and buffers for the layers that play, in 8 bits or
// in floats. The caller sets the steps' kernels.
func newProgram(a Architecture, int8 bool) program {
	p := program{lists: a.Lists, planes: a.Planes, floats: make([]int, batchBuffers)}
	// FeatureSum reads the features of the batch, for which the planes stand too.
	input := func(l Layer) result { return result{l.From, int8 && l.Int8 && l.Kind != FeatureSum} }
	layers, read, at := a.Playing(), map[result]bool{}, map[result]int{{}: planesBuffer}
	for _, l := range layers {
		read[input(l)], read[result{layer: l.Add}] = true, true
	}
	for _, h := range a.Heads {
		switch from := (result{layer: h.From}); {
		case h.Plays && h.Target == TargetPolicy:
			p.actions, read[from], at[from] = a.layer(h.From).Out.Size(), true, logitsBuffer
		case h.Plays:
			read[from], at[from] = true, valuesBuffer
			if h.Kind == Amount {
				p.unit = h.Unit
			}
		}
	}
	// place returns the buffer for a result, a new one of size elements a board unless it has one;
	// none if nobody reads the result.
	place := func(buffers *[]int, r result, size int) int {
		if !read[r] {
			return none
		}
		if _, ok := at[r]; !ok {
			at[r] = len(*buffers)
			*buffers = append(*buffers, size)
		}
		return at[r]
	}
	p.planes8 = place(&p.bytes, result{int8: true}, a.Planes.Cells()*padded(a.Planes.C))
	for _, l := range layers {
		p.active = max(p.active, l.Active)
		p.actionFeatures, p.perAction = max(p.actionFeatures, l.ActionFeatures), max(p.perAction, l.PerAction)
		s := step{Layer: l, src: at[input(l)], src8: none, add: none}
		if input(l).int8 {
			s.src, s.src8 = none, s.src
		}
		if l.Add != "" {
			s.add = at[result{layer: l.Add}]
		}
		s.dst = place(&p.floats, result{layer: l.Name}, l.Out.Size())
		s.dst8 = place(&p.bytes, result{l.Name, true}, l.Out.Size())
		p.steps = append(p.steps, s)
	}
	return p
}
