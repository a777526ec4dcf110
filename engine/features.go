package engine

import (
	"fmt"
	"math/bits"
	"strconv"
)

// FeatureLister is a state that lists its active features, for networks whose first
// layer is a sum of columns (NNUE: Nasu 2018). A feature is active or not, and few
// are active at once: the layer adds their columns. Spec.Features is the number of
// features and Rules.FeatureGroups describes them. A game without a list of its own gets
// the features of its planes; see [Rules.Game].
type FeatureLister interface {
	// Features appends the active features to dst, in increasing order, seen
	// from the side of the player to move: at most Spec.ActiveFeatures
	// numbers below Spec.Features. It does not allocate if dst has room.
	Features(dst []uint16) []uint16
}

// ActionFeatureLister is a state that says what its legal actions do, such as whether one
// takes a man that is not covered. A policy head adds the row of weights of each of these
// features to the action's own row.
type ActionFeatureLister interface {
	// ActionFeatures appends a feature of each of the legal actions, in their order,
	// then a second one of each if Spec.PerAction is 2. Features are numbers below
	// Spec.ActionFeatures. It does not allocate if dst has room.
	ActionFeatures(legal []Action, dst []uint16) []uint16
}

// FeatureGroup is consecutive features of one kind, such as the cells of a player's
// men. Each group of a game begins where the one before ends.
type FeatureGroup struct {
	Name string   // of the kind: "my men"
	Each []string // of every feature: "a1", "b1", ...
}

// CountFeatures returns the number of features in all groups.
func CountFeatures(groups []FeatureGroup) (n int) {
	for _, g := range groups {
		n += len(g.Each)
	}
	return n
}

// FeatureAt returns the group of feature f and its place there.
func FeatureAt(groups []FeatureGroup, f int) (group, i int) {
	for f >= len(groups[group].Each) {
		f -= len(groups[group].Each)
		group++
	}
	return group, f
}

// FeatureName returns the name of feature f for people: "my men a1".
func FeatureName(groups []FeatureGroup, f int) string {
	group, i := FeatureAt(groups, f)
	return groups[group].Name + " " + groups[group].Each[i]
}

// PermuteFeatures returns the Symmetry.Features that sends feature i of a group to
// feature j of another group or the same: (otherGroup, j) = to(group, i).
func PermuteFeatures(groups []FeatureGroup, to func(group, i int) (otherGroup, j int)) []uint16 {
	var begin []int
	n := 0
	for _, g := range groups {
		begin = append(begin, n)
		n += len(g.Each)
	}
	image := make([]uint16, 0, n)
	for group, g := range groups {
		for i := range g.Each {
			other, j := to(group, i)
			image = append(image, uint16(begin[other]+j))
		}
	}
	return image
}

// AppendFeatures appends first + i for each bit i of a set.
func AppendFeatures(dst []uint16, first int, set uint64) []uint16 {
	for ; set != 0; set &= set - 1 {
		dst = append(dst, uint16(first+bits.TrailingZeros64(set)))
	}
	return dst
}

// Buckets are the lower bounds of ranges of numbers, in increasing order:
// Buckets{1, 2, 5} are 1, 2 to 4, and 5 or more. Numbers below the first bound are
// in no bucket; they should be the usual case, which needs no feature.
type Buckets []int

// Of returns the bucket of n, or -1.
func (b Buckets) Of(n int) int {
	i := len(b) - 1
	for i >= 0 && n < b[i] {
		i--
	}
	return i
}

// Table returns Of for the numbers from low to high.
func (b Buckets) Table(low, high int) []int8 {
	table := make([]int8, high-low+1)
	for i := range table {
		table[i] = int8(b.Of(low + i))
	}
	return table
}

// Names returns the ranges for FeatureGroup.Each: "1", "2 to 4", "5 or more".
func (b Buckets) Names() []string {
	names := make([]string, len(b))
	for i, from := range b {
		switch {
		case i == len(b)-1:
			names[i] = fmt.Sprintf("%d or more", from)
		case b[i+1] == from+1:
			names[i] = strconv.Itoa(from)
		default:
			names[i] = fmt.Sprintf("%d to %d", from, b[i+1]-1)
		}
	}
	return names
}
