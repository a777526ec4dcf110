package play

import (
	"fmt"

	"dojo.example/analysis"
	"dojo.example/engine"
)

// Follow returns the game that plays the named actions from a position. The error says
// which action cannot be played.
func Follow(rules engine.Game, position string, actions []string) (Game, error) {
	start, err := rules.Parse(position)
	if err != nil {
		return Game{}, err
	}
	g := New(rules, start)
	for i, name := range actions {
		if g.Over() {
			return Game{}, fmt.Errorf("action %d, %q: %w", i+1, name, ErrOver)
		}
		a, err := engine.ParseAction(g.Now(), name)
		if err != nil {
			return Game{}, fmt.Errorf("action %d: %w", i+1, err)
		}
		g.Play(a)
	}
	return g, nil
}

// Show returns all positions of the game for programs that draw them, each with the
// action that led to it.
func (g *Game) Show() (shown []analysis.Position) {
	for i := range g.Positions {
		shown = append(shown, g.ShowAfter(i))
	}
	return shown
}

// ShowAfter returns the position after n actions, as Show does.
func (g *Game) ShowAfter(n int) analysis.Position {
	if n == 0 {
		return analysis.Illustrate(g.Rules.Name, g.Positions[0])
	}
	return analysis.Reached(g.Rules.Name, g.Positions[n-1], g.Actions[n-1])
}
