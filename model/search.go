package model

import (
	"encoding/json"
	"fmt"

	"dojo.example/mcts"
)

// searchKey is the key of a checkpoint's metadata that holds the constants of the searches that
// its network was trained with. Older checkpoints lack it.
const searchKey = "search"

// putSearch writes the constants, if they are known, into a checkpoint's metadata.
func putSearch(meta map[string]string, c mcts.Constants) error {
	if c == (mcts.Constants{}) {
		return nil
	}
	text, err := json.Marshal(c)
	meta[searchKey] = string(text)
	return err
}

// readSearch reads what putSearch wrote.
func readSearch(meta map[string]string) (c mcts.Constants, err error) {
	text, ok := meta[searchKey]
	if !ok {
		return c, nil
	}
	c.Final = mcts.LCB // where the text does not say
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("its constants of the search are damaged: %w", err)
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("its constants of the search are impossible: %w", err)
	}
	return c, nil
}
