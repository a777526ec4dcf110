package train

import (
	"fmt"
	"slices"
	"unsafe"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/model"
)

// sampleRows holds what a network learns from: a row for each position with its active
// features, its legal actions and the policy target. If the network reads planes, their
// elements that are not 0 take the place of features.
type sampleRows struct {
	engine.Input
	values []float32 // of the elements of planes, parallel to Features
	policy []float32 // the policy target, parallel to Legal

	planes []float32 // scratch: those of one position; nil if the network reads features
}

func newSampleRows(n model.Network) *sampleRows {
	s := &sampleRows{}
	if in := n.NewInput(); in.HasPlanes() {
		s.planes = make([]float32, n.Planes.Size())
	} else {
		s.Input = in
	}
	return s
}

// add appends a position with its policy target, and returns the index of its row. All
// actions of the policy must be legal.
func (s *sampleRows) add(p engine.Position, policy []data.Weight) (row int) {
	row = s.Rows()
	if s.planes != nil {
		s.appendElements(p)
	} else {
		s.Append(p)
	}
	legal := s.LegalOf(row)
	s.policy = append(s.policy, make([]float32, len(legal))...)
	weights := s.policy[len(s.policy)-len(legal):]
	for _, w := range policy {
		i, _ := slices.BinarySearch(legal, engine.Action(w.Action))
		weights[i] = w.Weight
	}
	return row
}

// appendElements appends a row of elements of planes.
func (s *sampleRows) appendElements(p engine.Position) {
	p.Encode(s.planes)
	for i, v := range s.planes {
		if v != 0 {
			s.Features, s.values = append(s.Features, uint16(i)), append(s.values, v)
		}
	}
	s.Legal = p.Legal(s.Legal)
	s.EndRow()
}

// check returns an error if a row has what a game of spec does not have; see
// engine.Input.Check.
func (s *sampleRows) check(spec engine.Spec, row int) error {
	if s.planes != nil {
		spec.Features, spec.ActiveFeatures = len(s.planes), len(s.planes)
	}
	return s.Check(spec, row)
}

// appendTo appends a row to the input of a network, transformed by the symmetry unless that
// is nil.
func (s *sampleRows) appendTo(in *engine.Input, row int, sym *engine.Symmetry) {
	var values []float32
	from, to := s.FeatureRange(row)
	if s.planes != nil {
		values = s.values[from:to]
	}
	in.AppendRow(s.Features[from:to], values, s.LegalOf(row), s.AllActionFeatures(row), sym)
}

// shrink gives back the memory that more rows could have used.
func (s *sampleRows) shrink() {
	s.Shrink()
	s.values, s.policy = slices.Clone(s.values), slices.Clone(s.policy)
}

// reset removes all rows. It keeps their memory for new ones.
func (s *sampleRows) reset() {
	s.Reset()
	s.values, s.policy = s.values[:0], s.policy[:0]
}

// policyOf returns the policy target of a row.
func (s *sampleRows) policyOf(row int) []float32 {
	from, to := s.LegalRange(row, row+1)
	return s.policy[from:to]
}

// bytes returns the memory that the samples of a generation take. The structs count twice,
// because the window's list of all samples has a copy.
func (g generation) bytes() int64 {
	bytes := 2 * int64(unsafe.Sizeof(sample{})) * int64(len(g.samples))
	for _, s := range g.rows {
		bytes += s.Bytes() + 4*int64(len(s.values)+len(s.policy))
	}
	return bytes
}

// maxWindow is the largest number of bytes that the samples of a window may take: enough for
// 10 million positions of Patchwork, or 30 million of Onitama.
const maxWindow = 10 << 30

// checkMemory returns an error if generations first to last take more than most bytes.
func (w *window) checkMemory(first, last int, most int64) error {
	var bytes int64
	for g := first; g <= last; g++ {
		bytes += w.generations[g].bytes()
	}
	if bytes > most {
		return fmt.Errorf("the samples of generations %d to %d take %d MB, more than the %d MB of a window: begin a run with a smaller train.window_max or selfplay.games", first, last, bytes/1e6, most/1e6)
	}
	return nil
}
