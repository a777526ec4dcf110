// Package games is the list of games. It is the only package that names them
// all, and the only one to change when a game is added.
package games

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"dojo/engine"
	"dojo/engine/oanquan"
	"dojo/engine/onitama"
	"dojo/engine/patchwork"
	"dojo/engine/tictactoe"
	"dojo/engine/wallonitama"
	"dojo/mcts"
)

// All is every game, by name.
var All = []Entry{
	entry(onitama.Classic),
	entry(oanquan.Rules),
	entry(oanquan.New("oanquan-traditional", oanquan.Traditional)),
	entry(patchwork.Rules),
	entry(patchwork.New("patchwork-seven", true)),
	entry(tictactoe.Rules),
	entry(wallonitama.Rules),
}

// Entry is a game and what needs the type of its states: the search, and the
// work that benchmarks measure. Their positions must be of the game.
type Entry struct {
	engine.Game
	NewSearch func(cfg mcts.Config) mcts.Search // call Reset before use
	Perft     func(p engine.Position, depth int) int
	Playout   func(p engine.Position, rng *rand.Rand) (plies int)
}

func entry[S engine.State[S]](r engine.Rules[S]) Entry {
	return Entry{
		Game:      r.Game(),
		NewSearch: func(cfg mcts.Config) mcts.Search { return mcts.New(r, cfg) },
		Perft:     func(p engine.Position, depth int) int { return engine.Perft(p.State().(S), depth) },
		Playout:   func(p engine.Position, rng *rand.Rand) int { return engine.Playout(p.State().(S), rng) },
	}
}

// ByName returns the named game; the error lists the names there are.
func ByName(name string) (Entry, error) {
	var names []string
	for _, e := range All {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("no game is called %q; there are %s", name, strings.Join(names, ", "))
}
