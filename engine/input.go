package engine

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"
)

// Input holds positions in the form that a network reads. It has one row per position. A row has
// the position's legal actions and, depending on the kind of the Input, its planes, its active
// features or neither. Everything is relative to the player to move. [PlaneInput], [FeatureInput]
// and [ActionInput] return the three kinds. The zero value holds features, and works only for
// states that are a [FeatureLister].
type Input struct {
	Planes   []float32 // planes of all rows, row after row; nil if rows have no planes
	Features []uint16  // active features of all rows, row after row; nil if rows have no features
	Legal    []Action  // legal actions of all rows, row after row

	// ActionFeatures holds perAction features for each element of Legal. Each row has the first
	// feature of all its actions, followed by the second feature of all its actions.
	ActionFeatures []uint16

	ends      []inputEnd // end of each row in Features and Legal
	size      int        // length of a row's planes; 0 if rows have no planes
	bare      bool       // whether rows have only legal actions
	perAction int        // number of features per legal action
	scratch   []float32  // planes buffer for states without a feature list; see FeatureInput
}

// inputEnd holds the indices in Features and Legal at which a row ends.
type inputEnd struct{ features, legal int }

// PlaneInput returns an empty Input whose rows have planes of the given shape.
func PlaneInput(shape Shape) Input { return Input{size: shape.Size()} }

// FeatureInput returns an empty Input whose rows have active features, and perAction features for
// each legal action. If a state is not a [FeatureLister], the Input derives the features from the
// state's planes; shape is the shape of these planes.
func FeatureInput(shape Shape, perAction int) Input {
	return Input{scratch: make([]float32, shape.Size()), perAction: perAction}
}

// ActionInput returns an empty Input whose rows have only legal actions.
func ActionInput() Input { return Input{bare: true} }

// HasPlanes reports whether the rows have planes.
func (in *Input) HasPlanes() bool { return in.size > 0 }

// HasFeatures reports whether the rows have features.
func (in *Input) HasFeatures() bool { return in.size == 0 && !in.bare }

// Reset removes all rows, but keeps their memory for new rows.
func (in *Input) Reset() {
	in.Planes, in.Features, in.Legal, in.ends = in.Planes[:0], in.Features[:0], in.Legal[:0], in.ends[:0]
	in.ActionFeatures = in.ActionFeatures[:0]
}

// Shrink releases the spare capacity that is reserved for more rows.
func (in *Input) Shrink() {
	in.Planes, in.Features = slices.Clone(in.Planes), slices.Clone(in.Features)
	in.Legal, in.ends = slices.Clone(in.Legal), slices.Clone(in.ends)
	in.ActionFeatures = slices.Clone(in.ActionFeatures)
}

// Bytes returns the size of the rows in bytes: four bytes for each plane element, two for each
// feature and each action, and sixteen for each row.
func (in *Input) Bytes() int64 {
	return 4*int64(len(in.Planes)) + 2*int64(len(in.Features)+len(in.Legal)+len(in.ActionFeatures)) + int64(unsafe.Sizeof(inputEnd{}))*int64(len(in.ends))
}

// EndRow completes a row. The row consists of everything appended to Planes, Features, Legal and
// ActionFeatures since the previous EndRow.
func (in *Input) EndRow() { in.ends = append(in.ends, inputEnd{len(in.Features), len(in.Legal)}) }

// AppendRows appends all rows of another Input. Both must be of the same kind.
func (in *Input) AppendRows(other *Input) {
	features, legal := len(in.Features), len(in.Legal)
	in.Planes, in.Features = append(in.Planes, other.Planes...), append(in.Features, other.Features...)
	in.Legal = append(in.Legal, other.Legal...)
	in.ActionFeatures = append(in.ActionFeatures, other.ActionFeatures...)
	for _, end := range other.ends {
		in.ends = append(in.ends, inputEnd{features + end.features, legal + end.legal})
	}
}

// AppendRow appends one row of another Input of the same kind. If sym is not nil, AppendRow applies
// the symmetry to the row. The symmetry changes features and actions but not their places in the
// list, so the list may no longer be in increasing order.
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

// appendMapped appends to[n] for each n in list. If to is empty, it appends n itself.
func appendMapped[N ~uint16](dst, list, to []N) []N {
	for _, n := range list {
		if len(to) > 0 {
			n = to[n]
		}
		dst = append(dst, n)
	}
	return dst
}

// emptyPlanes extends Planes by one row and returns the new row. The caller must write every
// element.
func (in *Input) emptyPlanes() []float32 {
	n := len(in.Planes)
	in.Planes = slices.Grow(in.Planes, in.size)[:n+in.size]
	return in.Planes[n:]
}

// Rows returns the number of rows.
func (in *Input) Rows() int { return len(in.ends) }

// PlanesOf returns the planes of a row.
func (in *Input) PlanesOf(row int) []float32 { return in.Planes[row*in.size : (row+1)*in.size] }

// FeaturesOf returns the active features of a row.
func (in *Input) FeaturesOf(row int) []uint16 {
	from, to := in.FeatureRange(row)
	return in.Features[from:to]
}

// FeatureRange returns the range of a row's features: Features[from:to].
func (in *Input) FeatureRange(row int) (from, to int) {
	return in.end(row - 1).features, in.end(row).features
}

// LegalOf returns the legal actions of a row.
func (in *Input) LegalOf(row int) []Action {
	from, to := in.LegalRange(row, row+1)
	return in.Legal[from:to]
}

// LegalRange returns the range of the legal actions of the rows from first up to but not including
// end: Legal[from:to].
func (in *Input) LegalRange(first, end int) (from, to int) {
	return in.end(first - 1).legal, in.end(end - 1).legal
}

// end returns the indices in Features and Legal at which a row ends. For row -1 it returns zeros.
func (in *Input) end(row int) inputEnd {
	if row < 0 {
		return inputEnd{}
	}
	return in.ends[row]
}

// ActionFeaturesOf returns the n-th feature of each legal action of a row. n counts from 0.
func (in *Input) ActionFeaturesOf(row, n int) []uint16 {
	from, to := in.LegalRange(row, row+1)
	start := in.perAction*from + n*(to-from)
	return in.ActionFeatures[start : start+to-from]
}

// AllActionFeatures returns all features of a row's legal actions: the first feature of each
// action, followed, if PerAction is 2, by the second feature of each action.
func (in *Input) AllActionFeatures(row int) []uint16 {
	from, to := in.LegalRange(row, row+1)
	return in.ActionFeatures[in.perAction*from : in.perAction*to]
}

// PerAction returns the number of features of each legal action.
func (in *Input) PerAction() int { return in.perAction }

// Check checks row first and all later rows against spec, the spec of their game. It returns an
// error if a feature or an action is out of range, or if a row has more active features than
// Spec.ActiveFeatures. Such an error means that the code of the game is wrong.
func (in *Input) Check(spec Spec, first int) error {
	if n := in.perAction * len(in.Legal); len(in.ActionFeatures) != n {
		return fmt.Errorf("%s lists %d action features for %d actions, want %d", spec.Name, len(in.ActionFeatures), len(in.Legal), n)
	}
	for row := first; row < in.Rows(); row++ {
		active := in.FeaturesOf(row)
		if len(active) > spec.ActiveFeatures {
			return fmt.Errorf("%s lists %d active features for a position, but the maximum is %d", spec.Name, len(active), spec.ActiveFeatures)
		}
		err := cmp.Or(
			below(spec.Name, "feature %d", active, spec.Features),
			below(spec.Name, "action %d", in.LegalOf(row), spec.Actions),
			below(spec.Name, "action feature %d", in.AllActionFeatures(row), spec.ActionFeatures),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// below returns an error if a number in the list is n or more.
func below[N ~uint16](game, what string, list []N, n int) error {
	for _, x := range list {
		if int(x) >= n {
			return fmt.Errorf("%s lists "+what+", but the numbers must be less than %d", game, x, n)
		}
	}
	return nil
}

// AppendTo appends a row for a state. It does not allocate memory if the Input has enough capacity
// and *s is already on the heap.
func AppendTo[S State[S]](in *Input, s *S) {
	if in.HasPlanes() {
		(*s).Encode(in.emptyPlanes())
	} else if in.bare {
		// A bare row has only legal actions, which the code below appends.
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
