package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dojo/arena"
	"dojo/engine"
	"dojo/games"
	"dojo/solve"
)

// A lostGame is a game that somebody lost.
type lostGame struct {
	path   []engine.Position // in which an action was played
	played []engine.Action
	loser  engine.Player
}

// solveLost prints the positions in which the games of a match log were lost.
func (a *app) solveLost(ctx context.Context, game games.Entry, opt solveOptions) error {
	lost, err := readLost(game, opt.lost, opt.loser)
	if err != nil {
		return err
	}
	endings := game.Endings(0, opt.nodes)
	what := fmt.Sprintf("a search of %d nodes on each of %d threads", opt.nodes, opt.workers)
	if err := a.need(opt, endings.Bytes*int64(opt.workers), what); err != nil {
		return err
	}
	found := 0
	progress := a.newBar(len(lost), "lost games")
	defer progress.clear()
	done := 0
	finder := func(stop func() bool) func(int) (solve.Line, bool) {
		blunder := endings.Blunders(stop)
		return func(i int) (solve.Line, bool) { return blunder(lost[i].path, lost[i].played, lost[i].loser) }
	}
	seen := map[string]bool{}
	err = solve.Each(ctx, len(lost), opt.workers, finder, func(l solve.Line, ok bool) error {
		done++
		progress.set(done, fmt.Sprintf("%d positions", found))
		if !ok || seen[l.Position] {
			return nil
		}
		found, seen[l.Position] = found+1, true
		return a.printJSON(l)
	})
	progress.clear()
	if err == nil {
		fmt.Fprintf(a.stderr, "of %d lost games %d have a position in which the losing action is proven, and another holds\n", len(lost), found)
	}
	return err
}

// readLost reads the games of a match log that the named player, or if there is no name
// anybody, lost by the rules.
func readLost(game games.Entry, path, name string) (lost []lostGame, err error) {
	log, err := readLog(path)
	if err != nil {
		return nil, err
	}
	if log.Game != game.Name {
		return nil, fmt.Errorf("ladder: %s is of %s, not %s", path, log.Game, game.Name)
	}
	var names []string
	for _, p := range log.Pairs() {
		for _, g := range p.Games {
			seats := [2]arena.Contestant{p.A, p.B}
			if g.First == "b" {
				seats = [2]arena.Contestant{p.B, p.A}
			}
			for _, c := range seats {
				if !slices.Contains(names, c.Player) {
					names = append(names, c.Player)
				}
			}
			if g.Forfeit != "" || g.Outcome == engine.Draw {
				continue
			}
			l := lostGame{loser: engine.First}
			if g.Outcome == engine.FirstWins {
				l.loser = engine.Second
			}
			if name != "" && seats[l.loser].Player != name {
				continue
			}
			if err := l.replay(game, p.Opening, g.Actions); err != nil {
				return nil, fmt.Errorf("ladder: %s: pair %d: %w", path, p.Pair, err)
			}
			lost = append(lost, l)
		}
	}
	if name != "" && !slices.Contains(names, name) {
		return nil, fmt.Errorf("ladder: %s has no player %s; there are %s", path, name, strings.Join(names, ", "))
	}
	return lost, nil
}

// replay fills in the positions of the game.
func (l *lostGame) replay(game games.Entry, opening string, actions []string) error {
	p, err := game.Parse(opening)
	if err != nil {
		return err
	}
	for _, name := range actions {
		action, err := engine.ParseAction(p, name)
		if err != nil {
			return err
		}
		l.path, l.played = append(l.path, p), append(l.played, action)
		p = p.Play(action)
	}
	return nil
}
