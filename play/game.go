// Package play keeps a game as people play it: the actions so far, taking back,
// saving and loading as text, and finding the action that somebody meant by an
// input. It knows no terminal, browser or server.
package play

import (
	"errors"

	"dojo/engine"
)

// Game is a game in progress.
type Game struct {
	Rules     engine.Game
	Positions []engine.Position // from the start to the board now, at least one
	Actions   []engine.Action   // between them

	replaced *Game // what Replace put aside; nil: nothing
}

// New begins a game at a position.
func New(rules engine.Game, start engine.Position) Game {
	return Game{Rules: rules, Positions: []engine.Position{start}}
}

// Now is the position on the board.
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

// Replace goes on with another game. Undo comes back to this one.
func (g *Game) Replace(other Game) {
	before := *g
	*g = other
	g.replaced = &before
}

// Undo goes back to where one of the players for whom human is true was last
// to move or, where there is no such place, to the game before Replace. It
// reports whether it did either.
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

// oneTurn refuses actions of which some would be the other player's.
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
