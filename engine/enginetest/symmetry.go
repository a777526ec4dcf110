package enginetest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
)

// Swapped checks a game in which both players have the same rights: swap returns a position
// with the players exchanged. Who is to move there sees what the other saw, has the same legal
// actions, and outcome and heuristic are the opposite. It finds planes, features and actions
// that are not from the side of the player to move, and heuristics that are.
func Swapped[S engine.State[S]](t *testing.T, r engine.Rules[S], swap func(s S) S) {
	t.Helper()
	if err := swapped(r, swap); err != nil {
		t.Fatalf("%s: %v", r.Name, err)
	}
}

func swapped[S engine.State[S]](r engine.Rules[S], swap func(s S) S) error {
	r = described(r)
	return newMirror(r, engine.Symmetry{
		Name: "players exchanged", Planes: identity[int32](r.Planes.Size()),
		Actions: identity[engine.Action](r.Actions), Features: identity[uint16](r.Features),
	}, swap, -1).check()
}

func identity[T int32 | uint16 | engine.Action](n int) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(i)
	}
	return all
}

// mirror compares positions with their images under a symmetry.
type mirror[S engine.State[S]] struct {
	rules                  engine.Rules[S]
	sym                    engine.Symmetry
	image                  func(s S) S
	sign                   int       // 1, or -1 if an image has the players exchanged
	planes, permuted, seen []float32 // of a position, permuted, and of its image
	lister                 lister[S]
}

func newMirror[S engine.State[S]](r engine.Rules[S], sym engine.Symmetry, image func(s S) S, sign int) *mirror[S] {
	n := r.Planes.Size()
	return &mirror[S]{
		rules: r, sym: sym, image: image, sign: sign,
		planes: make([]float32, n), permuted: make([]float32, n), seen: make([]float32, n), lister: newLister(r),
	}
}

// check compares the positions of random games with their images: planes, features and legal
// actions must be the same, permuted, as must be the outcome and what actions lead to.
func (m *mirror[S]) check() error {
	const enough = 60_000 // actions
	actions := 0
	for seed := range uint64(games) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := m.rules.Start(rng); actions <= enough; {
			image, legal := m.image(s), s.Legal(nil)
			if err := cmp.Or(m.same(s, image), m.inputs(s, image), m.actions(s, image, legal)); err != nil {
				return fmt.Errorf("%s, of which the image under %q is %s: %w", s, m.sym.Name, image, err)
			}
			if actions += len(legal); s.Outcome() != engine.Ongoing {
				break
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
	return nil
}

// same compares who is to move, the outcomes and the heuristics.
func (m *mirror[S]) same(s, image S) error {
	switch {
	case (s.ToMove() == image.ToMove()) != (m.sign == 1):
		return errors.New("the wrong player is to move in the image")
	case !m.alike(s, image):
		return fmt.Errorf("the outcomes are %v and %v", s.Outcome(), image.Outcome())
	}
	if h, ok := any(s).(engine.Heuristic); ok && h.Heuristic() != m.sign*any(image).(engine.Heuristic).Heuristic() {
		return fmt.Errorf("the heuristics are %d and %d", h.Heuristic(), any(image).(engine.Heuristic).Heuristic())
	}
	return nil
}

// alike reports whether two positions have matching outcomes.
func (m *mirror[S]) alike(s, image S) bool {
	return (s.Outcome() == engine.Ongoing) == (image.Outcome() == engine.Ongoing) &&
		s.Outcome().Value() == float32(m.sign)*image.Outcome().Value()
}

// inputs compares the permuted planes and features of s with those of its image.
func (m *mirror[S]) inputs(s, image S) error {
	s.Encode(m.planes)
	image.Encode(m.seen)
	for i, v := range m.planes {
		m.permuted[m.sym.Planes[i]] = v
	}
	if !slices.Equal(m.permuted, m.seen) {
		return errors.New("it does not look like it: its planes differ")
	}
	features := m.lister.list(s, nil)
	for i, f := range features {
		features[i] = m.sym.Features[f]
	}
	slices.Sort(features)
	if want := m.lister.list(image, nil); !slices.Equal(features, want) {
		return fmt.Errorf("its features become %s, but those of the image are %s",
			byGroup(features, m.rules.FeatureGroups), byGroup(want, m.rules.FeatureGroups))
	}
	return nil
}

// actions compares the permuted legal actions of s with those of its image, and the
// positions that they lead to.
func (m *mirror[S]) actions(s, image S, legal []engine.Action) error {
	images := make([]engine.Action, len(legal))
	for i, a := range legal {
		images[i] = m.sym.Actions[a]
	}
	sorted := slices.Sorted(slices.Values(images))
	if !slices.Equal(sorted, image.Legal(nil)) {
		return errors.New("they have other legal actions")
	}
	for i, a := range legal {
		next, other := s.Play(a), image.Play(images[i])
		if !m.alike(next, other) || len(next.Legal(nil)) != len(other.Legal(nil)) {
			return fmt.Errorf("%q there and %q here lead to different games", s.ActionString(a), image.ActionString(images[i]))
		}
	}
	return m.actionFeatures(s, image, legal, images)
}

// actionFeatures compares the permuted features of the legal actions of s with those of
// their images.
func (m *mirror[S]) actionFeatures(s, image S, legal, images []engine.Action) error {
	of, ok := any(s).(engine.ActionFeatureLister)
	if !ok || len(legal) == 0 {
		return nil
	}
	got, want := of.ActionFeatures(legal, nil), any(image).(engine.ActionFeatureLister).ActionFeatures(images, nil)
	if len(m.sym.ActionFeatures) > 0 {
		for i, f := range got {
			got[i] = m.sym.ActionFeatures[f]
		}
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the features of its actions become %v, but those of their images are %v", got, want)
	}
	return nil
}
