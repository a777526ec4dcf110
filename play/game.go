// Package play represents a game as people play it: actions so far, undo, saving and
// loading as text, and finding the action that an input means. It is independent of
// terminals, browsers and servers.
package play

import (
	"errors"

	"dojo.example/engine"
)

// Game is a game in progress.
type Game struct {
	Rules     engine.Game
	Positions []engine.Position // from the start to the present one, at least one
	Actions   []engine.Action   // between them

	replaced *Game // the game before Replace, or nil
}

// New returns a game that begins at a position.
func New(rules engine.Game, start engine.Position) Game {
	return Game{Rules: rules, Positions: []engine.Position{start}}
}

// Now returns the present position.
func (g *Game) Now() engine.Position { return g.Positions[len(g.Positions)-1] }

// Over reports whether the game has ended.
func (g *Game) Over() bool { return g.Now().Outcome() != engine.Ongoing }

// Play plays legal actions one after another.
func (g *Game) Play(actions ...engine.Action) {
	for _, action := range actions {
		g.Positions = append(g.Positions, g.Now().Play(action))
		g.Actions = append(g.Actions, action)
	}
}

// Replace goes on with another game. Undo returns to this one.
func (g *Game) Replace(other Game) {
	before := *g
	*g = other
	g.replaced = &before
}

// Undo goes back to the last position in which a player for whom human returns true
// was to move, or else to the game before Replace. It returns false if there is
// neither.
func (g *Game) Undo(human func(engine.Player) bool) bool {
	for n := len(g.Actions) - 1; n >= 0; n-- {
		if human(g.Positions[n].ToMove()) {
			g.Positions, g.Actions = g.Positions[:n+1], g.Actions[:n]
			return true
		}
	}
	if g.replaced == nil {
		return false
	}
	*g = *g.replaced
	return true
}

// oneTurn returns an error if the other player would have to move between actions.
func oneTurn(p engine.Position, actions []engine.Action) error {
	mover := p.ToMove()
	for _, action := range actions {
		if p.ToMove() != mover {
			return errors.New("that is more than your turn")
		}
		p = p.Play(action)
	}
	return nil
}
