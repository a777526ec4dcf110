package model

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A run's folder has its checkpoints in models and the name of the one that
// plays in best.

// NoModel is the name of the player of generation 0, who has no opinion.
const NoModel = "uniform"

// Path is where the run in dir keeps the named checkpoint.
func Path(dir, name string) string { return filepath.Join(dir, "models", name+".safetensors") }

// BestPath is the file of the best checkpoint of the run in dir.
func BestPath(dir string) (string, error) {
	name, err := os.ReadFile(filepath.Join(dir, "best"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("run %s has no model yet: its first generation is not complete", dir)
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", dir, err)
	}
	if string(name) == NoModel {
		return "", fmt.Errorf("run %s: no model has beaten the search without one yet; name one of its models/*.safetensors", dir)
	}
	return Path(dir, string(name)), nil
}
