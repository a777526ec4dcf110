package arena

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"dojo.example/model"
	"dojo.example/search/alphabeta"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Env has what Parse needs to make players.
type Env struct {
	Game      mcts.Game
	AlphaBeta func() alphabeta.Searcher
	Tables    bool   // the game has tables of endings, so that MODEL#tables may play
	Clock     *Clock // limits the time of external programs; nil for no limit

	// Exists reports whether there is a file or a folder at a path. Names are split with it; see SplitName.
	Exists func(path string) bool

	// Load loads the checkpoint at a path.
	Load func(path string) (*model.Checkpoint, error)

	Simulations int  // of a checkpoint whose name says neither simulations nor a time
	WithTables  bool // all models know the endings of the game, as by #tables
}

// Box, in place of MODEL, stands for the bot in the box of the game; box:GAME for that of GAME.
const Box = "box"

// InFloats, after the path of a model, lets it play in floats instead of 8 bits.
const InFloats = "#" + string(model.Float32)

// The largest numbers in the names of players. A search of MostSimulations takes up to a few
// gigabytes in a game with hundreds of legal actions.
const (
	MostSimulations = 1_000_000
	mostDepth       = 100
	mostNodes       = 1_000_000_000
)

// programPrefix begins the name of a player that is another program.
const programPrefix = "cmd:"

// A form is how players of a kind are named: by a word, or by a prefix that ends with a colon or
// @, and an argument.
type form struct {
	prefix, argument string
	make             func(argument string, env Env) (Contestant, error)
}

// forms are those of players that are not models.
var forms = []form{
	{"random", "", func(string, Env) (Contestant, error) { return Random(), nil }},
	{"greedy", "", func(string, Env) (Contestant, error) { return Greedy(), nil }},
	{"mcts:", "SIMULATIONS", searchOf(nil)},
	{"alphabeta:", "DEPTH", func(depth string, env Env) (Contestant, error) {
		n, err := parseCount(depth, mostDepth)
		return AlphaBeta(env.AlphaBeta, alphabeta.Limit{Depth: n}, 0), err
	}},
	{"alphabeta@", "TIME|NODESn", func(limit string, env Env) (Contestant, error) {
		if nodes, ok := strings.CutSuffix(limit, "n"); ok {
			n, err := parseCount(nodes, mostNodes)
			return AlphaBeta(env.AlphaBeta, alphabeta.Limit{Nodes: n}, 0), err
		}
		t, err := time.ParseDuration(limit)
		if err != nil || t <= 0 {
			err = nameErrorf("%q is neither a time, such as 30ms, nor a number of nodes, such as 20000n", limit)
		}
		return AlphaBeta(env.AlphaBeta, alphabeta.Limit{}, t), err
	}},
	{"uniform:", "SIMULATIONS", searchOf(model.Uniform)},
	{programPrefix, "PROGRAM", func(program string, env Env) (Contestant, error) {
		return External(env.Game.Game, program, env.Clock)
	}},
}

// formOf finds the form of a player that is not a model.
func formOf(player string) (f form, argument string, ok bool) {
	for _, f := range forms {
		rest, found := strings.CutPrefix(player, f.prefix)
		if found && (f.argument != "" || rest == "") {
			return f, rest, true
		}
	}
	return f, "", false
}

// Prefixes lists the beginnings of the names of players that are not files. One that ends with a
// colon or @ is followed by an argument.
func Prefixes() (all []string) {
	for _, f := range forms {
		all = append(all, f.prefix)
	}
	return append(all, Box)
}

// IsProgram reports whether a player is another program.
func IsProgram(player string) bool { return strings.HasPrefix(player, programPrefix) }

// A NameError is the error for a name that is not of the form of a player's name. Other errors
// of Parse are about a player that cannot be made.
type NameError struct{ error }

func nameErrorf(format string, args ...any) error { return NameError{fmt.Errorf(format, args...)} }

// Parse makes the player with the name text. The name that it gets is complete: it has the number
// of simulations if text leaves it out. A program may be given its protocol, as in
// cmd:codingame:./bot. MODEL#float32 plays in floats, MODEL#tables knows the endings of a game that
// has tables of them, MODEL#visits plays the most visited move, MODEL#tree
// searches a tree in place of a graph, MODEL#random=0.3 plays three of ten
// moves at random, and MODEL#cpuct=2 has another constant of the search (see mcts.Config.Constant);
// several may follow each other. ModelName has the grammar.
func Parse(text string, env Env) (c Contestant, err error) {
	f, argument, ok := formOf(text)
	if !ok {
		return parseModel(text, env)
	}
	if c, err = f.make(argument, env); err != nil {
		return c, fmt.Errorf("player %q: %w", text, err)
	}
	c.Player = text
	return c, nil
}

// parseCount parses a number from 1 to most.
func parseCount(text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, nameErrorf("%q is not a number from 1 to %d", text, most)
	}
	return n, nil
}

// searchOf makes players that search with an evaluator, or with playouts if it is nil.
func searchOf(e model.Evaluator) func(simulations string, env Env) (Contestant, error) {
	return func(simulations string, env Env) (Contestant, error) {
		n, err := parseCount(simulations, MostSimulations)
		return MCTS(env.Game, think.Options{Evaluator: e}, think.Budget{Visits: n}), err
	}
}

// errNoPlayer explains the names of players.
func errNoPlayer(player string) error {
	names := ""
	for _, f := range forms {
		names += f.prefix + f.argument + ", "
	}
	return nameErrorf("no player is called %q; a player is %sMODEL or box, MODEL being the path of a checkpoint or a run; after MODEL or box stand #float32, #tables, #visits, #tree, #random=0.3 or a constant such as #cpuct=2, and then :SIMULATIONS from 1 to %d or @TIME, such as @30ms", player, names, MostSimulations)
}

// ModelPath returns the path in the name of a player that is a model from which the game
// follows: box:GAME, or a path that exists. It returns "" for other players and for the bot in
// the box of a game that the name leaves out.
func ModelPath(player string) (path string, err error) {
	if _, _, ok := formOf(player); ok {
		return "", nil
	}
	m, err := SplitName(player, Exists)
	switch {
	case err != nil || m.Path == Box:
		return "", err
	case !isBox(m.Path) && !Exists(m.Path):
		return "", errNoPlayer(player)
	}
	return m.Path, nil
}

// Portable returns an error if a player would not play the same on another machine: programs of
// this one and players by the clock. Its name is split as by [SplitName].
func Portable(player string, exists func(path string) bool) error {
	if IsProgram(player) {
		return fmt.Errorf("player %q is a program of this machine, which others have not", player)
	}
	var timed bool
	if f, argument, ok := formOf(player); ok {
		_, err := time.ParseDuration(argument)
		timed = err == nil && strings.HasSuffix(f.prefix, "@")
	} else {
		m, err := SplitName(player, exists)
		timed = err == nil && m.Budget.Time > 0 // Parse reports the error
	}
	if timed {
		return fmt.Errorf("player %q plays by the clock, and would not play the same on another machine: give it simulations", player)
	}
	return nil
}

// Change makes the changes of a model's player, each with its #, and reports whether there are such
// changes.
func Change(opt *think.Options, changes string) bool {
	for _, c := range strings.Split(changes, "#")[1:] {
		key, value, constant := strings.Cut(c, "=")
		switch {
		case "#"+c == InFloats: // it is the evaluator's
		case c == "tables":
			opt.Search.Tactics.Tables = true
		case c == "tree":
			opt.Search.Graph = false
		case c == "visits":
			opt.Search.Final = mcts.Visits
		case constant:
			x, err := strconv.ParseFloat(value, 32)
			at := opt.Search.Constant(key)
			if key == "random" && x >= 0 && x <= 1 {
				at = &opt.Random
			}
			if err != nil || at == nil {
				return false
			}
			*at = float32(x)
		default:
			return false
		}
	}
	return true
}

// parseModel makes a player that is a model.
func parseModel(text string, env Env) (c Contestant, err error) {
	m, err := SplitName(text, env.Exists)
	if err != nil {
		return c, err
	}
	if !strings.ContainsAny(text, "./\\") && !isBox(m.Path) && (env.Exists == nil || !env.Exists(m.Path)) { // otherwise Load says what is wrong with the path
		return c, errNoPlayer(text)
	}
	if !env.Tables && strings.Contains(m.Changes, "#tables") {
		return c, nameErrorf("player %q: there are no tables of endings for %s", text, env.Game.Name)
	}
	checkpoint, err := env.Load(m.Path)
	if err != nil {
		return c, err
	}
	if m.Budget == (think.Budget{}) {
		m.Budget.Visits = env.Simulations
	}
	if env.WithTables {
		m.Changes += "#tables"
	}
	if c, err = newModel(env.Game, m, checkpoint); errors.As(err, new(NameError)) {
		err = nameErrorf("player %q: %w", text, err)
	}
	return c, err
}

// Model is a checkpoint with a name as a player.
func Model(game mcts.Game, name string, c *model.Checkpoint, b think.Budget) (Contestant, error) {
	return newModel(game, ModelName{Path: name, Budget: b}, c)
}

// newModel makes a player of a model. The error is a NameError if a change is to an impossible value.
func newModel(game mcts.Game, m ModelName, checkpoint *model.Checkpoint) (c Contestant, err error) {
	precision := model.Best
	if strings.Contains(m.Changes, InFloats) {
		precision = model.Float32
	}
	opt, err := think.Model(checkpoint, precision)
	if err != nil {
		return c, err
	}
	Change(&opt, m.Changes)
	if err := opt.Search.Validate(); err != nil {
		return c, NameError{err}
	}
	c = MCTS(game, opt, m.Budget)
	c.Model, c.Constants, c.Checkpoint, c.Changes = checkpoint.Hash(), checkpoint.Players, checkpoint, m.Changes
	trained, err := think.Trained(checkpoint.Meta)
	if err != nil {
		return c, err
	}
	if c.Constants == "" && trained != (mcts.Constants{}) && trained != mcts.Default().Constants {
		// Older programs played such a model with the constants that it was trained with. Those games
		// in a match log are another player's.
		c.Constants = think.Record(think.Players())
	}
	c.Player = c.NameWith(m.Path)
	return c, nil
}
