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

// Env holds what Parse needs to create players.
type Env struct {
	Game      mcts.Game
	AlphaBeta func() alphabeta.Searcher
	// Tables reports whether the game has tables of endings, which a player MODEL#tables needs.
	Tables bool
	Clock  *Clock // time limit for external programs; nil means no limit

	// Exists reports whether there is a file or a folder at path. SplitName uses it to split names.
	Exists func(path string) bool

	// Load loads the checkpoint at path.
	Load func(path string) (*model.Checkpoint, error)

	// Reads returns the game as a checkpoint reads it; see games.Entry.ReadBy. If it is nil, every
	// checkpoint reads Game.
	Reads func(c *model.Checkpoint) (mcts.Game, error)

	// Simulations is the number of simulations for a model whose name contains neither a number of
	// simulations nor a time.
	Simulations int
	// WithTables makes all models use the tables of endings, as if their names contained #tables.
	WithTables bool
}

// Box is the name of the built-in model (a trained model in the program) for the game. It stands
// where other names have the path of a model. box:GAME is the built-in model for another game.
const Box = "box"

// InFloats, in a player's name, makes the model compute in floats instead of 8-bit integers.
const InFloats = "#" + string(model.Float32)

// These constants limit the numbers in the names of players. A search of MostSimulations
// simulations takes up to a few gigabytes in a game with hundreds of legal actions.
const (
	MostSimulations = 1_000_000
	mostDepth       = 100
	mostNodes       = 1_000_000_000
)

// programPrefix is the beginning of the name of a player that is an external program.
const programPrefix = "cmd:"

// A form describes how the names of one kind of player look: a word, or a prefix that ends with a
// colon or @ and is followed by an argument.
type form struct {
	prefix, argument string
	make             func(argument string, env Env) (Contestant, error)
}

// forms lists the forms of the names of all players that do not use a model.
var forms = []form{
	{"random", "", func(string, Env) (Contestant, error) { return Random(), nil }},
	{"greedy", "", func(string, Env) (Contestant, error) { return Greedy(), nil }},
	{"mcts:", "SIMULATIONS", searchOf(nil)},
	{"mcts@", "TIME", func(limit string, env Env) (Contestant, error) {
		t, err := parseTime(limit)
		return MCTS(env.Game, think.Options{}, think.Budget{Time: t}), err
	}},
	{"alphabeta:", "DEPTH", func(depth string, env Env) (Contestant, error) {
		n, err := parseCount(depth, mostDepth)
		return AlphaBeta(env.AlphaBeta, alphabeta.Limit{Depth: n}, 0), err
	}},
	{"alphabeta@", "TIME|NODESn", func(limit string, env Env) (Contestant, error) {
		if nodes, ok := strings.CutSuffix(limit, "n"); ok {
			n, err := parseCount(nodes, mostNodes)
			return AlphaBeta(env.AlphaBeta, alphabeta.Limit{Nodes: n}, 0), err
		}
		t, err := parseTime(limit)
		if err != nil {
			err = nameErrorf("%q is neither a time, such as 30ms, nor a number of nodes, such as 20000n", limit)
		}
		return AlphaBeta(env.AlphaBeta, alphabeta.Limit{}, t), err
	}},
	{"uniform:", "SIMULATIONS", searchOf(model.Uniform)},
	{programPrefix, "PROGRAM", func(program string, env Env) (Contestant, error) {
		return External(env.Game.Game, program, env.Clock)
	}},
}

// formOf returns the form of a player's name and the argument in it. ok is false if the player uses
// a model.
func formOf(player string) (f form, argument string, ok bool) {
	for _, f := range forms {
		rest, found := strings.CutPrefix(player, f.prefix)
		if found && (f.argument != "" || rest == "") {
			return f, rest, true
		}
	}
	return f, "", false
}

// Prefixes lists the words and prefixes with which the names of players begin, except names that
// begin with the path of a model. A prefix that ends with a colon or @ is followed by an argument.
func Prefixes() (all []string) {
	for _, f := range forms {
		all = append(all, f.prefix)
	}
	return append(all, Box)
}

// IsProgram reports whether a player is an external program.
func IsProgram(player string) bool { return strings.HasPrefix(player, programPrefix) }

// A NameError is the error for a malformed player name. Other errors of Parse mean that the player
// cannot be created.
type NameError struct{ error }

func nameErrorf(format string, args ...any) error { return NameError{fmt.Errorf(format, args...)} }

// Parse creates the player that text names. The returned player's name is complete: if text
// contains no number of simulations, Parse adds env.Simulations. The comment on [ModelName]
// describes the name of a model. These changes may follow the name of a model, in any combination:
//
//	#float32     compute in floats instead of 8-bit integers
//	#tables      use the game's tables of endings
//	#visits      play the most visited move
//	#tree        search a tree instead of a graph
//	#random=0.3  play three of ten moves at random
//	#cpuct=2     change a constant of the search; see mcts.Config.Constant
//
// The name of an external program may include its protocol, as in cmd:codingame:./bot.
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

// parseTime parses a time above 0.
func parseTime(text string) (time.Duration, error) {
	t, err := time.ParseDuration(text)
	if err != nil || t <= 0 {
		return 0, nameErrorf("%q is not a time above 0, such as 30ms", text)
	}
	return t, nil
}

// searchOf returns a function that creates players that search with evaluator e. If e is nil, the
// players search with random playouts.
func searchOf(e model.Evaluator) func(simulations string, env Env) (Contestant, error) {
	return func(simulations string, env Env) (Contestant, error) {
		n, err := parseCount(simulations, MostSimulations)
		return MCTS(env.Game, think.Options{Evaluator: e}, think.Budget{Visits: n}), err
	}
}

// errNoPlayer returns the error for a name that no player has. It explains how players are named.
func errNoPlayer(player string) error {
	names := ""
	for _, f := range forms {
		names += f.prefix + f.argument + ", "
	}
	return nameErrorf("no player is called %q; a player is %sMODEL or box; MODEL is the path of a checkpoint or a run; after MODEL or box, add changes such as #float32, #tables, #visits, #tree, #random=0.3 or a constant such as #cpuct=2, and then :SIMULATIONS from 1 to %d or @TIME, such as @30ms", player, names, MostSimulations)
}

// ModelPath returns the path of the model in a player's name if the path tells which game to play,
// that is, if it is box:GAME or a path that exists. It returns "" for other players and for a plain
// "box", which does not name its game.
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

// Portable returns an error if a player might not play the same on another machine. This concerns
// external programs, which exist only on this machine, and players whose time is limited. exists
// has the same meaning as in [SplitName].
func Portable(player string, exists func(path string) bool) error {
	if IsProgram(player) {
		return fmt.Errorf("player %q is a program on this machine; other machines do not have it", player)
	}
	var timed bool
	if f, argument, ok := formOf(player); ok {
		_, err := time.ParseDuration(argument)
		timed = err == nil && strings.HasSuffix(f.prefix, "@")
	} else {
		m, err := SplitName(player, exists)
		timed = err == nil && m.Budget.Time > 0 // a malformed name is reported by Parse, not here
	}
	if timed {
		return fmt.Errorf("player %q is limited by time and would play differently on another machine; give it a number of simulations instead", player)
	}
	return nil
}

// Change applies the changes in a model player's name to opt. Each change begins with #. Change
// reports whether all of them are valid.
func Change(opt *think.Options, changes string) bool {
	for _, c := range strings.Split(changes, "#")[1:] {
		key, value, constant := strings.Cut(c, "=")
		switch {
		case "#"+c == InFloats: // newModel handles this change, because it concerns the evaluator and not opt
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

// parseModel creates a player that uses a model.
func parseModel(text string, env Env) (c Contestant, err error) {
	m, err := SplitName(text, env.Exists)
	if err != nil {
		return c, err
	}
	// If the text looks like a path, leave the error to Load, which says what is wrong with it.
	if !strings.ContainsAny(text, "./\\") && !isBox(m.Path) && (env.Exists == nil || !env.Exists(m.Path)) {
		return c, errNoPlayer(text)
	}
	if !env.Tables && strings.Contains(m.Changes, "#tables") {
		return c, nameErrorf("player %q: there are no tables of endings for %s", text, env.Game.Name)
	}
	checkpoint, err := env.Load(m.Path)
	if err != nil {
		return c, err
	}
	game := env.Game
	if env.Reads != nil {
		if game, err = env.Reads(checkpoint); err != nil {
			return c, err
		}
	}
	if m.Budget == (think.Budget{}) {
		m.Budget.Visits = env.Simulations
	}
	if env.WithTables {
		m.Changes += "#tables"
	}
	if c, err = newModel(game, m, checkpoint); errors.As(err, new(NameError)) {
		err = nameErrorf("player %q: %w", text, err)
	}
	return c, err
}

// Model returns a player that uses a checkpoint. name is the path that the player's name contains.
func Model(game mcts.Game, name string, c *model.Checkpoint, b think.Budget) (Contestant, error) {
	return newModel(game, ModelName{Path: name, Budget: b}, c)
}

// newModel creates a player from a model. The error is a NameError if a change in the name sets an
// impossible value.
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
		// Older programs played such a model (without Players) with its training constants, and
		// logged the games under an id without constants. Today it plays with other constants, so
		// it needs a new id.
		c.Constants = think.Record(think.Players())
	}
	c.Player = c.NameWith(m.Path)
	return c, nil
}
