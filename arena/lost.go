package arena

import (
	"fmt"
	"slices"
	"strings"

	"dojo.example/engine"
)

// A LostGame is a game that somebody lost by the rules.
type LostGame struct {
	Path   []engine.Position // in which an action was played
	Played []engine.Action
	Loser  engine.Player
}

// Lost returns the games of the log that the named player, or with "" any player, lost by the
// rules of game.
func (l *MatchLog) Lost(game engine.Game, name string) (lost []LostGame, err error) {
	if l.Game != game.Name {
		return nil, fmt.Errorf("ladder: %s is of %s, not %s", l.path, l.Game, game.Name)
	}
	var names []string
	for _, p := range l.Pairs() {
		for _, g := range p.Games {
			seats := [2]Contestant{p.A, p.B}
			if g.First == "b" {
				seats = [2]Contestant{p.B, p.A}
			}
			for _, c := range seats {
				if !slices.Contains(names, c.Player) {
					names = append(names, c.Player)
				}
			}
			if g.Forfeit != "" || g.Outcome == engine.Draw {
				continue
			}
			one := LostGame{Loser: engine.First}
			if g.Outcome == engine.FirstWins {
				one.Loser = engine.Second
			}
			if name != "" && seats[one.Loser].Player != name {
				continue
			}
			if err := one.replay(game, p.Opening, g.Actions); err != nil {
				return nil, fmt.Errorf("ladder: %s: pair %d: %w", l.path, p.Pair, err)
			}
			lost = append(lost, one)
		}
	}
	if name != "" && !slices.Contains(names, name) {
		return nil, fmt.Errorf("ladder: %s has no player %s; there are %s", l.path, name, strings.Join(names, ", "))
	}
	return lost, nil
}

// replay fills in the positions of the game.
func (l *LostGame) replay(game engine.Game, opening string, actions []string) error {
	p, err := game.Parse(opening)
	if err != nil {
		return err
	}
	for _, name := range actions {
		action, err := engine.ParseAction(p, name)
		if err != nil {
			return err
		}
		l.Path, l.Played = append(l.Path, p), append(l.Played, action)
		p = p.Play(action)
	}
	return nil
}
