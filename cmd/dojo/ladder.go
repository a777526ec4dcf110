package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"dojo/arena"
	"dojo/games"
	"dojo/internal/console"
	"dojo/models"
	"dojo/run"
	"dojo/train"
)

// meet plays the match of two players, as far as the log lacks it.
func (e *evaluation) meet(ctx context.Context, a, b contender) (arena.Result, error) {
	return e.app.match(ctx, e.opt, matched{
		game:    e.game,
		names:   [2]string{a.name, b.name},
		makers:  [2]arena.Maker{a.maker, b.maker},
		players: [2]string{a.portable, b.portable},
		play: func(ctx context.Context, o arena.Options) (arena.Result, error) {
			return e.log.Match(ctx, a.Contestant, b.Contestant, o)
		},
	})
}

// generations plays models of a run, evenly spaced over its generations, each against
// the one before it and against the first.
func (e *evaluation) generations(ctx context.Context, args []string, count int) error {
	if err := isRun(args); err != nil {
		return err
	}
	folder := run.Folder(args[0])
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	first, err := models.Open(folder.Model(names[0]))
	if err != nil {
		return err
	}
	if e.game, err = games.ByName(first.Game); err != nil {
		return err
	}
	if err := e.openLog(); err != nil {
		return err
	}
	players := make([]contender, len(names))
	for i, name := range names {
		if players[i], err = newContender(e.game, folder.Model(name), e.opt.simulations); err != nil {
			return err
		}
		players[i].name = name
	}
	err = e.helped(ctx, first, func() error {
		for i := range players[1:] {
			for _, other := range []int{i, 0}[:min(i+1, 2)] {
				if _, err := e.meet(ctx, players[i+1], players[other]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return e.printLadder()
}

// openLog opens the match log that matches are added to.
func (e *evaluation) openLog() (err error) {
	if e.file != "" {
		if err := run.Refuse(e.file); err != nil {
			return err
		}
	}
	e.log, err = arena.OpenMatchLog(e.game.Name, e.file)
	return err
}

// showLog shows the ladder of a match log and plays nothing.
func (e *evaluation) showLog() (err error) {
	if e.log, err = readLog(e.file); err != nil {
		return err
	}
	if e.game, err = games.ByName(e.log.Game); err != nil {
		return fmt.Errorf("ladder: %s: %w", e.file, err)
	}
	return e.printLadder()
}

// readLog reads a match log, whose file must be there.
func readLog(path string) (*arena.MatchLog, error) {
	l, err := arena.ReadMatchLog(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ladder: there is no file %s", path)
	}
	return l, err
}

// printLadder prints the ladder of all players of the log, group by group.
func (e *evaluation) printLadder() error {
	const nameWidth = 31
	var table console.Table
	rungs := e.log.Rungs()
	for i, r := range rungs {
		if e.json {
			if err := e.app.printJSON(r); err != nil {
				return err
			}
			continue
		}
		if i == 0 || r.Group != rungs[i-1].Group {
			if i > 0 {
				fmt.Fprintf(e.app.stdout, "%s\n\nnot connected with those above by any games:\n", table)
			}
			table = console.NewTable("player", "games", "score", "Elo", "model")
		}
		table.Row(console.Ending(r.Player, nameWidth), fmt.Sprintf("%.0f", r.Games), console.Percent(r.Score), console.Elo(r.Elo, r.EloLow, r.EloHigh), r.Model[:min(8, len(r.Model))])
	}
	if e.json || len(rungs) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(e.app.stdout, table)
	return err
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
