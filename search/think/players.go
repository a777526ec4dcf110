package think

import (
	"encoding/json"
	"fmt"

	"dojo.example/model"
	"dojo.example/search/mcts"
)

// Players returns the constants with which players search unless the configuration of their run
// says otherwise. Self-play has constants of its own: it wants sharp priors and its searches are
// short. Players want to see more of the tree: in Onitama these constants win 39 Elo [29, 49] over
// those of self-play at 64 simulations and 51 [24, 78] at 4,000 with a base of 1,500, and 400 wins
// another 41 [18, 65] at 3,000 (docs/history/strength.md, "Priors are too sharp for players" and
// "The growth of exploration").
func Players() mcts.Constants {
	return mcts.Constants{CPuct: 0.7, CPuctBase: 400, FPUReduction: 0.18, PriorTemperature: 2, Final: mcts.LCB}
}

// Record returns constants as model.Meta.Players has them: in JSON, or "" for zero constants, which
// stand for Players().
func Record(c mcts.Constants) string {
	if c == (mcts.Constants{}) {
		return ""
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("think: constants %+v: %v", c, err)) // they are finite; see mcts.Constants.Validate
	}
	return string(text)
}

// Constants returns the constants with which players search with a model: those that its checkpoint
// has for players, or Players() if it has none, as those of older programs. The constants that it
// was trained with do not matter. Players use tactics and search a graph.
func Constants(m model.Meta) (mcts.Config, error) {
	cfg := mcts.Default()
	cfg.Constants, cfg.Tactics, cfg.Graph = Players(), mcts.Tactics{Leaf: 2}, true
	if m.Players == "" {
		return cfg, nil
	}
	var err error
	if cfg.Constants, err = constants(m.Players, mcts.Constants{}); err != nil {
		return cfg, fmt.Errorf("checkpoint %s: its constants for players are impossible: %w", m.Name, err)
	}
	return cfg, nil
}

// Trained returns the constants of the searches that a model was trained with, or zero constants if
// its checkpoint does not have them.
func Trained(m model.Meta) (c mcts.Constants, err error) {
	if m.Search == "" {
		return c, nil
	}
	if c, err = constants(m.Search, mcts.Constants{Final: mcts.LCB}); err != nil { // older programs wrote no Final
		return c, fmt.Errorf("checkpoint %s: its constants of the search are impossible: %w", m.Name, err)
	}
	return c, nil
}

// constants reads what Record has written. c are the constants that the text need not have.
func constants(text string, c mcts.Constants) (mcts.Constants, error) {
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.Validate()
	}
	return c, err
}
