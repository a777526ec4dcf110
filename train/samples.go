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

// A sample is a position with its training targets, in the form that training reads.
type sample struct {
	rows  *sampleRows // hold the sample's input and its policy target, at index row
	row   int
	value float32 // value target in [-1, 1], from the point of view of the player to move
	// Lead in points at the end of the game, from the point of view of the player to move.
	margin float32
}

// target returns the sample's target for a head with a single output: Win or Amount.
func (x *sample) target(kind model.HeadKind) float32 {
	if kind == model.Win {
		return x.value
	}
	return x.margin
}

// sampleRows holds the inputs and the policy targets of several samples.
type sampleRows struct {
	engine.Input
	policy []float32 // a probability for each entry of Legal
}

// add appends a position with its policy target and returns the index of its row. It returns an
// error if the policy contains an action that is not legal.
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

// indexOf returns the index of an action in a list of legal actions. ok is false if the action is
// not in the list. The action may be any number.
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

// appendTo appends the sample to the input of a network. If sym is not nil, the sample is
// transformed by this symmetry.
func (x *sample) appendTo(in *engine.Input, sym *engine.Symmetry) {
	in.AppendRow(&x.rows.Input, x.row, sym)
}

// bytes returns how much memory, in bytes, the samples of a generation use. The structs of type
// sample count twice, because the window has a second list of all samples.
func (g generation) bytes() int64 {
	bytes := 2 * int64(unsafe.Sizeof(sample{})) * int64(len(g.samples))
	for _, s := range g.rows {
		bytes += s.Bytes() + 4*int64(len(s.policy))
	}
	return bytes
}
