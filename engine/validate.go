package engine

import "fmt"

const (
	maxActions = 1 << 16 // because an Action has 16 bits
	maxInputs  = 1 << 16 // limit for features, for action features and for plane elements
)

// Validate returns an error for the first setting in the rules that is missing or out of range.
// Some errors say how to correct the setting. Validate does not test the states; package enginetest
// does.
func (r Rules[S]) Validate() error {
	for _, x := range []struct {
		what        string
		n           int
		least, most int
		advice      string
	}{
		{"Version", r.Version, 1, 1 << 20, ""},
		{"Actions", r.Actions, 1, maxActions, "; split a move into two actions of the same player, such as from and to"},
		{"Planes.C", r.Planes.C, 1, maxInputs, ""},
		{"Planes.H", r.Planes.H, 1, maxInputs, ""},
		{"Planes.W", r.Planes.W, 1, maxInputs, ""},
		{"number of elements in Planes", r.Planes.Size(), 1, maxInputs, "; use features for properties that few cells have"},
		{"MaxPlies", r.MaxPlies, 1, 1 << 20, "; let long games end in a draw"},
		{"MaxText", r.MaxText, 0, MostText, "; use a shorter notation for positions"},
		{"MaxLegal", r.MaxLegal, 0, r.Actions, ""},
		{"Features", r.Features, 0, maxInputs, "; divide counts into ranges (Buckets)"},
		{"ActiveFeatures", r.ActiveFeatures, min(r.Features, 1), r.Features, ""},
		{"number of names in FeatureGroups", r.FeatureGroups.Count(), r.Features, r.Features, ""},
		{"ActionFeatures", r.ActionFeatures, 0, maxInputs, ""},
		{"PerAction", r.PerAction, min(r.ActionFeatures, 1), min(2*r.ActionFeatures, 2), ""},
	} {
		if x.n < x.least || x.n > x.most {
			return fmt.Errorf("game %s: %s is %d, not between %d and %d%s", r.Name, x.what, x.n, x.least, x.most, x.advice)
		}
	}
	if r.Name == "" || r.Start == nil || r.Parse == nil {
		return fmt.Errorf("game %q: Name, Start or Parse is missing", r.Name)
	}
	if any(*new(S)) != nil { // if S is Position, the real type of the states is unknown here
		state := any(new(S))
		_, lists := state.(FeatureLister)
		if lists != (r.Features > 0) {
			do := map[bool]string{true: "implement", false: "do not implement"}[lists]
			return fmt.Errorf("game %s: Features is %d, but its states %s FeatureLister", r.Name, r.Features, do)
		}
		if _, lists := state.(ActionFeatureLister); r.ActionFeatures > 0 && !lists {
			return fmt.Errorf("game %s: ActionFeatures is %d, but its states do not implement ActionFeatureLister", r.Name, r.ActionFeatures)
		}
	}
	for _, s := range r.Symmetries {
		if err := r.validateSymmetry(s); err != nil {
			return fmt.Errorf("game %s: symmetry %s: %w", r.Name, s.Name, err)
		}
	}
	return nil
}

// validateSymmetry returns an error unless the symmetry permutes the planes, actions and features.
func (r Rules[S]) validateSymmetry(s Symmetry) error {
	switch {
	case !permutes(s.Planes, r.Planes.Size()):
		return fmt.Errorf("it does not permute the %d elements of planes", r.Planes.Size())
	case !permutes(s.Actions, r.Actions):
		return fmt.Errorf("it does not permute the %d actions", r.Actions)
	case !permutes(s.Features, r.Features):
		return fmt.Errorf("it does not permute the %d features", r.Features)
	case len(s.ActionFeatures) > 0 && !permutes(s.ActionFeatures, r.ActionFeatures):
		return fmt.Errorf("it does not permute the %d features of actions", r.ActionFeatures)
	}
	return nil
}

// permutes reports whether the slice is a permutation of the numbers from 0 to n-1.
func permutes[T int32 | uint16 | Action](to []T, n int) bool {
	seen := make([]bool, n)
	for _, i := range to {
		if int(i) < 0 || int(i) >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return len(to) == n
}
