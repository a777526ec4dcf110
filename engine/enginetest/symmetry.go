package enginetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"dojo.example/engine"
)

// Swapped checks a game whose rules are the same for both players. The function swap returns the
// state s with the players exchanged. In the swapped state, the player to move must have the same
// planes, features and legal actions as the player to move in s. The outcome must be reversed and
// the heuristic negated. Swapped detects planes, features and actions that are not relative to the
// player to move. It also detects heuristics that are relative to the player to move instead of
// First.
func Swapped[S engine.State[S]](t *testing.T, r engine.Rules[S], swap func(s S) S) {
	t.Helper()
	report(t, r.Name, swapped(r, swap))
}

func swapped[S engine.State[S]](r engine.Rules[S], swap func(s S) S) error {
	sym := engine.Symmetry{Name: "players exchanged"}
	return newMirror(r.Game(), sym, -1, func(p engine.Position) engine.Position { return engine.Forget(swap(p.State().(S))) }).check()
}

// mirror checks a symmetry: it compares positions with their images.
type mirror struct {
	game         engine.Game
	sym          engine.Symmetry
	sign         int // -1 if the symmetry exchanges the players, otherwise 1
	image        func(p engine.Position) engine.Position
	seen, listed engine.Input // three rows each: the position, its image, and the position's row after applying sym
	after        [2][]engine.Action
	compared     int // number of actions compared
}

func newMirror(game engine.Game, sym engine.Symmetry, sign int, image func(p engine.Position) engine.Position) *mirror {
	return &mirror{game: game, sym: sym, sign: sign, image: image, seen: engine.PlaneInput(game.Planes), listed: engine.FeatureInput(game.Planes, game.PerAction)}
}

// check plays random games and compares each position with its image under the symmetry. The
// symmetry must turn the planes, features and legal actions of the position into the planes,
// features and legal actions of the image. The outcomes must match, and so must the positions that
// the actions lead to.
func (m *mirror) check() error {
	return randomly(m.game, games, func(p engine.Position) error {
		const enough = 60_000
		if m.compared > enough {
			return nil
		}
		image := m.image(p)
		for _, law := range []func(p, image engine.Position) error{m.same, m.inputs, m.actions} {
			if err := law(p, image); err != nil {
				return fmt.Errorf("the image under %q, %s: %w", m.sym.Name, image, err)
			}
		}
		return nil
	})
}

// same compares the player to move, the outcomes and the heuristics.
func (m *mirror) same(p, image engine.Position) error {
	switch {
	case (p.ToMove() == image.ToMove()) != (m.sign == 1):
		return errors.New("the wrong player is to move")
	case !m.alike(p, image):
		return fmt.Errorf("the outcome is %v, but the outcome of the original position is %v", image.Outcome(), p.Outcome())
	}
	if h, other := engine.HeuristicOf(p.State()), engine.HeuristicOf(image.State()); h != m.sign*other {
		return fmt.Errorf("the heuristic is %d, want %d", other, m.sign*h)
	}
	return nil
}

// alike reports whether the outcomes of a position and its image match.
func (m *mirror) alike(p, image engine.Position) bool {
	return (p.Outcome() == engine.Ongoing) == (image.Outcome() == engine.Ongoing) &&
		p.Outcome().Value() == float32(m.sign)*image.Outcome().Value()
}

// inputs applies the symmetry to the planes and features of p. The results must be the planes and
// features of the image.
func (m *mirror) inputs(p, image engine.Position) error {
	for _, in := range []*engine.Input{&m.seen, &m.listed} {
		in.Reset()
		in.Append(p)
		in.Append(image)
		in.AppendRow(in, 0, &m.sym)
	}
	if !slices.Equal(m.seen.PlanesOf(1), m.seen.PlanesOf(2)) {
		return errors.New("the planes differ from the permuted planes of the original position")
	}
	features, want := m.listed.FeaturesOf(2), m.listed.FeaturesOf(1)
	if slices.Sort(features); !slices.Equal(features, want) {
		return fmt.Errorf("the features are %s, but the permuted features of the original position are %s",
			byGroup(want, m.game.FeatureGroups), byGroup(features, m.game.FeatureGroups))
	}
	return nil
}

// actions applies the symmetry to the legal actions of p and to their features. The results must be
// the actions and features of the image. It also compares the positions that the actions lead to.
func (m *mirror) actions(p, image engine.Position) error {
	legal, images := m.listed.LegalOf(0), m.listed.LegalOf(2)
	if m.compared += len(legal); !slices.Equal(slices.Sorted(slices.Values(images)), m.listed.LegalOf(1)) {
		return errors.New("the legal actions differ from the permuted legal actions of the original position")
	}
	for i, a := range legal {
		next, other := p.Play(a), image.Play(images[i])
		m.after = [2][]engine.Action{next.Legal(m.after[0][:0]), other.Legal(m.after[1][:0])}
		if !m.alike(next, other) || len(m.after[0]) != len(m.after[1]) {
			return fmt.Errorf("action %q leads to a different outcome or number of legal actions than %q in the original position", image.ActionString(images[i]), p.ActionString(a))
		}
	}
	if lister, ok := image.State().(engine.ActionFeatureLister); ok && m.game.PerAction > 0 {
		if got, want := m.listed.AllActionFeatures(2), lister.ActionFeatures(images, nil); !slices.Equal(got, want) {
			return fmt.Errorf("the action features are %v, but the permuted action features of the original position are %v", want, got)
		}
	}
	return nil
}
