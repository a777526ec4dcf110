package think

import (
	"encoding/json"
	"fmt"

	"dojo.example/model"
	"dojo.example/search/mcts"
)

// Players returns the constants with which players search, unless a run's configuration sets
// others. Self-play has different constants: it needs sharp priors because its searches are short,
// while players need to see more of the tree.
//
// The values were measured in Onitama. Compared with the constants of self-play, these constants
// gain 38 Elo [17, 59] at 64 simulations. With CPuctBase = 1,500 they gain 51 Elo [24, 78] at 4,000
// simulations. CPuctBase = 400 instead of 1,500 gains another 41 Elo [18, 65] at 3,000 simulations.
// See docs/history/strength.md, "Priors are too sharp for players" and "The growth of exploration".
func Players() mcts.Constants {
	return mcts.Constants{CPuct: 0.7, CPuctBase: 400, FPUReduction: 0.18, PriorTemperature: 2, Final: mcts.LCB}
}

// Record returns constants as JSON text for the field Players or Search of model.Meta. For zero
// constants it returns "". If [Constants] finds "" in a checkpoint, it uses Players().
func Record(c mcts.Constants) string {
	if c == (mcts.Constants{}) {
		return ""
	}
	text, err := json.Marshal(c)
	if err != nil {
		// This cannot happen, because the constants are finite; see mcts.Constants.Validate.
		panic(fmt.Sprintf("think: constants %+v: %v", c, err))
	}
	return string(text)
}

// Constants returns the search configuration for playing with a model. It takes the constants for
// players from the checkpoint. Checkpoints of older programs have none, and Constants then uses
// Players(). The constants of the model's training have no effect. Players use tactics and search a
// graph.
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

// Trained returns the search constants of a model's training, or zero constants if the checkpoint
// does not hold them.
func Trained(m model.Meta) (c mcts.Constants, err error) {
	if m.Search == "" {
		return c, nil
	}
	// Checkpoints of older programs do not contain Final.
	if c, err = constants(m.Search, mcts.Constants{Final: mcts.LCB}); err != nil {
		return c, fmt.Errorf("checkpoint %s: its search constants of training are invalid: %w", m.Name, err)
	}
	return c, nil
}

// constants parses the output of Record. If the text lacks a constant, the constant keeps its value
// in c.
func constants(text string, c mcts.Constants) (mcts.Constants, error) {
	err := json.Unmarshal([]byte(text), &c)
	if err == nil {
		err = c.Validate()
	}
	return c, err
}
