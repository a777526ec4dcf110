package engine

import (
	"fmt"
	"math/bits"
	"slices"
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

// FeatureGroups are all features of a game, in the order of their numbers.
type FeatureGroups []FeatureGroup

// Add appends a group and returns its first feature.
func (g *FeatureGroups) Add(name string, each ...string) (first int) {
	first = g.Count()
	*g = append(*g, FeatureGroup{name, each})
	return first
}

// AddScale appends a group for the ranges of a number.
func (g *FeatureGroups) AddScale(name string, ranges Buckets) Scale {
	low := min(ranges[0], 0)
	return Scale{g.Add(name, ranges.Names()...), low, ranges.Table(low, ranges[len(ranges)-1])}
}

// Count returns the number of features in all groups.
func (g FeatureGroups) Count() (n int) {
	for _, group := range g {
		n += len(group.Each)
	}
	return n
}

// At returns the group of feature f and its place there.
func (g FeatureGroups) At(f int) (group, i int) {
	for f >= len(g[group].Each) {
		f -= len(g[group].Each)
		group++
	}
	return group, f
}

// NameOf returns the name of feature f for people: "my men a1".
func (g FeatureGroups) NameOf(f uint16) string {
	group, i := g.At(int(f))
	return g[group].Name + " " + g[group].Each[i]
}

// Permute returns the Symmetry.Features that sends feature i of a group to feature j of
// another group or the same: (otherGroup, j) = to(group, i).
func (g FeatureGroups) Permute(to func(group, i int) (otherGroup, j int)) (image []uint16) {
	for group := range g {
		for i := range g[group].Each {
			other, j := to(group, i)
			image = append(image, uint16(g[:other].Count()+j))
		}
	}
	return image
}

// A Scale is a group of features of which at most one is active: the range of a number.
type Scale struct {
	First int    // its first feature
	low   int    // smaller numbers count as low
	table []int8 // by number from low on: the range, or -1
}

// Range returns the range of n, or -1.
func (s *Scale) Range(n int) int {
	return int(s.table[min(max(n-s.low, 0), len(s.table)-1)])
}

// Append appends the feature of n, if it has one.
func (s *Scale) Append(dst []uint16, n int) []uint16 {
	if k := s.Range(n); k >= 0 {
		dst = append(dst, uint16(s.First+k))
	}
	return dst
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
	above, _ := slices.BinarySearch(b, n+1)
	return above - 1
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
