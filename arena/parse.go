package arena

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo.example/alphabeta"
	"dojo.example/mcts"
	"dojo.example/model"
	"dojo.example/think"
)

// Env has what Parse needs to make players.
type Env struct {
	Game      mcts.Game
	AlphaBeta func() alphabeta.Searcher
	Tables    bool   // the game has tables of endings, so that MODEL#tables may play
	Clock     *Clock // limits the time of external programs; nil for no limit

	// Load loads the checkpoint at a path, and says how it is searched.
	Load func(path string, precision model.Precision) (think.Options, error)

	Simulations int // of a checkpoint whose name says neither simulations nor a time
}

// Box, in place of MODEL, stands for the bot in the box of the game; box:GAME for that of GAME.
const Box = "box"

// Forms says how players are named. A PROGRAM may be given its protocol, as in
// cmd:codingame:./bot. MODEL#float32 plays in floats, MODEL#tables knows the endings of a game
// that has tables of them, MODEL#visits plays the most visited move, MODEL#random=0.3 plays three of ten
// moves at random, and MODEL#cpuct=2 has another constant of the search (see
// mcts.Config.Constant); several may follow each other.
const Forms = "random, greedy, mcts:SIMULATIONS, alphabeta:DEPTH, alphabeta@TIME, alphabeta@NODESn, uniform:SIMULATIONS, MODEL[:SIMULATIONS], MODEL@TIME, box[:SIMULATIONS], box@TIME or cmd:PROGRAM"

// Prefixes lists the beginnings of the names of players that are not models. One that ends
// with a colon or @ is followed by an argument.
func Prefixes() []string {
	return []string{"random", "greedy", "mcts:", "alphabeta:", yardstickPrefix, "uniform:", Box, programPrefix}
}

// What may stand after the path of a model: that it plays in floats instead of 8 bits, that it
// knows the endings of its game (see mcts.Tactics), which must have tables of them, or that it
// plays the most visited move (see mcts.Config.Final).
const (
	InFloats   = "#" + string(model.Float32)
	withTables = "#tables"
	byVisits   = "#visits"
)

// The largest numbers in the names of players. A search of MostSimulations takes up to a few
// gigabytes in a game with hundreds of legal actions.
const (
	MostSimulations = 1_000_000
	mostDepth       = 100
	mostNodes       = 1_000_000_000
)

// yardstickPrefix begins the name of the player of package alphabeta with a limit of time or nodes.
const yardstickPrefix = "alphabeta@"

// programPrefix begins the name of a player that is another program.
const programPrefix = "cmd:"

// IsProgram reports whether a player is another program.
func IsProgram(player string) bool { return strings.HasPrefix(player, programPrefix) }

// A NameError is the error for a name that is not of the form of a player's name. Other errors
// of Parse are about a player that cannot be made.
type NameError struct{ error }

func nameErrorf(format string, args ...any) error { return NameError{fmt.Errorf(format, args...)} }

// Parse makes the player with the name text; see Forms. It also returns the complete name,
// with the number of simulations if text leaves it out.
func Parse(text string, env Env) (Maker, string, error) {
	kind, argument, _ := strings.Cut(text, ":")
	switch {
	case text == "random":
		return Random(), text, nil
	case text == "greedy":
		return Greedy(), text, nil
	case IsProgram(text):
		maker, err := External(env.Game.Game, argument, env.Clock)
		return maker, text, err
	case strings.HasPrefix(text, "alphabeta:"), strings.HasPrefix(text, yardstickPrefix):
		limit, err := parseAlphaBetaBudget(text)
		return AlphaBeta(env.AlphaBeta, limit), text, err
	case strings.HasPrefix(text, "mcts:"), strings.HasPrefix(text, "uniform:"):
		n, err := parseCount(text, argument, MostSimulations)
		opt := think.Options{}
		if kind == "uniform" {
			opt.Evaluator = model.Uniform
		}
		return MCTS(env.Game, opt, think.Budget{Visits: n}), text, err
	}
	return parseModel(text, env)
}

// parseCount parses a number, from 1 to most, in a player's name.
func parseCount(player, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, nameErrorf("player %q: %q is not a number from 1 to %d", player, text, most)
	}
	return n, nil
}

// parseAlphaBetaBudget parses the budget in alphabeta:5, alphabeta@30ms and alphabeta@20000n.
func parseAlphaBetaBudget(player string) (b AlphaBetaBudget, err error) {
	text, limited := strings.CutPrefix(player, yardstickPrefix)
	if !limited {
		b.Depth, err = parseCount(player, strings.TrimPrefix(player, "alphabeta:"), mostDepth)
		return b, err
	}
	if nodes, ok := strings.CutSuffix(text, "n"); ok {
		b.Nodes, err = parseCount(player, nodes, mostNodes)
		return b, err
	}
	if b.Time, err = time.ParseDuration(text); err != nil || b.Time <= 0 {
		return b, nameErrorf("player %q: %q is neither a time, such as 30ms, nor a number of nodes, such as 20000n", player, text)
	}
	return b, nil
}

// parseModel makes the player MODEL[#CHANGE…][:SIMULATIONS] or MODEL[#CHANGE…]@TIME.
func parseModel(text string, env Env) (Maker, string, error) {
	m, _, err := readModelName(text)
	if err == nil && slices.Contains(m.changes, withTables) && !env.Tables {
		err = nameErrorf("player %q: there are no tables of endings for %s", text, env.Game.Name)
	}
	if err != nil {
		return nil, "", err
	}
	precision := model.Best
	if slices.Contains(m.changes, InFloats) {
		precision = model.Float32
	}
	opt, err := env.Load(m.path, precision)
	if err != nil {
		return nil, "", err
	}
	opt = opt.WithDefaults()
	for _, c := range m.changes {
		change(&opt, c)
	}
	if err := opt.Search.Validate(); err != nil {
		return nil, "", nameErrorf("player %q: %w", text, err)
	}
	if m.budget == (think.Budget{}) {
		m.budget.Visits = env.Simulations
		text = fmt.Sprintf("%s:%d", text, env.Simulations)
	}
	return MCTS(env.Game, opt, m.budget), text, nil
}

// A modelName has the parts of the name of a player that is a model.
type modelName struct {
	path    string
	changes []string     // of the player, each with its #
	budget  think.Budget // zero if the name has none
}

// change makes a change of a model's player, and reports whether there is such a change.
func change(opt *think.Options, text string) bool {
	cfg := &opt.Search
	key, value, constant := strings.Cut(strings.TrimPrefix(text, "#"), "=")
	switch {
	case text == InFloats:
	case text == withTables:
		cfg.Tactics.Tables = true
	case text == byVisits:
		cfg.Final = mcts.Visits
	case constant:
		x, err := strconv.ParseFloat(value, 32)
		at := cfg.Constant(key)
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
	return true
}

// readModelName splits a player's name if it is a model's. The error is for a name that has
// the form of no player's.
func readModelName(player string) (m modelName, isModel bool, err error) {
	for _, p := range Prefixes() {
		if p != Box && (p == player || strings.ContainsAny(p, ":@") && strings.HasPrefix(player, p)) {
			return m, false, nil
		}
	}
	m, err = splitModel(player)
	if strings.ContainsAny(player, "./\\") || isBox(player) {
		return m, err == nil, err
	}
	if err == nil {
		_, err = os.Stat(m.path) // such as a run in the current folder
	}
	if err != nil {
		err = nameErrorf("no player is called %q; a player is %s, MODEL being the path of a checkpoint or a run", player, Forms)
	}
	return m, err == nil, err
}

func splitModel(text string) (m modelName, err error) {
	m.path = text
	if i := strings.LastIndexAny(text, ":@"); i >= 0 {
		after := text[i+1:]
		if n, err := strconv.Atoi(after); err == nil && text[i] == ':' {
			if n < 1 || n > MostSimulations {
				return m, nameErrorf("player %q: simulations are from 1 to %d", text, MostSimulations)
			}
			m.path, m.budget.Visits = text[:i], n
		}
		if d, err := time.ParseDuration(after); err == nil && text[i] == '@' {
			if d <= 0 {
				return m, nameErrorf("player %q: %q is not a time above 0, such as 30ms", text, after)
			}
			m.path, m.budget.Time = text[:i], d
		}
	}
	for i := strings.LastIndexByte(m.path, '#'); i >= 0 && change(&think.Options{}, m.path[i:]); i = strings.LastIndexByte(m.path, '#') {
		m.path, m.changes = m.path[:i], slices.Insert(m.changes, 0, m.path[i:])
	}
	if isBox(m.path) && strings.ContainsAny(m.path, "@#") {
		return m, errNoModel(text)
	}
	return m, nil
}

// errNoModel explains what may follow a model in a player's name.
func errNoModel(player string) error {
	return nameErrorf("player %q: there is no such model; after MODEL stand #float32, #tables, #visits, #random=0.3 or a constant such as #cpuct=2, and then :SIMULATIONS from 1 to %d or @TIME, such as @30ms", player, MostSimulations)
}

// isBox reports whether a player is the bot in the box of a game.
func isBox(player string) bool {
	rest, ok := strings.CutPrefix(player, Box)
	return ok && (rest == "" || strings.ContainsAny(rest[:1], ":@#"))
}

// Portable returns the name of a player for another machine, where the file of its model, if it
// is one, has the path at. path is what the model is called here: a path or the name of a bot
// in the box; "" if the player is not a model. A model whose name does not say it gets the
// given number of simulations. Players that play by the clock, and programs of this machine,
// would not play the same on another one, and are an error.
func Portable(player, at string, simulations int) (name, path string, err error) {
	if IsProgram(player) {
		return "", "", fmt.Errorf("player %q is a program of this machine, which others have not", player)
	}
	m, isModel, err := readModelName(player)
	switch {
	case err != nil:
		return "", "", err
	case m.budget.Time > 0 || strings.HasPrefix(player, yardstickPrefix) && !strings.HasSuffix(player, "n"):
		return "", "", fmt.Errorf("player %q plays by the clock, and would not play the same on another machine: give it simulations", player)
	case !isModel:
		return player, "", nil
	}
	return fmt.Sprintf("%s%s:%d", at, strings.Join(m.changes, ""), cmp.Or(m.budget.Visits, simulations)), m.path, nil
}

// ModelPath returns the path in the name of a player that is a model from which the game
// follows: box:GAME, or a path that exists. It returns "" for other players and for the bot in
// the box of a game that the name leaves out.
func ModelPath(player string) (path string, err error) {
	m, _, err := readModelName(player)
	if err != nil || m.path == Box {
		return "", err
	}
	if _, err := os.Stat(m.path); m.path != "" && err != nil && !isBox(m.path) {
		return "", errNoModel(player)
	}
	return m.path, nil
}
