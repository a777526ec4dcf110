// Package arena measures strength: players and how they are named, other
// programs among them; matches over paired openings, Elo with intervals, fixed
// opponents to compare against; ladders of models, and positions of known
// value.
package arena

import (
	"context"

	"dojo/engine"
)

// Player chooses actions in one game at a time. A player may keep memory
// (a search tree) from move to move; NewGame makes it forget. It is used by
// one goroutine at a time.
type Player interface {
	// NewGame is called before the first move of each game, with the seed
	// that all of the player's randomness in this game must come from.
	NewGame(seed uint64)

	// Choose returns a legal action of p, in which this player is to move.
	// Positions of one game come in order, but the actions between two calls
	// are not announced: whoever keeps a tree finds p in it or starts over.
	Choose(ctx context.Context, p engine.Position) (engine.Action, error)
}

// Forfeit is the error of a player who broke the terms of the match, such as
// its clock, and loses the game by it. Other errors end the match.
type Forfeit struct{ Reason error }

func (f Forfeit) Error() string { return f.Reason.Error() }
func (f Forfeit) Unwrap() error { return f.Reason }
