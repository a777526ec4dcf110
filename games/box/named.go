package box

import (
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// BoxPrefix begins the name of the bot in the box of a game, as in box:onitama.
const BoxPrefix = arena.Box + ":"

// split splits the name of a model. Whoever opens the model reports what is wrong with the name.
func split(name string) arena.ModelName {
	n, _ := arena.SplitName(name, arena.Exists)
	return n
}

// Boxed returns the game of a name that is the bot in its box.
func Boxed(name string) (game string, ok bool) { return split(name).Boxed() }

// Base is a name without what changes the model: MODEL of MODEL#float32.
func Base(name string) string { return split(name).Path }

// Path returns the file of a named model: the name itself, or the best of the run there.
func Path(name string) (string, error) {
	return rundir.ModelFile(Base(name))
}

// RunOf returns the run that a named model is the best of, or lies in; "" if there is none.
func RunOf(name string) rundir.Folder {
	name = Base(name)
	if file, err := rundir.ModelFile(name); err == nil && file != name {
		return rundir.Folder(name)
	}
	return rundir.Of(name)
}

// Open reads a model that a user names: a checkpoint, the best one of a run, or the bot in the box
// of a game. After the name, "#float32" leaves out what the model needs to play in 8 bits, and
// "#cpuct=2" gives it another constant of the search. [arena.ModelName] describes such names; a
// budget, which they may have too, is for players only.
func Open(name string) (c *model.Checkpoint, err error) {
	n := split(name)
	if game, ok := n.Boxed(); ok {
		c, err = Load(game)
	} else {
		var path string
		if path, err = rundir.ModelFile(n.Path); err != nil {
			return nil, err
		}
		c, err = model.Load(path)
	}
	if err == nil && n.Budget != (think.Budget{}) {
		err = fmt.Errorf("model %q: simulations or a time after the name are for players of matches; leave out what follows %s", name, n.Path+n.Changes)
	}
	if err == nil {
		err = change(c, name, n.Changes)
	}
	return c, err
}

// change makes the changes that follow a model's name, each with its #.
func change(c *model.Checkpoint, name, changes string) error {
	if changes == "" {
		return nil
	}
	search, err := think.Constants(c.Meta)
	if err != nil {
		return err
	}
	opt := think.Options{Search: search}
	if !arena.Change(&opt, changes) || opt.Search.Tactics.Tables || !opt.Search.Graph || opt.Random != 0 {
		return fmt.Errorf("model %q: after the name stand #float32, #visits or a constant of the search, such as #cpuct=2", name)
	}
	if err := opt.Search.Validate(); err != nil {
		return fmt.Errorf("model %q: %w", name, err)
	}
	if strings.Contains(changes, arena.InFloats) {
		c.Ranges = nil
	}
	c.Players = think.Record(opt.Search.Constants)
	return nil
}

// OpenFor is Open for a model that is to play a game. There "box" is the bot in the game's box.
func OpenFor(game engine.Game, name string) (*model.Checkpoint, error) {
	if name == arena.Box {
		name = BoxPrefix + game.Name
	}
	c, err := Open(name)
	if err != nil {
		return nil, err
	}
	if err := c.Check(game.Spec); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return c, nil
}

// Env returns what the players of a game are made from. A model whose name has no number
// searches with the given simulations; programs are held to the clock, if it is not nil.
func Env(game games.Entry, simulations int, clock *arena.Clock) arena.Env {
	return arena.Env{
		Game:        game.Game,
		AlphaBeta:   game.AlphaBeta,
		Tables:      game.Tables,
		Simulations: simulations,
		Clock:       clock,
		Load:        func(name string) (*model.Checkpoint, error) { return OpenFor(game.Game.Game, name) },
		Exists:      arena.Exists,
	}
}

// Mark returns the bot in the box of a game as a player with a number of simulations: a fixed
// opponent for the models of all runs. It is nil if the box has no bot for the game as it is
// configured.
func Mark(game mcts.Game, simulations int) (*arena.Contestant, error) {
	if !Has(game.Name) {
		return nil, nil
	}
	c, err := Load(game.Name)
	if err != nil || c.Check(game.Spec) != nil {
		return nil, err
	}
	options, err := think.Model(c, model.Int8)
	if err != nil {
		return nil, err
	}
	player := arena.MCTS(game, options, think.Budget{Visits: simulations})
	player.Player = "box " + c.Hash()
	return &player, nil
}
