package measure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"dojo.example/arena"
	"dojo.example/games"
	"dojo.example/internal/console"
	"dojo.example/models"
	"dojo.example/run"
	"dojo.example/train"
)

// meet plays the games of two players that the log does not have.
func (e *Evaluation) meet(ctx context.Context, a, b Contender) (arena.Result, error) {
	return Match(ctx, e.Output, e.Settings, Pairing{
		Game:    e.Game,
		Names:   [2]string{a.Name, b.Name},
		Makers:  [2]arena.Maker{a.Maker, b.Maker},
		Players: [2]string{a.Portable, b.Portable},
		play: func(ctx context.Context, o arena.Options) (arena.Result, error) {
			return e.log.Match(ctx, a.Contestant, b.Contestant, o)
		},
	})
}

// Generations plays models of a run, evenly spaced over its generations, each against
// the one before it and against the first.
func (e *Evaluation) Generations(ctx context.Context, folder run.Folder, count int) error {
	names, err := spaced(folder, count)
	if err != nil {
		return err
	}
	first, err := models.Open(folder.Model(names[0]))
	if err != nil {
		return err
	}
	if e.Game, err = games.ByName(first.Game); err != nil {
		return err
	}
	if err := e.openLog(); err != nil {
		return err
	}
	players := make([]Contender, len(names))
	for i, name := range names {
		if players[i], err = NewContender(e.Game, folder.Model(name), e.Simulations); err != nil {
			return err
		}
		players[i].Name = name
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
func (e *Evaluation) openLog() (err error) {
	if e.File != "" {
		if err := run.Refuse(e.File); err != nil {
			return err
		}
	}
	e.log, err = arena.OpenMatchLog(e.Game.Name, e.File)
	return err
}

// ShowLog shows the ladder of a match log and plays nothing.
func (e *Evaluation) ShowLog() (err error) {
	if e.log, err = readLog(e.File); err != nil {
		return err
	}
	if e.Game, err = games.ByName(e.log.Game); err != nil {
		return fmt.Errorf("ladder: %s: %w", e.File, err)
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
func (e *Evaluation) printLadder() error {
	const nameWidth = 31
	var table console.Table
	rungs := e.log.Rungs()
	for i, r := range rungs {
		if e.Output.JSON {
			if err := e.Output.PrintJSON(r); err != nil {
				return err
			}
			continue
		}
		if i == 0 || r.Group != rungs[i-1].Group {
			if i > 0 {
				fmt.Fprintf(e.Output.Out, "%s\n\nnot connected with those above by any games:\n", table)
			}
			table = console.NewTable("player", "games", "score", "Elo", "model")
		}
		table.Row(console.Ending(r.Player, nameWidth), fmt.Sprintf("%.0f", r.Games), console.Percent(r.Score), console.Elo(r.Elo, r.EloLow, r.EloHigh), r.Model[:min(8, len(r.Model))])
	}
	if e.Output.JSON || len(rungs) == 0 {
		return nil
	}
	_, err := fmt.Fprintln(e.Output.Out, table)
	return err
}

// spaced names count models of a run, evenly spaced from the first to the
// last, or all if there are fewer.
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
