package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"dojo.example/data/rundir"
	"dojo.example/internal/bounded"
	"dojo.example/internal/regular"
)

// Solved is the result of a test: how well a generation's model plays in positions of known value.
// It is one line of the run's file solved.jsonl, to which "dojo evaluate RUN --solved FILE" writes.
type Solved struct {
	Generation  int     `json:"generation"`
	Solved      string  `json:"solved"` // name of the file with the positions
	Simulations int     `json:"simulations,omitempty"`
	TimeMS      float64 `json:"time_ms,omitempty"`
	Positions   int     `json:"positions"`
	// Share is the share of positions in which the model's action preserves the value.
	Share float64 `json:"share"`
}

// readSolved reads the lines of a run's solved.jsonl that are about models of the run, ordered by
// generation. It skips lines with other positions or another budget than the last line, because
// their results cannot be compared. If a model has several such lines, the last one counts. If the
// file does not exist, the result is empty.
func readSolved(f rundir.Folder) ([]Solved, error) {
	path := f.Solved()
	text, err := regular.Read(path, rundir.MaxSolved)
	if errors.Is(err, fs.ErrNotExist) {
		return []Solved{}, nil
	}
	if err != nil {
		return nil, err
	}
	if i := bytes.LastIndexByte(text, '\n'); i < len(text)-1 {
		text = text[:i+1] // the last line may still be incomplete
	}
	all := []Solved{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var s struct {
			Solved
			Model string `json:"model"`
		}
		if err := bounded.Unmarshal(line, &s); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, number, err)
		}
		if _, err := fmt.Sscanf(s.Model, "%06d", &s.Generation); err != nil || rundir.ModelName(s.Generation) != s.Model {
			continue // not about a model of this run
		}
		all = slices.DeleteFunc(all, func(o Solved) bool {
			alike := o.Solved == s.Solved.Solved && o.Simulations == s.Simulations && o.TimeMS == s.TimeMS
			return o.Generation == s.Generation || !alike
		})
		all = append(all, s.Solved)
	}
	slices.SortFunc(all, func(a, b Solved) int { return a.Generation - b.Generation })
	return all, nil
}
