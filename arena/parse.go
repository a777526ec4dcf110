package arena

import (
	"fmt"
	"strconv"
	"strings"

	"dojo/engine"
	"dojo/mcts"
	"dojo/model"
	"dojo/think"
)

// Env is what named players are made from.
type Env struct {
	Game        engine.Game
	NewSearch   func(mcts.Config) mcts.Search
	Load        func(path string) (think.Options, error) // how a checkpoint searches
	Simulations int                                      // of checkpoints without a number in their name
}

// Forms says how players are named.
const Forms = "random, greedy, mcts:SIMULATIONS, alphabeta:DEPTH, uniform:SIMULATIONS or MODEL[:SIMULATIONS]"

// Parse makes the player that is named text; see Forms. It returns its name
// with what was left out.
func Parse(text string, env Env) (Maker, string, error) {
	head, tail, has := strings.Cut(text, ":")
	number := func(most int) (int, error) {
		n, err := strconv.Atoi(tail)
		if err != nil || n < 1 || n > most {
			return 0, fmt.Errorf("player %q: %q is not a number from 1 to %d", text, tail, most)
		}
		return n, nil
	}
	switch {
	case text == "random":
		return Random(), text, nil
	case text == "greedy":
		return Greedy(), text, nil
	case head == "mcts" && has:
		n, err := number(1e9)
		if err != nil {
			return nil, "", err
		}
		return Rollouts(env.NewSearch, env.Game.Spec, n), text, nil
	case head == "alphabeta" && has:
		n, err := number(100)
		if err != nil {
			return nil, "", err
		}
		return AlphaBeta(n), text, nil
	case head == "uniform" && has:
		n, err := number(1e9)
		if err != nil {
			return nil, "", err
		}
		return Search(env.NewSearch, env.Game.Spec, think.Options{Evaluator: model.Uniform}, think.Budget{Visits: n}), text, nil
	case !strings.ContainsAny(text, "./\\"):
		return nil, "", fmt.Errorf("no player is called %q; a player is %s, MODEL being a path with a / or a dot, such as ./%[1]s", text, Forms)
	}
	return parseModel(text, env)
}

// parseModel reads MODEL[:SIMULATIONS].
func parseModel(text string, env Env) (Maker, string, error) {
	path, budget := text, think.Budget{Visits: env.Simulations}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if n, err := strconv.Atoi(text[i+1:]); err == nil {
			if n < 1 {
				return nil, "", fmt.Errorf("player %q: %d simulations are less than 1", text, n)
			}
			path, budget.Visits = text[:i], n
		}
	}
	opt, err := env.Load(path)
	if err != nil {
		return nil, "", err
	}
	return Search(env.NewSearch, env.Game.Spec, opt, budget), fmt.Sprintf("%s:%d", path, budget.Visits), nil
}
