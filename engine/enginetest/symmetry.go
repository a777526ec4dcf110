package enginetest

import (
	"cmp"
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
	game := r.Game()
	if i := slices.IndexFunc(game.Symmetries, func(s engine.Symmetry) bool { return s.Name == sym.Name }); i >= 0 {
		sym = game.Symmetries[i]
	}
	const enough = 60_000 // actions
	actions := 0
	for seed := range uint64(games) {
		if actions > enough {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := r.Start(rng); ; {
			legal := s.Legal(nil)
			if err := alike(game, sym, engine.Forget(s), engine.Forget(image(s))); err != nil {
				t.Fatalf("%s: %s and %s: %v", sym.Name, s, image(s), err)
			}
			if actions += len(legal); s.Outcome() != engine.Ongoing {
				break
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// alike returns an error unless a symmetry turns what networks read of p, and what its
// actions lead to, into those of its image.
func alike(game engine.Game, sym engine.Symmetry, p, image engine.Position) error {
	seen, permuted := engine.PlaneInput(game.Planes), make([]float32, game.Planes.Size())
	seen.Append(p)
	seen.Append(image)
	for i, v := range seen.PlanesOf(0) {
		permuted[sym.Planes[i]] = v
	}
	if !slices.Equal(permuted, seen.PlanesOf(1)) {
		return fmt.Errorf("they do not look alike")
	}
	listed := engine.FeatureInput(game.Planes, game.PerAction)
	listed.Append(p)
	listed.Append(image)
	features, want := mapped(listed.FeaturesOf(0), sym.Features), listed.FeaturesOf(1)
	if slices.Sort(features); !slices.Equal(features, want) {
		return fmt.Errorf("the features become %s, but the others are %s", byGroup(features, game.FeatureGroups), byGroup(want, game.FeatureGroups))
	}
	images := mapped(listed.LegalOf(0), sym.Actions)
	for i, a := range listed.LegalOf(0) {
		next, other := p.Play(a), image.Play(images[i])
		if next.Outcome() != other.Outcome() || len(next.Legal(nil)) != len(other.Legal(nil)) {
			return fmt.Errorf("%q and %q lead to different games", p.ActionString(a), image.ActionString(images[i]))
		}
	}
	if lister, ok := image.State().(engine.ActionFeatureLister); ok && game.PerAction > 0 {
		got := listed.AllActionFeatures(0)
		if len(sym.ActionFeatures) > 0 {
			got = mapped(got, sym.ActionFeatures)
		}
		if want := lister.ActionFeatures(images, nil); !slices.Equal(got, want) {
			return fmt.Errorf("the features of the actions become %v, but those of their images are %v", got, want)
		}
	}
	if slices.Sort(images); !slices.Equal(images, listed.LegalOf(1)) || p.Outcome() != image.Outcome() {
		return fmt.Errorf("they allow different actions")
	}
	return nil
}

// mapped returns the images of numbers.
func mapped[N ~uint16](list, to []N) []N {
	images := make([]N, len(list))
	for i, n := range list {
		images[i] = to[n]
	}
	return images
}

// isPermutation returns an error unless the symmetry permutes planes, actions and
// features.
func isPermutation(sym engine.Symmetry, spec engine.Spec) error {
	return cmp.Or(permutes("planes", sym.Planes, spec.Planes.Size()), permutes("actions", sym.Actions, spec.Actions),
		permutes("features", sym.Features, spec.Features))
}

func permutes[N ~int32 | ~uint16](what string, to []N, n int) error {
	if len(to) != n {
		return fmt.Errorf("%d %s are permuted, want %d", len(to), what, n)
	}
	for i, image := range slices.Sorted(slices.Values(to)) {
		if int(image) != i {
			return fmt.Errorf("%s are not permuted", what)
		}
	}
	return nil
}
