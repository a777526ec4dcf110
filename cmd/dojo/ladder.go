package main

import (
	"context"
	"fmt"

	"dojo/arena"
	"dojo/games"
	"dojo/run"
	"dojo/train"
)

// meet plays the match of two players, as far as the ledger lacks it.
func (e *evaluation) meet(ctx context.Context, a, b contender) (arena.Result, error) {
	return e.app.match(ctx, e.opt, matched{
		game:    e.game,
		names:   [2]string{a.name, b.name},
		makers:  [2]arena.Maker{a.maker, b.maker},
		players: [2]string{a.portable, b.portable},
		play: func(ctx context.Context, o arena.Options) (arena.Result, error) {
			return e.ledger.Match(ctx, a.Contestant, b.Contestant, o)
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
	if err := e.openLedger(); err != nil {
		return err
	}
	players := make([]contender, len(models))
	for i, name := range models {
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

// openLedger opens the ledger that matches are added to.
func (e *evaluation) openLedger() (err error) {
	if e.file != "" {
		if err := run.Refuse(e.file); err != nil {
			return err
		}
	}
	e.ledger, err = arena.OpenLedger(e.game.Game.Game, e.file)
	return err
}

// showLedger shows the ladder of a ledger and plays nothing.
func (e *evaluation) showLedger() error {
	name, err := arena.LedgerGame(e.file)
	if err != nil {
		return err
	}
	if name == "" {
		return fmt.Errorf("ledger: there is no file %s", e.file)
	}
	if e.game, err = games.ByName(name); err != nil {
		return fmt.Errorf("ledger: %s: %w", e.file, err)
	}
	if err := e.openLedger(); err != nil {
		return err
	}
	return e.printLadder()
}

// printLadder prints the ladder of all players of the ledger, group by group.
func (e *evaluation) printLadder() error {
	const nameWidth = 31
	var table grid
	rungs := e.ledger.Rungs()
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
			table = newGrid("player", "games", "score", "Elo", "model")
		}
		table.row(ending(r.Player, nameWidth), fmt.Sprintf("%.0f", r.Games), percent(r.Score), elo(r.Elo, r.EloLow, r.EloHigh), r.Model[:min(8, len(r.Model))])
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
