package measure

import (
	"context"
	"fmt"

	"dojo.example/arena"
	"dojo.example/cluster"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/model"
	"dojo.example/models"
	"dojo.example/play/terminal"
	"dojo.example/think"
)

// SelfPath stands for the path of the model that is measured, in the names of players. No file
// has such a name.
const SelfPath = "./\x00"

// A Contender is a player of matches that a match log keeps.
type Contender struct {
	arena.Contestant // as the log knows it

	Name     string // as it is shown
	Portable string // as workers are told of it; see [arena.Portable]
	Maker    arena.Maker
}

// NewContender makes the player that is named text; see [arena.Parse].
func NewContender(game games.Entry, text string, simulations int) (c Contender, err error) {
	players := models.Env(game, simulations, nil)
	players.Load = func(path string, precision model.Precision) (think.Options, error) {
		m, err := models.OpenFor(game.Game.Game, path)
		if err != nil {
			return think.Options{}, err
		}
		c.Model = m.Hash()
		return think.Model(m, precision)
	}
	c.Maker, c.Name, err = arena.Parse(text, players)
	c.Player, c.Portable = c.Name, text
	return c, err
}

// An Evaluation measures a model or another player.
type Evaluation struct {
	Settings
	Output console.Output
	File   string // of the match log; "" keeps it in memory

	Game  games.Entry
	Model think.Options
	Name  string // the model's

	// Join lets workers join, if somebody asked for them; it returns nil if not. Self is the
	// model at [SelfPath]; nil if there is none.
	Join func(ctx context.Context, game games.Entry, self *model.Checkpoint) (*cluster.Matches, error)

	log *arena.MatchLog
}

// helped does work while workers may join; see Join.
func (e *Evaluation) helped(ctx context.Context, self *model.Checkpoint, work func() error) (err error) {
	if e.Remote, err = e.Join(ctx, e.Game, self); err != nil {
		return err
	}
	err = work()
	e.Remote.Close(err == nil)
	return err
}

// Usual are opponents of growing strength, in lists: the next one of a list is played if the one
// before was beaten clearly, so that a strong player is measured against its like.
var Usual = [][]string{{"random"}, {"greedy"}, {"mcts:1000", "mcts:10000", "mcts:100000"}, {"alphabeta:3", "alphabeta:5", "alphabeta@20000n", "alphabeta@200000n"}}

// clearly is the score from which on the next opponent of a list is played.
const clearly = 0.9

// Opponents plays a player against others, given in lists as in [Usual], and prints the ladder
// if there is one. Self is the player's model, if it is at SelfPath.
func (e *Evaluation) Opponents(ctx context.Context, player Contender, self *model.Checkpoint, against [][]string) error {
	if err := e.openLog(); err != nil {
		return err
	}
	lists := make([][]Contender, len(against))
	for i, list := range against { // all, before any game is played
		for _, text := range list {
			c, err := NewContender(e.Game, text, e.Simulations)
			if err != nil {
				return err
			}
			if e.File != "" && c.Same(player.Contestant) {
				fmt.Fprintf(e.Output.Err, "%s is the same player as %s, and is left out: no ladder rates a player against itself\n", c.Name, player.Name)
				continue
			}
			lists[i] = append(lists[i], c)
		}
	}
	if !e.Output.JSON {
		fmt.Fprintf(e.Output.Out, "%s, model %s\n%s\n", e.Game.Name, player.Name, terminal.ResultHeader("against"))
	}
	err := e.helped(ctx, self, func() error {
		for _, list := range lists {
			if err := e.climb(ctx, player, list); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || e.File == "" {
		return err
	}
	if !e.Output.JSON {
		fmt.Fprintln(e.Output.Out)
	}
	return e.printLadder()
}

// climb plays a player against a list of others until one is not beaten clearly.
func (e *Evaluation) climb(ctx context.Context, player Contender, list []Contender) error {
	for _, other := range list {
		result, err := e.meet(ctx, player, other)
		if err != nil {
			return err
		}
		if err := e.show(player.Name, other.Name, result); err != nil || result.Score() < clearly {
			return err
		}
	}
	return nil
}

// show prints the result of a match.
func (e *Evaluation) show(name, opponent string, result arena.Result) error {
	if e.Output.JSON {
		return e.Output.PrintJSON(result.Summary(name, opponent))
	}
	_, err := fmt.Fprintln(e.Output.Out, terminal.ResultLine(opponent, result))
	return err
}
