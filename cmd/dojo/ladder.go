package main

import (
	"context"
	"fmt"

	"dojo/arena"
	"dojo/games"
	"dojo/run"
	"dojo/train"
)

// ladder plays models of a run, evenly spaced over its generations, each
// against the one before it and against the first.
func (e *evaluation) ladder(ctx context.Context, args []string, count int) error {
	if err := isRun(args); err != nil {
		return err
	}
	folder := run.Folder(args[0])
	models, err := spaced(folder, count)
	if err != nil {
		return err
	}
	first, err := loadModel(folder.Model(models[0]))
	if err != nil {
		return err
	}
	if e.game, err = games.ByName(first.Game); err != nil {
		return err
	}
	var makers []arena.Maker
	for _, name := range models {
		maker, _, err := arena.Parse(folder.Model(name), env(e.game, e.opt.simulations, nil))
		if err != nil {
			return err
		}
		makers = append(makers, maker)
	}
	match := func(i, j int) (arena.Result, error) {
		e.opt.players = [2]string{folder.Model(models[i]), folder.Model(models[j])}
		return e.app.match(ctx, e.game, e.opt, [2]string{models[i], models[j]}, [2]arena.Maker{makers[i], makers[j]})
	}
	if !e.json {
		fmt.Fprintln(e.app.stdout, rungHeader())
	}
	return e.helped(ctx, first, func() error {
		return arena.Ladder(models, match, func(r arena.Rung) error {
			if e.json {
				return e.app.printJSON(r)
			}
			_, err := fmt.Fprintln(e.app.stdout, rungLine(r))
			return err
		})
	})
}

// spaced names count models of a run, evenly spaced from the first to the
// last; all, if there are not so many.
func spaced(folder run.Folder, count int) ([]string, error) {
	generations, err := train.ReadMetrics(folder)
	if err != nil {
		return nil, err
	}
	n := len(generations)
	if n < 2 {
		return nil, fmt.Errorf("run %s has %d complete generations; to compare them takes two", folder, n)
	}
	var models []string
	for _, i := range arena.Spaced(n, count) {
		models = append(models, run.ModelName(generations[i].Generation))
	}
	return models, nil
}
