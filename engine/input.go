package engine

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// Input is what some positions look like to a network. It has a row for each position: its
// legal actions and, by the kind of the input, its planes, its active features or neither. All
// are seen from the side of the player to move there. [PlaneInput], [FeatureInput] and
// [ActionInput] return the three kinds. The zero value is for the features of states that list
// them.
type Input struct {
	Planes   []float32 // those of the first row, then those of the second, and so on; nil without planes
	Features []uint16  // the same; nil without features
	Legal    []Action  // the same

	// ActionFeatures are perAction features of each of Legal: of each row its first
	// features in the order of its actions, then its second ones.
	ActionFeatures []uint16

	ends      []inputEnd
	size      int  // of the planes of a row; 0 without planes
	bare      bool // rows have legal actions only
	perAction int
	scratch   []float32 // planes whose features are listed; see FeatureInput
}

// An inputEnd is where a row ends in Features and in Legal.
type inputEnd struct{ features, legal int }

// PlaneInput returns an Input without rows whose rows have planes of a shape.
func PlaneInput(shape Shape) Input { return Input{size: shape.Size()} }

// FeatureInput returns an Input without rows whose rows have features, and perAction features
// of each legal action. A state that lists no features has those of its planes, whose shape
// is given.
func FeatureInput(shape Shape, perAction int) Input {
	return Input{scratch: make([]float32, shape.Size()), perAction: perAction}
}

// ActionInput returns an Input without rows whose rows have nothing but their legal actions.
func ActionInput() Input { return Input{bare: true} }

// HasPlanes reports whether the rows have planes.
func (in *Input) HasPlanes() bool { return in.size > 0 }

// HasFeatures reports whether the rows have features.
func (in *Input) HasFeatures() bool { return in.size == 0 && !in.bare }

// Reset removes all rows. It keeps their memory for new ones.
func (in *Input) Reset() {
	in.Planes, in.Features, in.Legal, in.ends = in.Planes[:0], in.Features[:0], in.Legal[:0], in.ends[:0]
	in.ActionFeatures = in.ActionFeatures[:0]
}

// Shrink gives back the memory that more rows could have used.
func (in *Input) Shrink() {
	in.Planes, in.Features = slices.Clone(in.Planes), slices.Clone(in.Features)
	in.Legal, in.ends = slices.Clone(in.Legal), slices.Clone(in.ends)
	in.ActionFeatures = slices.Clone(in.ActionFeatures)
}

// Bytes is the memory that the rows take: four bytes for each number of the planes, two for
// each feature and each action, and sixteen for each row.
func (in *Input) Bytes() int64 {
	return 4*int64(len(in.Planes)) + 2*int64(len(in.Features)+len(in.Legal)+len(in.ActionFeatures)) + int64(unsafe.Sizeof(inputEnd{}))*int64(len(in.ends))
}

// EndRow ends a row: it consists of all that was appended to Planes, Features and Legal
// since the row before it.
func (in *Input) EndRow() { in.ends = append(in.ends, inputEnd{len(in.Features), len(in.Legal)}) }

// AppendRows appends all rows of another Input of the same kind.
func (in *Input) AppendRows(other *Input) {
	features, legal := len(in.Features), len(in.Legal)
	in.Planes, in.Features = append(in.Planes, other.Planes...), append(in.Features, other.Features...)
	in.Legal = append(in.Legal, other.Legal...)
	in.ActionFeatures = append(in.ActionFeatures, other.ActionFeatures...)
	for _, end := range other.ends {
		in.ends = append(in.ends, inputEnd{features + end.features, legal + end.legal})
	}
}

// AppendRow appends a row of another Input of the same kind, transformed by a symmetry unless
// that is nil. The order of the features and the actions stays.
func (in *Input) AppendRow(from *Input, row int, sym *Symmetry) {
	if sym == nil {
		sym = &Symmetry{}
	}
	if in.HasPlanes() {
		planes := in.emptyPlanes()
		copy(planes, from.PlanesOf(row))
		for i, e := range sym.Planes {
			planes[e] = from.PlanesOf(row)[i]
		}
	}
	in.Features = appendMapped(in.Features, from.FeaturesOf(row), sym.Features)
	in.Legal = appendMapped(in.Legal, from.LegalOf(row), sym.Actions)
	in.ActionFeatures = appendMapped(in.ActionFeatures, from.AllActionFeatures(row), sym.ActionFeatures)
	in.EndRow()
}

// appendMapped appends to[n] for each n, or n if to is empty.
func appendMapped[N ~uint16](dst, list, to []N) []N {
	for _, n := range list {
		if len(to) > 0 {
			n = to[n]
		}
		dst = append(dst, n)
	}
	return dst
}

// emptyPlanes appends the planes of a row, to be filled in.
func (in *Input) emptyPlanes() []float32 {
	n := len(in.Planes)
	in.Planes = slices.Grow(in.Planes, in.size)[:n+in.size]
	return in.Planes[n:]
}

// Rows is the number of rows.
func (in *Input) Rows() int { return len(in.ends) }

// PlanesOf returns the planes of a row.
func (in *Input) PlanesOf(row int) []float32 { return in.Planes[row*in.size : (row+1)*in.size] }

// FeaturesOf returns the active features of a row.
func (in *Input) FeaturesOf(row int) []uint16 {
	from, to := in.FeatureRange(row)
	return in.Features[from:to]
}

// FeatureRange returns where in Features those of a row are: at from ≤ i < to.
func (in *Input) FeatureRange(row int) (from, to int) {
	return in.end(row - 1).features, in.end(row).features
}

// LegalOf returns the legal actions of a row.
func (in *Input) LegalOf(row int) []Action {
	from, to := in.LegalRange(row, row+1)
	return in.Legal[from:to]
}

// LegalRange returns where in Legal the legal actions of the rows first ≤ row < end
// are: at from ≤ i < to.
func (in *Input) LegalRange(first, end int) (from, to int) {
	return in.end(first - 1).legal, in.end(end - 1).legal
}

// end returns where a row ends; row -1 ends at the beginning.
func (in *Input) end(row int) inputEnd {
	if row < 0 {
		return inputEnd{}
	}
	return in.ends[row]
}

// ActionFeaturesOf returns the n-th feature, from 0 on, of each legal action of a row.
func (in *Input) ActionFeaturesOf(row, n int) []uint16 {
	from, to := in.LegalRange(row, row+1)
	start := in.perAction*from + n*(to-from)
	return in.ActionFeatures[start : start+to-from]
}

// AllActionFeatures returns the features of the legal actions of a row.
func (in *Input) AllActionFeatures(row int) []uint16 {
	from, to := in.LegalRange(row, row+1)
	return in.ActionFeatures[in.perAction*from : in.perAction*to]
}

// PerAction is the number of features that each legal action has.
func (in *Input) PerAction() int { return in.perAction }

// Check returns an error if a row from row first on has a feature or an action that a
// game of spec does not have, or more active features than it may have: the game's code
// is broken.
func (in *Input) Check(spec Spec, first int) error {
	if n := in.perAction * len(in.Legal); len(in.ActionFeatures) != n {
		return fmt.Errorf("%s lists %d features of %d actions, not %d", spec.Name, len(in.ActionFeatures), len(in.Legal), n)
	}
	for row := first; row < in.Rows(); row++ {
		active := in.FeaturesOf(row)
		if len(active) > spec.ActiveFeatures {
			return fmt.Errorf("%s lists %d active features of a position, but has at most %d", spec.Name, len(active), spec.ActiveFeatures)
		}
		err := cmp.Or(
			below(spec.Name, "feature %d", active, spec.Features),
			below(spec.Name, "action %d", in.LegalOf(row), spec.Actions),
			below(spec.Name, "feature %d of an action", in.AllActionFeatures(row), spec.ActionFeatures),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// below returns an error unless all numbers that a game lists are below n.
func below[N ~uint16](game, what string, list []N, n int) error {
	for _, x := range list {
		if int(x) >= n {
			return fmt.Errorf("%s lists "+what+", but has only %d", game, x, n)
		}
	}
	return nil
}

// AppendTo appends a row for a state. It does not allocate if there is room and the state
// lies in memory already.
func AppendTo[S State[S]](in *Input, s *S) {
	if in.HasPlanes() {
		(*s).Encode(in.emptyPlanes())
	} else if in.bare {
		// the legal actions follow
	} else if lister, ok := any(s).(FeatureLister); ok {
		in.Features = lister.Features(in.Features)
	} else {
		(*s).Encode(in.scratch)
		in.Features = appendPlaneFeatures(in.Features, in.scratch)
	}
	first := len(in.Legal)
	in.Legal = (*s).Legal(in.Legal)
	if in.perAction > 0 {
		in.ActionFeatures = any(s).(ActionFeatureLister).ActionFeatures(in.Legal[first:], in.ActionFeatures)
	}
	in.EndRow()
}

// Append appends a row for a position.
func (in *Input) Append(p Position) { p.appendTo(in) }
