package engine

import (
	"fmt"
	"math/bits"
	"strconv"
)

// FeatureLister is a state that lists its active features, for networks whose
// first layer is a sum of columns (NNUE: Nasu 2018). A feature is 0 or 1, and
// only few are 1, or active, at once: the layer adds the columns of these. The
// rules say how many features there are (Spec.Features, 0 if the game lists
// none) and what they mean (Rules.FeatureGroups).
type FeatureLister interface {
	// Features appends the active features to dst, in increasing order, seen
	// from the side of the player to move: at most Spec.ActiveFeatures
	// numbers below Spec.Features. It does not allocate if dst has room.
	Features(dst []uint16) []uint16
}

// ListFeatures appends the features of a state whose rules have some. It does
// not allocate for a state that lies in memory already, such as a node of a
// search; for a [Position], assert FeatureLister of its State.
func ListFeatures[S State[S]](s *S, dst []uint16) []uint16 {
	return any(s).(FeatureLister).Features(dst)
}

// FeatureGroup is some consecutive features of one kind, such as the cells of
// a player's men. The groups of a game lie one behind the other.
type FeatureGroup struct {
	Name string   // of the kind: "my men"
	Each []string // of every feature: "a1", "b1", ...
}

// CountFeatures is the number of features in all groups.
func CountFeatures(groups []FeatureGroup) (n int) {
	for _, g := range groups {
		n += len(g.Each)
	}
	return n
}

// FeatureAt is the group that a feature belongs to, and its place there.
func FeatureAt(groups []FeatureGroup, f int) (group, i int) {
	for f >= len(groups[group].Each) {
		f -= len(groups[group].Each)
		group++
	}
	return group, f
}

// FeatureName is a feature's name, for people: "my men a1".
func FeatureName(groups []FeatureGroup, f int) string {
	group, i := FeatureAt(groups, f)
	return groups[group].Name + " " + groups[group].Each[i]
}

// PermuteFeatures is the Symmetry.Features that sends feature i of a group to
// feature j of another (or the same): (otherGroup, j) = to(group, i).
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

// Buckets divides numbers into ranges by their lower bounds, in increasing
// order: Buckets{1, 2, 5} are 1, 2 to 4, and 5 or more. A number below the
// first bound is in no bucket: what is usual needs no feature.
type Buckets []int

// Of is the bucket of a number, or -1.
func (b Buckets) Of(n int) int {
	i := len(b) - 1
	for i >= 0 && n < b[i] {
		i--
	}
	return i
}

// Table is Of for the numbers from low to high.
func (b Buckets) Table(low, high int) []int8 {
	table := make([]int8, high-low+1)
	for i := range table {
		table[i] = int8(b.Of(low + i))
	}
	return table
}

// Names are the ranges, for FeatureGroup.Each: "1", "2 to 4", "5 or more".
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
