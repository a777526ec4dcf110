package model

import (
	"encoding/json"
	"fmt"
	"slices"
)

// SearchConstants are the constants of the searches that a network was trained with, named as
// in mcts.Config. The zero value says that they are not known: older checkpoints do
// not hold them.
type SearchConstants struct {
	CPuct        float32 `json:"cpuct"`
	CPuctBase    float32 `json:"cpuct_base"`
	FPUReduction float32 `json:"fpu_reduction"`
	Final        string  `json:"final,omitempty"`
}

// searchKey is the key of a checkpoint's metadata that holds them.
const searchKey = "search"

// put writes the constants, if they are known, into a checkpoint's metadata.
func (s SearchConstants) put(meta map[string]string) error {
	if s == (SearchConstants{}) {
		return nil
	}
	text, err := json.Marshal(s)
	meta[searchKey] = string(text)
	return err
}

// readSearch reads what put wrote.
func readSearch(meta map[string]string) (s SearchConstants, err error) {
	text, ok := meta[searchKey]
	if !ok {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("its constants of the search are damaged: %w", err)
	}
	if !(s.CPuct > 0 && s.CPuctBase > 0 && s.FPUReduction >= 0 && s.FPUReduction <= 2) || !slices.Contains([]string{"", "visits", "lcb"}, s.Final) {
		return s, fmt.Errorf("its constants of the search are impossible: %s", text)
	}
	return s, nil
}
