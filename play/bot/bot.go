// Package bot plays with a trained model: load it, ask for a move.
//
//	b, err := bot.Load("runs/onitama-quick")
//	if err != nil {
//		return err
//	}
//	move, err := b.Move(ctx, position)
//
// The names of models are the same as in the dojo command: the file of a checkpoint, the folder of
// a run, or a built-in model such as "box:onitama". Every program that imports this package
// contains the built-in models. They take about 6 MB.
package bot

import (
	"context"
	"fmt"
	"time"

	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/games/box"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Bot chooses moves with a model. It keeps its search tree from one move of a game to the next.
// Only one goroutine may use a Bot at a time. If you play several games at the same time, use one
// Bot for each game.
type Bot struct {
	// Simulations is the number of root visits of each search. It has no effect if MoveTime is not
	// 0.
	Simulations int

	// MoveTime is the time of each search. If it is 0, Simulations limits the search instead.
	MoveTime time.Duration

	game    games.Entry
	search  mcts.Config
	thinker *think.Thinker
}

// DefaultSimulations is the number of simulations of a new Bot. It is enough for good play and
// takes a fraction of a second per move.
const DefaultSimulations = 200

// Load returns a bot for the named model. The name is one of these: the file of a checkpoint, the
// folder of a run (the bot then uses the run's best checkpoint), or a built-in model such as
// "box:onitama". The name may end with changes of settings, as in "box:onitama#cpuct=2"; see
// box.Open.
func Load(name string) (*Bot, error) {
	c, err := box.Open(name)
	if err != nil {
		return nil, fmt.Errorf("bot: %w", err)
	}
	return New(c)
}

// New returns a bot for a checkpoint. The network computes with 8-bit integers if the checkpoint
// supports this, and otherwise with floats.
func New(c *model.Checkpoint) (*Bot, error) {
	game, err := games.Of(c)
	if err != nil {
		return nil, fmt.Errorf("bot: %w", err)
	}
	options, err := think.Model(c, model.Best)
	if err != nil {
		return nil, fmt.Errorf("bot: %w", err)
	}
	return &Bot{Simulations: DefaultSimulations, game: game, search: options.Search, thinker: think.New(game.Game, options)}, nil
}

// Game returns the game that the bot plays. Its Parse function reads positions.
func (b *Bot) Game() engine.Game { return b.game.Game.Game }

// Choose searches p and returns the best action that it found. It returns an error if the game is
// over in p.
func (b *Bot) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if p.Outcome() != engine.Ongoing {
		return 0, fmt.Errorf("bot: the game is over in %q", p)
	}
	budget := think.Budget{Visits: max(1, b.Simulations)}
	if b.MoveTime > 0 {
		budget = think.Budget{Time: b.MoveTime}
	} else if err := memory.Check(b.game.Bytes(b.search, budget.Visits, true), "%d simulations of %s", budget.Visits, b.game.Name); err != nil {
		return 0, fmt.Errorf("bot: %w", err)
	}
	if _, err := b.thinker.Think(ctx, p, budget); err != nil {
		return 0, fmt.Errorf("bot: %w", err)
	}
	return b.thinker.Choose(), nil
}

// Move is like Choose, but reads the position from text and returns the action as text, both in the
// game's notation.
func (b *Bot) Move(ctx context.Context, position string) (string, error) {
	p, err := b.game.Parse(position)
	if err != nil {
		return "", fmt.Errorf("bot: %w", err)
	}
	a, err := b.Choose(ctx, p)
	if err != nil {
		return "", err
	}
	return p.ActionString(a), nil
}
