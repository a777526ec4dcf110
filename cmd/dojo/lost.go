package main

import (
	"context"
	"fmt"

	"dojo/games"
	"dojo/internal/console"
	"dojo/solve"
)

// solveLost prints the positions in which the games of a match log were lost.
func (a *app) solveLost(ctx context.Context, game games.Entry, opt solveOptions) error {
	log, err := readLog(opt.lost)
	if err != nil {
		return err
	}
	lost, err := log.Lost(game.Game.Game, opt.loser)
	if err != nil {
		return err
	}
	endings := game.Endings(0, opt.nodes)
	what := fmt.Sprintf("a search of %d nodes on each of %d threads", opt.nodes, opt.workers)
	if err := a.need(opt, endings.Bytes*int64(opt.workers), what); err != nil {
		return err
	}
	found := 0
	progress := console.NewBar(a.stderr, len(lost), "lost games")
	defer progress.Clear()
	done := 0
	finder := func(stop func() bool) func(int) (solve.Line, bool) {
		blunder := endings.Blunders(stop)
		return func(i int) (solve.Line, bool) { return blunder(lost[i].Path, lost[i].Played, lost[i].Loser) }
	}
	seen := map[string]bool{}
	err = solve.Each(ctx, len(lost), opt.workers, finder, func(l solve.Line, ok bool) error {
		done++
		progress.Set(done, fmt.Sprintf("%d positions", found))
		if !ok || seen[l.Position] {
			return nil
		}
		found, seen[l.Position] = found+1, true
		return a.printJSON(l)
	})
	progress.Clear()
	if err == nil {
		fmt.Fprintf(a.stderr, "of %d lost games %d have a position in which the losing action is proven, and another holds\n", len(lost), found)
	}
	return err
}
