package play

import (
	"fmt"
	"math/rand/v2"

	"dojo.example/analysis"
	"dojo.example/engine"
)

// Words that stand for a position where one is wanted; see [Position].
const (
	Start = "start" // what self-play deals from the seed
	Usual = "usual" // from where people begin; see engine.Game
)

// Position reads a position in the game's notation, or one of the words for a position.
func Position(rules engine.Game, text string, seed uint64) (engine.Position, error) {
	switch text {
	case Start:
		return rules.Start(rand.New(rand.NewPCG(seed, 0))), nil
	case Usual:
		return rules.FirstPosition(rand.New(rand.NewPCG(seed, 0))), nil
	}
	return rules.Parse(text)
}

// After returns the position after the named actions. The error says which action cannot be
// played.
func After(p engine.Position, actions []string) (engine.Position, error) {
	for i, text := range actions {
		if p.Outcome() != engine.Ongoing {
			return nil, fmt.Errorf("action %d: %q cannot be played: the game is over in %q (%s)", i+1, text, p, analysis.Outcome(p.Outcome()))
		}
		action, err := engine.ParseAction(p, text)
		if err != nil {
			return nil, fmt.Errorf("action %d: %w", i+1, err)
		}
		p = p.Play(action)
	}
	return p, nil
}
