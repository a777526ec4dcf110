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

// A sample is a row of a shard in the form that training reads.
type sample struct {
	rows   *sampleRows // hold the sample's input and policy target at index row
	row    int
	value  float32 // value target in [-1, 1], for the player to move
	margin float32 // margin at the end of the game in points, for the player to move
}

// target returns the sample's target for a head with one output; kind is not Logits.
func (x *sample) target(kind model.HeadKind) float32 {
	if kind == model.Win {
		return x.value
	}
	return x.margin
}

// sampleRows holds the inputs and the policy targets of several samples.
type sampleRows struct {
	engine.Input
	policy []float32 // probabilities, parallel to Legal
}

// add appends a position with its policy target and returns the index of its row. If the policy
// contains an action that is not legal, add returns an error.
func (s *sampleRows) add(p engine.Position, policy []data.Weight) (row int, err error) {
	row = s.Rows()
	s.Append(p)
	legal := s.LegalOf(row)
	s.policy = append(s.policy, make([]float32, len(legal))...)
	weights := s.policyOf(row)
	for _, w := range policy {
		i, ok := indexOf(legal, w.Action)
		if !ok {
			return row, fmt.Errorf("action %d of the policy is not legal", w.Action)
		}
		weights[i] = w.Weight
	}
	return row, nil
}

// indexOf returns the index of an action in the list of legal actions. The action may be any
// number.
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

// appendTo appends the sample to the input of a network, transformed by the symmetry sym. If sym is
// nil, it appends the sample unchanged.
func (x *sample) appendTo(in *engine.Input, sym *engine.Symmetry) {
	in.AppendRow(&x.rows.Input, x.row, sym)
}

// bytes returns the memory that the samples of a generation take, in bytes. The structs count
// twice, because the window has a second list of all samples.
func (g generation) bytes() int64 {
	bytes := 2 * int64(unsafe.Sizeof(sample{})) * int64(len(g.samples))
	for _, s := range g.rows {
		bytes += s.Bytes() + 4*int64(len(s.policy))
	}
	return bytes
}
