package enginetest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// bent is tic-tac-toe with one flaw: it breaks one promise of engine.State.
type bent struct {
	tictactoe.State
	flaw flaw
}

type flaw int

const (
	none flaw = iota
	unsorted
	unbounded
	overwriting
	unwritten
	unread
	nameless
	stuck
	featuresUnsorted
	featuresUnbounded
	featuresMany
	featuresOverwriting
	featuresForgetful
	blocked // after four plies there are no legal actions
	actionFeaturesMissing
	actionFeaturesUnbounded
	misread // the protocol cannot read the answers that it writes
)

func (b bent) Legal(dst []engine.Action) []engine.Action {
	n := len(dst)
	switch b.flaw {
	case overwriting:
		return b.State.Legal(dst[:0])
	case unbounded:
		return append(dst, 9)
	case blocked:
		if b.Outcome() == engine.Ongoing && len(b.State.Legal(nil)) <= 5 {
			return dst
		}
	}
	dst = b.State.Legal(dst)
	if b.flaw == unsorted {
		slices.Reverse(dst[n:])
	}
	return dst
}

func (b bent) Play(a engine.Action) bent {
	if b.flaw == stuck {
		return b
	}
	return bent{b.State.Play(a), b.flaw}
}

func (b bent) Encode(planes []float32) {
	if b.flaw != unwritten {
		b.State.Encode(planes)
	}
}

var calls uint16 // number of calls of Features; with the flaw featuresForgetful, the result wrongly depends on it

func (b bent) Features(dst []uint16) []uint16 {
	n := len(dst)
	calls++
	switch b.flaw {
	case featuresOverwriting:
		return b.State.Features(dst[:0])
	case featuresUnbounded:
		return append(dst, 18)
	case featuresMany:
		return append(dst, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	case featuresForgetful:
		return append(dst, calls%2)
	}
	dst = b.State.Features(dst)
	if b.flaw == featuresUnsorted {
		slices.Reverse(dst[n:])
	}
	return dst
}

func (b bent) ActionFeatures(legal []engine.Action, dst []uint16) []uint16 {
	for i := range legal {
		switch {
		case b.flaw == actionFeaturesUnbounded:
			dst = append(dst, 1)
		case b.flaw != actionFeaturesMissing || i > 0:
			dst = append(dst, 0)
		}
	}
	return dst
}

func (b bent) ActionString(a engine.Action) string {
	if b.flaw == nameless {
		return "?"
	}
	return b.State.ActionString(a)
}

// bend returns the rules of tic-tac-toe with one flaw.
func bend(f flaw) engine.Rules[bent] {
	spec := tictactoe.Rules.Spec
	spec.ActionFeatures, spec.PerAction = 1, 1
	return engine.Rules[bent]{
		Spec:  spec,
		Start: func(rng *rand.Rand) bent { return bent{tictactoe.Rules.Start(rng), f} },
		Parse: func(text string) (bent, error) {
			s, err := tictactoe.Parse(text)
			if f == unread {
				s = tictactoe.State{}
			}
			return bent{s, f}, err
		},
		FeatureGroups: tictactoe.Rules.FeatureGroups,
		Protocols: []engine.Protocol{{
			Name:  "play",
			Reply: func(p engine.Position, a engine.Action) string { return "play " + p.ActionString(a) },
			Answer: func(line string) (string, error) {
				if f == misread {
					return line, nil
				}
				return strings.TrimPrefix(line, "play "), nil
			},
		}},
	}
}

// The checker reports each flaw. It accepts the rules without a flaw.
func TestCheckerFindsFlaws(t *testing.T) {
	for _, c := range []struct {
		flaw flaw
		says string
	}{
		{unsorted, "increasing order"},
		{unbounded, "Spec.Actions is 9"},
		{overwriting, "Legal must append"},
		{unwritten, "does not write all"},
		{unread, "a different state"},
		{nameless, "have the name"},
		{stuck, "does not change the position"},
		{featuresUnsorted, "not in increasing order"},
		{featuresUnbounded, "less than 18"},
		{featuresMany, "the maximum is 9"},
		{featuresOverwriting, "Features must append"},
		{featuresForgetful, "in an equal state"},
		{blocked, "no legal action"},
		{actionFeaturesMissing, "action features for 9 actions, want 9"},
		{actionFeaturesUnbounded, "action feature 1, but"},
		{misread, "but reads this answer as"},
	} {
		r := bend(c.flaw).Game()
		rng := rand.New(rand.NewPCG(1, 0))
		if err := play(r, rng, rng.IntN, newChecker(r).check); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("flaw %d gives %v, want %q", c.flaw, err, c.says)
		}
	}
	Run(t, bend(none))

	short := bend(none).Game()
	short.MaxPlies = 4
	if err := play(short, nil, func(int) int { return 0 }, newChecker(short).check); err == nil || !strings.Contains(err.Error(), "is not over after 4") {
		t.Errorf("a game longer than MaxPlies gives %v", err)
	}
}

// The checks accept a Start function that often, but not always, returns a finished game. They
// reject a Usual function that returns a finished game. Golden also rejects bad starts, positions
// without legal actions and games that are too long.
func TestBrokenStarts(t *testing.T) {
	r := bend(none)
	begin := r.Start
	r.Start = func(rng *rand.Rand) bent {
		if s := begin(rng); rng.IntN(3) > 0 {
			return s
		}
		return bent{State: full(t)}
	}
	if err := laws(r, nil); err != nil {
		t.Errorf("deals that are often over give %v", err)
	}
	over, usual, short := r, r, r
	over.Start = func(*rand.Rand) bent { return bent{State: full(t)} }
	usual.Usual = func() bent { return bent{State: full(t)} }
	short.MaxPlies = 4
	for _, c := range []struct {
		says string
		err  error
	}{
		{"already over, the last one", laws(over, nil)},
		{"over in the usual start", laws(usual, nil)},
		{"already over, the last one", second(recorded(over, 1))},
		{"no legal action", second(recorded(bend(blocked), 1))},
		{"is not over after 4", second(recorded(short, 1))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", c.err, c.says)
		}
	}
}

// full returns a drawn position.
func full(t *testing.T) tictactoe.State {
	s, err := tictactoe.Parse("xoxxoooxx")
	if err != nil || s.Outcome() != engine.Draw {
		t.Fatalf("%s: %v, %v", s, s.Outcome(), err)
	}
	return s
}

func second(_ string, err error) error { return err }

// Features must have different names.
func TestGroups(t *testing.T) {
	r := tictactoe.Rules
	twice := r.FeatureGroups[0]
	r.FeatureGroups = engine.FeatureGroups{twice, twice}
	if err := groups(r.Game()); err == nil || !strings.Contains(err.Error(), "only 9 different names") {
		t.Errorf("two groups with the same names give %v", err)
	}
}
