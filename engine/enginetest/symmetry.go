package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
)

// Symmetric checks a symmetry in the positions of random games. image returns the image
// of s: its planes, features and legal actions must be those of s, permuted, and its
// outcome the same. Each action must lead s and the image to positions with the same
// outcome and number of actions.
func Symmetric[S engine.State[S]](t *testing.T, r engine.Rules[S], sym engine.Symmetry, image func(s S) S) {
	t.Helper()
	r = described(r)
	if i := slices.IndexFunc(r.Symmetries, func(s engine.Symmetry) bool { return s.Name == sym.Name }); i >= 0 {
		sym = r.Symmetries[i]
	}
	m := mirror[S]{
		t: t, rules: r, sym: sym,
		planes: make([]float32, r.Planes.Size()), permuted: make([]float32, r.Planes.Size()), seen: make([]float32, r.Planes.Size()),
		lister: newLister(r),
	}
	const enough = 60_000 // actions
	actions := 0
	for seed := range uint64(games) {
		if actions > enough {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := r.Start(rng); ; {
			other := image(s)
			m.inputs(s, other)
			legal := s.Legal(nil)
			actions += len(legal)
			m.actions(s, other, legal)
			if s.Outcome() != engine.Ongoing {
				break
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// mirror compares positions with their images under a symmetry.
type mirror[S engine.State[S]] struct {
	t                      *testing.T
	rules                  engine.Rules[S]
	sym                    engine.Symmetry
	planes, permuted, seen []float32 // of a position, permuted, and of its image
	lister                 lister[S]
}

// inputs compares the permuted planes and features of s with those of its image.
func (m *mirror[S]) inputs(s, image S) {
	m.t.Helper()
	s.Encode(m.planes)
	image.Encode(m.seen)
	for i, v := range m.planes {
		m.permuted[m.sym.Planes[i]] = v
	}
	if !slices.Equal(m.permuted, m.seen) {
		m.t.Fatalf("%s: %s does not look like %s", m.sym.Name, image, s)
	}
	features := m.lister.list(s, nil)
	for i, f := range features {
		features[i] = m.sym.Features[f]
	}
	slices.Sort(features)
	if want := m.lister.list(image, nil); !slices.Equal(features, want) {
		m.t.Fatalf("%s: the features of %s become %s, but those of %s are %s", m.sym.Name,
			s, byGroup(features, m.rules.FeatureGroups), image, byGroup(want, m.rules.FeatureGroups))
	}
}

// actions compares the permuted legal actions of s with those of its image, and the
// positions that they lead to.
func (m *mirror[S]) actions(s, image S, legal []engine.Action) {
	m.t.Helper()
	images := make([]engine.Action, len(legal))
	for i, a := range legal {
		images[i] = m.sym.Actions[a]
		next, other := s.Play(a), image.Play(images[i])
		if next.Outcome() != other.Outcome() || len(next.Legal(nil)) != len(other.Legal(nil)) {
			m.t.Fatalf("%s: %q in %s and %q in %s lead to different games", m.sym.Name, s.ActionString(a), s, image.ActionString(images[i]), image)
		}
	}
	m.actionFeatures(s, image, legal, images)
	slices.Sort(images)
	if !slices.Equal(images, image.Legal(nil)) || s.Outcome() != image.Outcome() {
		m.t.Fatalf("%s: %s and %s allow different actions", m.sym.Name, s, image)
	}
}

// actionFeatures compares the permuted features of the legal actions of s with those of
// their images.
func (m *mirror[S]) actionFeatures(s, image S, legal, images []engine.Action) {
	m.t.Helper()
	of, ok := any(s).(engine.ActionFeatureLister)
	if !ok || len(legal) == 0 {
		return
	}
	got, want := of.ActionFeatures(legal, nil), any(image).(engine.ActionFeatureLister).ActionFeatures(images, nil)
	if len(m.sym.ActionFeatures) > 0 {
		for i, f := range got {
			got[i] = m.sym.ActionFeatures[f]
		}
	}
	if !slices.Equal(got, want) {
		m.t.Fatalf("%s: the features of the actions of %s become %v, but those of their images in %s are %v", m.sym.Name, s, got, image, want)
	}
}

// isPermutation returns an error unless the symmetry permutes planes, actions and
// features.
func isPermutation(sym engine.Symmetry, spec engine.Spec) error {
	planes, actions, features := slices.Clone(sym.Planes), slices.Clone(sym.Actions), slices.Clone(sym.Features)
	slices.Sort(planes)
	slices.Sort(actions)
	slices.Sort(features)
	if len(planes) != spec.Planes.Size() || len(actions) != spec.Actions || len(features) != spec.Features {
		return fmt.Errorf("%d planes, %d actions and %d features, want %d, %d and %d",
			len(planes), len(actions), len(features), spec.Planes.Size(), spec.Actions, spec.Features)
	}
	for i, p := range planes {
		if int(p) != i {
			return errors.New("planes are not permuted")
		}
	}
	for i, a := range actions {
		if int(a) != i {
			return errors.New("actions are not permuted")
		}
	}
	for i, f := range features {
		if int(f) != i {
			return errors.New("features are not permuted")
		}
	}
	return nil
}
