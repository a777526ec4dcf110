package think

import (
	"encoding/json"
	"fmt"

	"dojo.example/model"
	"dojo.example/search/mcts"
)

// Players returns the constants with which players search, unless the configuration of a run sets
// others. Self-play has different constants, because it needs sharp priors and its searches are
// short. Players need to see more of the tree. In Onitama these constants gain 39 Elo [29, 49] over
// the constants of self-play at 64 simulations, and with a base of 1,500 they gain 51 Elo [24, 78]
// at 4,000 simulations. A base of 400 gains another 41 Elo [18, 65] at 3,000 simulations
// (docs/history/strength.md, "Priors are too sharp for players" and "The growth of exploration").
func Players() mcts.Constants {
	return mcts.Constants{CPuct: 0.7, CPuctBase: 400, FPUReduction: 0.18, PriorTemperature: 2, Final: mcts.LCB}
}

// Record returns constants as JSON, in the form of model.Meta.Players. For zero constants it
// returns "", and Constants reads "" as Players().
func Record(c mcts.Constants) string {
	if c == (mcts.Constants{}) {
		return ""
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("think: constants %+v: %v", c, err)) // cannot happen, because the constants are finite; see mcts.Constants.Validate
	}
	return string(text)
}

// Constants returns the configuration with which players search with a model. Its constants are
// those that the checkpoint holds for players, or Players() if it holds none, as in checkpoints of
// older programs. The constants of the model's training have no effect. Players use tactics and
// search a graph.
func Constants(m model.Meta) (mcts.Config, error) {
	cfg := mcts.Default()
	cfg.Constants, cfg.Tactics, cfg.Graph = Players(), mcts.Tactics{Leaf: 2}, true
	if m.Players == "" {
		return cfg, nil
	}
	var err error
	if cfg.Constants, err = constants(m.Players, mcts.Constants{}); err != nil {
		return cfg, fmt.Errorf("checkpoint %s: its search constants for players are invalid: %w", m.Name, err)
	}
	return cfg, nil
}

// Trained returns the constants of the searches in a model's training, or zero constants if the
// checkpoint does not hold them.
func Trained(m model.Meta) (c mcts.Constants, err error) {
	if m.Search == "" {
		return c, nil
	}
	if c, err = constants(m.Search, mcts.Constants{Final: mcts.LCB}); err != nil { // older programs did not write Final
		return c, fmt.Errorf("checkpoint %s: its search constants of training are invalid: %w", m.Name, err)
	}
	return c, nil
}

// constants parses the output of Record. A constant that is missing in text keeps its value in c.
func constants(text string, c mcts.Constants) (mcts.Constants, error) {
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.Validate()
	}
	return c, err
}
