package engine

import (
	"fmt"
	"slices"
	"unsafe"
)

// Lists is the input of networks of sparse features. It has a row for each position:
// the position's active features and its legal actions, both seen from the side of
// the player to move there. The zero value has no rows.
type Lists struct {
	Features []uint16 // those of the first row, then those of the second, and so on
	Legal    []Action // the same

	ends []listsEnd
}

// A listsEnd is where a row ends in Features and in Legal.
type listsEnd struct{ features, legal int }

// Reset removes all rows. It keeps their memory for new ones.
func (l *Lists) Reset() {
	l.Features, l.Legal, l.ends = l.Features[:0], l.Legal[:0], l.ends[:0]
}

// Shrink gives back the memory that more rows could have used.
func (l *Lists) Shrink() {
	l.Features, l.Legal, l.ends = slices.Clone(l.Features), slices.Clone(l.Legal), slices.Clone(l.ends)
}

// Bytes is the memory that the rows take: two bytes for each feature and each action,
// and sixteen for each row.
func (l *Lists) Bytes() int64 {
	return 2*int64(len(l.Features)+len(l.Legal)) + int64(unsafe.Sizeof(listsEnd{}))*int64(len(l.ends))
}

// EndRow ends a row: it consists of all that was appended to Features and Legal since
// the row before it.
func (l *Lists) EndRow() { l.ends = append(l.ends, listsEnd{len(l.Features), len(l.Legal)}) }

// AppendRows appends all rows of other lists.
func (l *Lists) AppendRows(other *Lists) {
	features, legal := len(l.Features), len(l.Legal)
	l.Features, l.Legal = append(l.Features, other.Features...), append(l.Legal, other.Legal...)
	for _, end := range other.ends {
		l.ends = append(l.ends, listsEnd{features + end.features, legal + end.legal})
	}
}

// Rows is the number of rows.
func (l *Lists) Rows() int { return len(l.ends) }

// FeaturesOf returns the active features of a row.
func (l *Lists) FeaturesOf(row int) []uint16 {
	from := 0
	if row > 0 {
		from = l.ends[row-1].features
	}
	return l.Features[from:l.ends[row].features]
}

// LegalOf returns the legal actions of a row.
func (l *Lists) LegalOf(row int) []Action {
	from, to := l.LegalRange(row, row+1)
	return l.Legal[from:to]
}

// LegalRange returns where in Legal the legal actions of the rows first ≤ row < end
// are: at from ≤ i < to.
func (l *Lists) LegalRange(first, end int) (from, to int) {
	if first > 0 {
		from = l.ends[first-1].legal
	}
	if end > 0 {
		to = l.ends[end-1].legal
	}
	return from, to
}

// Check returns an error if a row from row first on has a feature or an action that a
// game of spec does not have, or more active features than it may have: the game's code
// is broken.
func (l *Lists) Check(spec Spec, first int) error {
	for row := first; row < l.Rows(); row++ {
		active := l.FeaturesOf(row)
		if len(active) > spec.ActiveFeatures {
			return fmt.Errorf("%s lists %d active features of a position, but has at most %d", spec.Name, len(active), spec.ActiveFeatures)
		}
		for _, f := range active {
			if int(f) >= spec.Features {
				return fmt.Errorf("%s lists feature %d, but has only %d", spec.Name, f, spec.Features)
			}
		}
		for _, a := range l.LegalOf(row) {
			if int(a) >= spec.Actions {
				return fmt.Errorf("%s lists action %d, but has only %d", spec.Name, a, spec.Actions)
			}
		}
	}
	return nil
}

// AppendTo appends a row for a state; its rules must list features. It allocates as
// little as [ListFeatures].
func AppendTo[S State[S]](l *Lists, s *S) {
	l.Features = ListFeatures(s, l.Features)
	l.Legal = (*s).Legal(l.Legal)
	l.EndRow()
}

// Append appends a row for a position; its game must list features.
func (l *Lists) Append(p Position) {
	l.Features = p.State().(FeatureLister).Features(l.Features)
	l.Legal = p.Legal(l.Legal)
	l.EndRow()
}
