// Package bot plays with a trained model: load it, ask for a move.
//
//	b, err := bot.Load("runs/onitama-quick")
//	if err != nil {
//		return err
//	}
//	move, err := b.Move(ctx, position)
//
// Models have the names that they have everywhere: a checkpoint, a run, or the bot in the box of
// a game, such as "box:onitama". These bots are part of every program that uses this package, with
// about 6 MB.
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

// Bot is a model that plays. It keeps its search tree from one move of a game to the next.
// Only one goroutine may use it, and games that are played at the same time need a bot each.
type Bot struct {
	// Simulations is the number of root visits of a search, if MoveTime is 0.
	Simulations int

	// MoveTime is how long a search takes; 0 if Simulations limits it instead.
	MoveTime time.Duration

	game    games.Entry
	search  mcts.Config
	thinker *think.Thinker
}

// DefaultSimulations is the number of simulations of a new Bot: enough for good play, and a
// fraction of a second for a move.
const DefaultSimulations = 200

// Load reads a checkpoint, the best one of a run's folder, or the bot in the box of a game, as in
// "box:onitama". The name may end with changes, as in "box:onitama#cpuct=2"; see box.Open.
func Load(name string) (*Bot, error) {
	c, err := box.Open(name)
	if err != nil {
		return nil, fmt.Errorf("bot: %w", err)
	}
	return New(c)
}

// New makes a bot of a checkpoint. Its network computes in 8 bits if the checkpoint can do
// that, and otherwise in floats.
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

// Game is the game that the bot plays: its Parse reads positions.
func (b *Bot) Game() engine.Game { return b.game.Game.Game }

// Choose searches p, in which the game is not over, and returns the best
// action found.
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

// Move is Choose with the position and the answer in the game's notation.
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
