package box

import (
	"fmt"
	"strings"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/games"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// BoxPrefix begins the name of a built-in model, as in box:onitama.
const BoxPrefix = arena.Box + ":"

// split parses the name of a model. It ignores errors in the name; the code that opens the model
// reports them.
func split(name string) arena.ModelName {
	n, _ := arena.SplitName(name, arena.Exists)
	return n
}

// Boxed returns the game in the name of a built-in model, such as box:onitama. ok is false if it is
// not the name of a built-in model.
func Boxed(name string) (game string, ok bool) { return split(name).Boxed() }

// Base returns the name of a model without suffixes that change how it plays. For example, it
// returns MODEL for MODEL#float32.
func Base(name string) string { return split(name).Path }

// Path returns the file of a named model. It returns the name itself, unless the name is a run. For
// a run, it returns the file of the best model in the run.
func Path(name string) (string, error) {
	return rundir.ModelFile(Base(name))
}

// RunOf returns the folder of the run to which a named model belongs. The name may be the run
// itself or a file in its folder. RunOf returns "" if the model belongs to no run.
func RunOf(name string) rundir.Folder {
	name = Base(name)
	if file, err := rundir.ModelFile(name); err == nil && file != name {
		return rundir.Folder(name)
	}
	return rundir.Of(name)
}

// Open loads a model by the name that a user gives. The name is a checkpoint file, a run (Open
// loads its best model), or box:GAME for the built-in model of a game. Changes may follow the name:
// with "#float32" the model computes in floats instead of 8 bits, and "#cpuct=2" sets a constant of
// the search. See [arena.ModelName] for such names. A budget in the name is an error, because only
// players of matches have a budget.
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
		err = fmt.Errorf("model %q: only players of matches take simulations or a time after the name; write %q instead", name, n.Path+n.Changes)
	}
	if err == nil {
		err = change(c, name, n.Changes)
	}
	return c, err
}

// change applies the changes that follow a model's name, such as "#float32#cpuct=2".
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
		return fmt.Errorf("model %q: only #float32, #visits and constants of the search, such as #cpuct=2, may follow the name", name)
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

// openFor loads a model like Open, and checks that it can play the game. The name "box" stands for
// the built-in model of the game.
func openFor(game games.Entry, name string) (*model.Checkpoint, error) {
	if name == arena.Box {
		name = BoxPrefix + game.Name
	}
	c, err := Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := game.ReadBy(c); err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return c, nil
}

// Env returns what package arena needs to create players of a game from their names. A player whose
// name gives no number of simulations uses the parameter simulations. If clock is not nil, it
// limits the time of external programs.
func Env(game games.Entry, simulations int, clock *arena.Clock) arena.Env {
	return arena.Env{
		Game:        game.Game,
		AlphaBeta:   game.AlphaBeta,
		Tables:      game.Tables,
		Simulations: simulations,
		Clock:       clock,
		Load:        func(name string) (*model.Checkpoint, error) { return openFor(game, name) },
		Reads:       game.ReadBy,
		Exists:      arena.Exists,
	}
}

// Mark returns a player that uses the built-in model of a game with the given number of
// simulations. It serves as a fixed opponent for the models of all runs. Mark returns nil if the
// game has no built-in model for its current options.
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
