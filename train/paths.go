package train

import (
	"fmt"
	"path/filepath"

	"dojo/model"
)

func (r *Run) path(elem ...string) string {
	return filepath.Join(append([]string{r.opt.Dir}, elem...)...)
}

func modelName(generation int) string { return fmt.Sprintf("%06d", generation) }

// evaluator loads the named model, or the one without opinion.
func (r *Run) evaluator(name string) (model.Evaluator, error) {
	if name == model.NoModel {
		return model.Uniform, nil
	}
	c, err := model.Load(model.Path(r.opt.Dir, name))
	if err != nil {
		return nil, err
	}
	if err := c.Check(r.opt.Game.Spec); err != nil {
		return nil, err
	}
	e, err := c.Evaluator(r.opt.Train.Precision)
	if err != nil { // a model made before there were 8 bits
		return nil, fmt.Errorf("%w (train: precision: in %s)", err, r.path("run.yaml"))
	}
	return e, nil
}
