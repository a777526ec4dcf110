// Package arena measures how strong players are. It has the players and the names by
// which they are given (Parse), other programs as players (External), fixed opponents to
// compare with, matches over paired openings (Match), Elo with intervals (Result), ladders
// of many players (MatchLog, Ladder), and tests in positions of known value (Answer).
package arena

import (
	"context"

	"dojo/engine"
)

// Player chooses actions in one game at a time. A player may keep memory, such as
// a search tree, from move to move; NewGame clears it. A player is used by one
// goroutine at a time.
type Player interface {
	// NewGame is called before the first move of each game, with the seed
	// that all of the player's randomness in this game must come from.
	NewGame(seed uint64)

	// Choose returns a legal action of p, in which this player is to move.
	// Positions of one game come in order, but the actions between two calls
	// are not announced: a player that keeps a tree looks for p in it.
	Choose(ctx context.Context, p engine.Position) (engine.Action, error)
}

// Forfeit is the error of a player that broke the rules of the match, such as its
// clock, and so loses the game. Other errors end the match.
type Forfeit struct{ Reason error }

func (f Forfeit) Error() string { return f.Reason.Error() }
func (f Forfeit) Unwrap() error { return f.Reason }
