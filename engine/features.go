package engine

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
)

// FeatureLister is implemented by states that list their active features for sparse networks. A
// feature is either active or not, and only a few features are active in any position. In the first
// layer of a sparse network each feature has a column of weights, and the layer adds up the columns
// of the active features (NNUE: Nasu 2018). Spec.Features is the number of features, and
// Rules.FeatureGroups describes them. If a game has no feature list, [Rules.Game] derives features
// from its planes.
type FeatureLister interface {
	// Features appends the active features to dst, in increasing order and relative to the player
	// to move. It appends at most Spec.ActiveFeatures numbers, each less than Spec.Features. It
	// does not allocate memory if dst has enough capacity.
	Features(dst []uint16) []uint16
}

// ActionFeatureLister is implemented by states that describe their legal actions by features, for
// example whether an action captures an unprotected man. A policy head adds the weights of these
// features to the weights of the action.
type ActionFeatureLister interface {
	// ActionFeatures appends one feature for each legal action, in the order of legal. If
	// Spec.PerAction is 2, it then appends a second feature for each action. Each feature is less
	// than Spec.ActionFeatures. ActionFeatures does not allocate memory if dst has enough capacity.
	ActionFeatures(legal []Action, dst []uint16) []uint16
}

// FeatureGroup is a run of consecutively numbered features of one kind, such as the cells of a
// player's men. In a list of groups, the numbers of each group follow those of the previous group.
type FeatureGroup struct {
	Name string   // name of the group, such as "my men"
	Each []string // name of each feature within the group, such as "a1" or "b1"
}

// FeatureGroups describes all features of a game, in the order of their numbers.
type FeatureGroups []FeatureGroup

// Add appends a group and returns the number of its first feature.
func (g *FeatureGroups) Add(name string, each ...string) (first int) {
	first = g.Count()
	*g = append(*g, FeatureGroup{name, each})
	return first
}

// AddScale appends a group that describes a number, with one feature for each of the given ranges.
func (g *FeatureGroups) AddScale(name string, ranges Buckets) Scale {
	low := min(ranges[0], 0)
	return Scale{g.Add(name, ranges.Names()...), low, ranges.Table(low, ranges[len(ranges)-1])}
}

// Count returns the total number of features.
func (g FeatureGroups) Count() (n int) {
	for _, group := range g {
		n += len(group.Each)
	}
	return n
}

// At returns the index of the group that contains feature f, and the index of f within that group.
func (g FeatureGroups) At(f int) (group, i int) {
	for f >= len(g[group].Each) {
		f -= len(g[group].Each)
		group++
	}
	return group, f
}

// NameOf returns the name of feature f for people, such as "my men a1".
func (g FeatureGroups) NameOf(f uint16) string {
	group, i := g.At(int(f))
	return g[group].Name + " " + g[group].Each[i]
}

// Permute returns a table for Symmetry.Features. For each feature, it calls the function "to",
// which must return the feature that the symmetry maps it to: feature i of group becomes feature j
// of otherGroup. The two groups may be the same.
func (g FeatureGroups) Permute(to func(group, i int) (otherGroup, j int)) (image []uint16) {
	for group := range g {
		for i := range g[group].Each {
			other, j := to(group, i)
			image = append(image, uint16(g[:other].Count()+j))
		}
	}
	return image
}

// Scale is a group of features that describe a number, such as a count of men. Each feature stands
// for a range and is active if the number is in this range. At most one feature of the group is
// active.
type Scale struct {
	First int    // number of the group's first feature
	low   int    // smallest number in the table; smaller numbers count as low
	table []int8 // table[n-low] is the range that contains n, or -1 if there is none
}

// Range returns the index of the range that contains n, or -1 if there is none.
func (s *Scale) Range(n int) int {
	return int(s.table[min(max(n-s.low, 0), len(s.table)-1)])
}

// Append appends the feature for the range that contains n. If no range contains n, it appends
// nothing.
func (s *Scale) Append(dst []uint16, n int) []uint16 {
	if k := s.Range(n); k >= 0 {
		dst = append(dst, uint16(s.First+k))
	}
	return dst
}

// AppendFeatures appends the number first + i for each bit i that is 1 in set.
func AppendFeatures(dst []uint16, first int, set uint64) []uint16 {
	for ; set != 0; set &= set - 1 {
		dst = append(dst, uint16(first+bits.TrailingZeros64(set)))
	}
	return dst
}

// Buckets divides numbers into ranges. It lists the lower bounds in increasing order: Buckets{1, 2,
// 5} has the ranges 1, 2 to 4, and 5 or more. Numbers below the first bound belong to no range, and
// so they need no feature. Choose the first bound so that the most common numbers are below it.
type Buckets []int

// Of returns the index of the range that contains n, or -1 if there is none.
func (b Buckets) Of(n int) int {
	above, _ := slices.BinarySearch(b, n+1)
	return above - 1
}

// Table returns a slice that holds b.Of(n) for each number n from low to high.
func (b Buckets) Table(low, high int) []int8 {
	table := make([]int8, high-low+1)
	for i := range table {
		table[i] = int8(b.Of(low + i))
	}
	return table
}

// Names returns the names of the ranges for FeatureGroup.Each, such as "1", "2 to 4" and "5 or
// more".
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
