package enginetest

import (
	"math/rand/v2"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/tictactoe"
)

// playful is tic-tac-toe with playouts that may contain a mistake.
type playful struct {
	tictactoe.State
	mistake string
}

func (p playful) Play(a engine.Action) playful { return playful{p.State.Play(a), p.mistake} }

var played uint64 // number of playouts, for a mistake

func (p playful) Playout(seed uint64) engine.Outcome {
	played++
	rng := rand.New(rand.NewPCG(seed, 0))
	if p.mistake == "luck that does not follow from the seed" {
		rng = rand.New(rand.NewPCG(played, 0))
	}
	s := p.State
	for s.Outcome() == engine.Ongoing {
		legal := s.Legal(nil)
		i := rng.IntN(len(legal))
		if p.mistake == "the first action has five times the probability" {
			i = max(0, rng.IntN(len(legal)+4)-4)
		}
		s = s.Play(legal[i])
	}
	if p.mistake == "the result is for the player to move" && p.ToMove() == engine.Second {
		return engine.OutcomeOf(-int(s.Outcome().Value()))
	}
	return s.Outcome()
}

func TestPlayoutMistakes(t *testing.T) {
	check := func(mistake string) error {
		spec := tictactoe.Rules
		r := engine.Rules[playful]{
			Spec:          spec.Spec,
			FeatureGroups: spec.FeatureGroups,
			Start:         func(rng *rand.Rand) playful { return playful{spec.Start(rng), mistake} },
			Parse: func(text string) (playful, error) {
				s, err := spec.Parse(text)
				return playful{s, mistake}, err
			},
		}
		return playouts(r.Game())
	}
	if err := check(""); err != nil {
		t.Fatal(err)
	}
	for _, mistake := range []string{
		"luck that does not follow from the seed", "the first action has five times the probability",
		"the result is for the player to move",
	} {
		if err := check(mistake); err == nil {
			t.Errorf("%s: no law is broken", mistake)
		} else {
			t.Logf("%s: %v", mistake, err)
		}
	}
}
