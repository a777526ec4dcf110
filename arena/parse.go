package arena

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"dojo/alphabeta"
	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// Env is what named players are made from.
type Env struct {
	Game      engine.Game
	NewSearch func(mcts.Config) mcts.Search
	AlphaBeta func() alphabeta.Searcher
	Clock     *Clock // of external programs; nil: none

	// Load says how a checkpoint searches.
	Load func(path string, precision model.Precision) (think.Options, error)

	Simulations int // of checkpoints without a number in their name
}

// Box in place of MODEL is the bot in the box of the game; box:GAME is that of GAME.
const Box = "box"

// Forms says how players are named. A PROGRAM may be given its protocol, as in
// cmd:codingame:./bot, and MODEL#float32 plays in floats.
const Forms = "random, greedy, mcts:SIMULATIONS, alphabeta:DEPTH, alphabeta@TIME, alphabeta@NODESn, uniform:SIMULATIONS, MODEL[:SIMULATIONS], MODEL@TIME, box[:SIMULATIONS], box@TIME or cmd:PROGRAM"

// Prefixes are how the names of players that are no models begin; behind a
// colon something follows.
func Prefixes() []string {
	return []string{"random", "greedy", "mcts:", "alphabeta:", yardstick, "uniform:", Box, program}
}

// InFloats behind the path of a model asks for floats instead of 8 bits.
const InFloats = "#" + string(model.Float32)

// Limits on what a name may ask for. A search of MostSimulations takes up to
// some gigabytes where hundreds of actions are legal.
const (
	MostSimulations = 1_000_000
	mostDepth       = 100
	mostNodes       = 1_000_000_000
)

// yardstick begins the name of the player of package alphabeta.
const yardstick = "alphabeta@"

// program begins the name of a player that is another program.
const program = "cmd:"

// IsProgram reports whether a player is another program.
func IsProgram(player string) bool { return strings.HasPrefix(player, program) }

// A NameError is about a name that no player can have, and not about a player that
// cannot be had.
type NameError struct{ error }

func misnamed(format string, args ...any) error { return NameError{fmt.Errorf(format, args...)} }

// Parse makes the player that is named text; see Forms. It returns its name
// with what was left out.
func Parse(text string, env Env) (Maker, string, error) {
	kind, argument, _ := strings.Cut(text, ":")
	switch {
	case text == "random":
		return Random(), text, nil
	case text == "greedy":
		return Greedy(), text, nil
	case strings.HasPrefix(text, yardstick):
		limit, err := readBudget(text)
		return Yardstick(env.AlphaBeta, limit), text, err
	case text == kind: // without an argument it is a model
	case kind == "mcts":
		n, err := count(text, argument, MostSimulations)
		return Rollouts(env.NewSearch, env.Game.Spec, n), text, err
	case kind == "alphabeta":
		n, err := count(text, argument, mostDepth)
		return AlphaBeta(n), text, err
	case kind == "uniform":
		n, err := count(text, argument, MostSimulations)
		return Search(env.NewSearch, env.Game.Spec, think.Options{Evaluator: model.Uniform}, think.Budget{Visits: n}), text, err
	case kind+":" == program:
		maker, err := External(env.Game, argument, env.Clock)
		return maker, text, err
	}
	if !strings.ContainsAny(text, "./\\") && !isBox(text) {
		return nil, "", misnamed("no player is called %q; a player is %s, MODEL being a path with a / or a dot, such as ./%[1]s", text, Forms)
	}
	return parseModel(text, env)
}

// count reads the number in a player's name.
func count(player, text string, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, misnamed("player %q: %q is not a number from 1 to %d", player, text, most)
	}
	return n, nil
}

// readBudget reads the budget in alphabeta@30ms and alphabeta@20000n.
func readBudget(player string) (b yardstickBudget, err error) {
	text := strings.TrimPrefix(player, yardstick)
	if nodes, ok := strings.CutSuffix(text, "n"); ok {
		b.nodes, err = count(player, nodes, mostNodes)
		return b, err
	}
	if b.time, err = time.ParseDuration(text); err != nil || b.time <= 0 {
		return b, misnamed("player %q: %q is neither a time, such as 30ms, nor a number of nodes, such as 20000n", player, text)
	}
	return b, nil
}

// parseModel reads MODEL[#float32][:SIMULATIONS] and MODEL[#float32]@TIME.
func parseModel(text string, env Env) (Maker, string, error) {
	m, err := splitModel(text)
	if err != nil {
		return nil, "", err
	}
	opt, err := env.Load(m.path, m.precision)
	if err != nil {
		return nil, "", err
	}
	name, budget := text, think.Budget{Visits: m.simulations, Time: m.time}
	if budget == (think.Budget{}) {
		budget.Visits = env.Simulations
		name = fmt.Sprintf("%s:%d", text, budget.Visits)
	}
	return Search(env.NewSearch, env.Game.Spec, opt, budget), name, nil
}

// modelName is the name of a model as a player, in its parts.
type modelName struct {
	path        string
	precision   model.Precision
	simulations int           // 0: not said
	time        time.Duration // 0: by simulations
}

func splitModel(text string) (m modelName, err error) {
	m.path, m.precision = text, model.Best
	if i := strings.LastIndexAny(text, ":@"); i >= 0 {
		after := text[i+1:]
		if n, err := strconv.Atoi(after); err == nil && text[i] == ':' {
			if n < 1 || n > MostSimulations {
				return m, misnamed("player %q: simulations are from 1 to %d", text, MostSimulations)
			}
			m.path, m.simulations = text[:i], n
		}
		if d, err := time.ParseDuration(after); err == nil && text[i] == '@' && d > 0 {
			m.path, m.time = text[:i], d
		}
	}
	if path, floats := strings.CutSuffix(m.path, InFloats); floats {
		m.path, m.precision = path, model.Float32
	}
	return m, nil
}

// isBox reports whether a player is the bot in the box of a game.
func isBox(player string) bool {
	return player == Box || strings.HasPrefix(player, Box+":") || strings.HasPrefix(player, Box+"@") || strings.HasPrefix(player, Box+"#")
}

// Portable returns the name of a player where its model lies at another path, and what
// the model is called here, a path or the bot in a box, "" if the player is no model. A player without a number of its own
// is given the simulations. Players that go by the clock or are programs of this machine
// would not play the same elsewhere, and are an error.
func Portable(player, at string, simulations int) (name, path string, err error) {
	kind, _, argument := strings.Cut(player, ":")
	switch {
	case IsProgram(player):
		return "", "", fmt.Errorf("player %q is a program of this machine, which others have not", player)
	case strings.HasPrefix(player, yardstick) && !strings.HasSuffix(player, "n"):
		return "", "", errByClock(player)
	case !strings.ContainsAny(player, "./\\") && !isBox(player), strings.HasPrefix(player, yardstick), argument && (kind == "mcts" || kind == "alphabeta" || kind == "uniform"):
		return player, "", nil
	}
	m, err := splitModel(player)
	if err != nil {
		return "", "", err
	}
	if m.time > 0 {
		return "", "", errByClock(player)
	}
	if m.simulations == 0 {
		m.simulations = simulations
	}
	if m.precision == model.Float32 {
		at += InFloats
	}
	return fmt.Sprintf("%s:%d", at, m.simulations), m.path, nil
}

// errByClock explains why a player cannot play on several machines.
func errByClock(player string) error {
	return fmt.Errorf("player %q plays by the clock, and would not play the same on another machine: give it simulations", player)
}

// ModelPath is the path in the name of a player that is a model which says its game:
// box:GAME, or one at whose path there is something.
func ModelPath(player string) (path string, ok bool) {
	m, err := splitModel(player)
	if err != nil {
		return "", false
	}
	if isBox(m.path) {
		return m.path, m.path != Box
	}
	_, err = os.Stat(m.path)
	return m.path, err == nil
}
