package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dojo/engine"
)

// Symmetric checks a symmetry against image, which makes the position that
// looks to the network like s seen through it. In every position of random
// games the image's planes, features, legal actions and outcome are the permuted
// ones, and each action leads both to the same: as many actions, the same outcome.
func Symmetric[S engine.State[S]](t *testing.T, r engine.Rules[S], sym engine.Symmetry, image func(s S) S) {
	t.Helper()
	planes, seen := make([]float32, r.Planes.Size()), make([]float32, r.Planes.Size())
	permuted := make([]float32, len(planes))
	var l lister[S]
	const enough = 60_000 // actions: some games have a thousand in a position
	actions := 0
	for seed := range uint64(games) {
		if actions > enough {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		for s := r.Start(rng); ; {
			m := image(s)
			s.Encode(planes)
			m.Encode(seen)
			for i, v := range planes {
				permuted[sym.Planes[i]] = v
			}
			if !slices.Equal(permuted, seen) {
				t.Fatalf("%s: %s does not look like %s", sym.Name, m, s)
			}
			if r.Features > 0 {
				features := l.list(s, nil)
				for i, f := range features {
					features[i] = sym.Features[f]
				}
				slices.Sort(features)
				if want := l.list(m, nil); !slices.Equal(features, want) {
					t.Fatalf("%s: the features of %s become %s, but those of %s are %s", sym.Name,
						s, byGroup(features, r.FeatureGroups), m, byGroup(want, r.FeatureGroups))
				}
			}
			legal := s.Legal(nil)
			actions += len(legal)
			images := make([]engine.Action, len(legal))
			for i, a := range legal {
				images[i] = sym.Actions[a]
				next, other := s.Play(a), m.Play(images[i])
				if next.Outcome() != other.Outcome() || len(next.Legal(nil)) != len(other.Legal(nil)) {
					t.Fatalf("%s: %q in %s and %q in %s lead to different games", sym.Name, s.ActionString(a), s, m.ActionString(images[i]), m)
				}
			}
			slices.Sort(images)
			if !slices.Equal(images, m.Legal(nil)) || s.Outcome() != m.Outcome() {
				t.Fatalf("%s: %s and %s allow different actions", sym.Name, s, m)
			}
			if s.Outcome() != engine.Ongoing {
				break
			}
			s = s.Play(legal[rng.IntN(len(legal))])
		}
	}
}

// isPermutation says what is wrong with a symmetry that loses something.
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
