package train

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"dojo.example/data"
	"dojo.example/engine"
	"dojo.example/model"
)

// A sample is a row of a shard in the form in which it is trained on.
type sample struct {
	rows   *sampleRows // its input and its policy target are a row of these
	row    int
	value  float32 // the value target, in [-1, 1], for the player to move
	margin float32 // at the end of the game, in points, for the player to move
}

// target returns what a head learns from the sample; kind is not Logits.
func (x *sample) target(kind model.HeadKind) float32 {
	if kind == model.Win {
		return x.value
	}
	return x.margin
}

// sampleRows are the inputs and the policy targets of some samples.
type sampleRows struct {
	engine.Input
	policy []float32 // parallel to Legal
}

// add appends a position with its policy target, and returns the index of its row. An action of
// the policy that is not legal is an error.
func (s *sampleRows) add(p engine.Position, policy []data.Weight) (row int, err error) {
	row = s.Rows()
	s.Append(p)
	legal := s.LegalOf(row)
	s.policy = append(s.policy, make([]float32, len(legal))...)
	weights := s.policyOf(row)
	for _, w := range policy {
		i, ok := indexOf(legal, w.Action)
		if !ok {
			return row, fmt.Errorf("the policy has action %d, which is not legal", w.Action)
		}
		weights[i] = w.Weight
	}
	return row, nil
}

// indexOf finds an action, which may be any number, among legal ones.
func indexOf(legal []engine.Action, action int32) (i int, ok bool) {
	return slices.BinarySearchFunc(legal, action, func(a engine.Action, b int32) int { return cmp.Compare(int32(a), b) })
}

// clear removes all rows.
func (s *sampleRows) clear() {
	s.Reset()
	s.policy = s.policy[:0]
}

// policyOf returns the policy target of a row.
func (s *sampleRows) policyOf(row int) []float32 {
	from, to := s.LegalRange(row, row+1)
	return s.policy[from:to]
}

// appendTo appends the sample to the input of a network, transformed by the symmetry unless that
// is nil.
func (x *sample) appendTo(in *engine.Input, sym *engine.Symmetry) {
	in.AppendRow(&x.rows.Input, x.row, sym)
}

// bytes returns the memory that the samples of a generation take. The structs count twice,
// because the window's list of all samples has a copy.
func (g generation) bytes() int64 {
	bytes := 2 * int64(unsafe.Sizeof(sample{})) * int64(len(g.samples))
	for _, s := range g.rows {
		bytes += s.Bytes() + 4*int64(len(s.policy))
	}
	return bytes
}
