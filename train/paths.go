package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dojo/model"
)

// Uniform is the player of generation 0: it has no opinion.
const Uniform = "uniform"

func (r *Run) path(elem ...string) string {
	return filepath.Join(append([]string{r.opt.Dir}, elem...)...)
}

// ModelPath is where the run in dir keeps the named model.
func ModelPath(dir, name string) string {
	return filepath.Join(dir, "models", name+".safetensors")
}

// BestPath is the file of the best model of the run in dir.
func BestPath(dir string) (string, error) {
	name, err := os.ReadFile(filepath.Join(dir, "best"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("run %s has no model yet: its first generation is not complete", dir)
	}
	if err != nil {
		return "", fmt.Errorf("run %s: %w", dir, err)
	}
	if string(name) == Uniform {
		return "", fmt.Errorf("run %s: no model has beaten the search without one yet; name one of its models/*.safetensors", dir)
	}
	return ModelPath(dir, string(name)), nil
}

func modelName(generation int) string { return fmt.Sprintf("%06d", generation) }

// evaluator loads the named model, or the one without opinion.
func (r *Run) evaluator(name string) (model.Evaluator, error) {
	if name == Uniform {
		return model.Uniform, nil
	}
	c, err := model.Load(ModelPath(r.opt.Dir, name))
	if err != nil {
		return nil, err
	}
	if err := c.Check(r.opt.Game.Spec); err != nil {
		return nil, err
	}
	return c.Evaluator(r.opt.Train.Precision), nil
}
