// Package games lists the games. To add a game, add one line to All and change nothing else. For a
// game in another module, call [Register].
package games

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"dojo.example/engine"
	"dojo.example/engine/connectfour"
	"dojo.example/engine/oanquan"
	"dojo.example/engine/onitama"
	"dojo.example/engine/othello"
	"dojo.example/engine/patchwork"
	"dojo.example/engine/tictactoe"
	"dojo.example/engine/wallonitama"
	"dojo.example/model"
	"dojo.example/search/alphabeta"
	"dojo.example/search/mcts"
	"dojo.example/search/solve"
)

// All lists all games, sorted by name.
var All = []Entry{
	configurable(connectfour.Rules, connectfour.Configured),
	entry(tabled(onitama.Classic)),
	configurable(oanquan.Rules, oanquan.Configured),
	entry(oanquan.New("oanquan-traditional", oanquan.Traditional)),
	configurable(othello.Rules, othello.Configured),
	configurable(patchwork.Rules, patchwork.Configured),
	entry(patchwork.New("patchwork-seven", true)),
	entry(tictactoe.Rules),
	configurable(wallonitama.Rules, wallonitama.Configured),
}

// Entry is a game together with the functions that depend on the type of its states, such as
// searches and benchmarks. The functions accept only positions of this game.
type Entry struct {
	mcts.Game
	AlphaBeta     func() alphabeta.Searcher
	Tables        bool // whether searches can use endgame tables; see mcts.Tactics
	Perft         func(p engine.Position, depth int, stop func() bool) int
	RandomPlayout func(p engine.Position, rng *rand.Rand) (plies int, err error)

	// Late returns a function that creates a solve.Candidate. The candidate generates random
	// positions that are at most the given number of plies before the end of a game, and proves
	// each of them with a search of at most the given number of nodes; see solve.Late. The
	// second result, bytes, is roughly how much memory one candidate needs.
	Late func(plies, nodes int) (candidates func(stop func() bool) solve.Candidate, bytes int64)

	// Registered reports whether [Register] added the game. Only programs with the module of that
	// game have it.
	Registered bool

	configured func(name string, set *engine.Settings) Entry // nil if the game has no options
}

// Register adds a game of another module to All. Call it before dojo.Main. Register panics if the
// name is already taken or if the rules are invalid; see [engine.Rules.Validate].
func Register[S engine.State[S]](r engine.Rules[S]) { register(r, entry(r)) }

// RegisterConfigurable is like Register, for a game that has options. Options follow the name of a
// game, as in breakthrough:features=none. configured returns the rules for the options; their name is
// the game's name with the options.
func RegisterConfigurable[S engine.State[S]](r engine.Rules[S], configured func(name string, set *engine.Settings) engine.Rules[S]) {
	register(r, configurable(r, configured))
}

func register[S engine.State[S]](r engine.Rules[S], e Entry) {
	if err := r.Validate(); err != nil {
		panic(err)
	}
	for _, e := range All {
		if e.Name == r.Name {
			panic(fmt.Sprintf("game %s is already registered", r.Name))
		}
	}
	e.Registered = true
	All = append(All, e)
}

// configurable returns the entry of a game that has options.
func configurable[S engine.State[S]](r engine.Rules[S], configured func(name string, set *engine.Settings) engine.Rules[S]) Entry {
	e := entry(r)
	e.configured = func(name string, set *engine.Settings) Entry { return entry(configured(name, set)) }
	return e
}

// tabled adds to the rules of Onitama a function that computes the endgame tables of package solve.
func tabled(r engine.Rules[onitama.State]) engine.Rules[onitama.State] {
	r.Endings = solve.Endings
	return r
}

func entry[S engine.State[S]](r engine.Rules[S]) Entry {
	return Entry{
		Game:      mcts.GameOf(r),
		AlphaBeta: func() alphabeta.Searcher { return alphabeta.New(r) },
		Tables:    r.Endings != nil,
		Late: func(plies, nodes int) (func(stop func() bool) solve.Candidate, int64) {
			return solve.Late(r, plies, nodes), solve.ProverBytes[S](nodes)
		},
		Perft: func(p engine.Position, depth int, stop func() bool) int {
			return engine.PerftUntil(p.State().(S), depth, stop)
		},
		RandomPlayout: func(p engine.Position, rng *rand.Rand) (int, error) { return r.RandomPlayout(p.State().(S), rng) },
	}
}

// ByName returns the named game. If there is no such game, the error lists all names. Options
// follow a colon, as in "wallonitama:turns=20". Options are part of the name, because a model can
// play a game only with the options that it was trained with.
func ByName(name string) (Entry, error) {
	base, text, optional := strings.Cut(name, ":")
	for _, e := range All {
		switch {
		case e.Name == base && !optional:
			return e, nil
		case e.Name == base && e.configured == nil:
			return Entry{}, fmt.Errorf("game %s has no options", base)
		case e.Name == base:
			set := engine.ReadSettings(base, text)
			configured := e.configured(name, set)
			return configured, set.Check()
		}
	}
	return Entry{}, fmt.Errorf("there is no game %q; the games are %s", name, strings.Join(Names(), ", "))
}

// Of returns the game that a checkpoint plays. It returns an error if the checkpoint does not fit
// the current rules of the game.
func Of(c *model.Checkpoint) (Entry, error) {
	game, err := ByName(c.Game)
	if err != nil {
		return game, fmt.Errorf("model %s: %w", c.Name, err)
	}
	return game, c.Check(game.Spec)
}

// ReadBy returns the game as a checkpoint reads it: the same rules, but perhaps with the features of
// another value of the option features (see [engine.FeaturesOption]). So models that read different
// features can play against each other. It returns an error if the checkpoint cannot play the game.
func (e Entry) ReadBy(c *model.Checkpoint) (mcts.Game, error) {
	if c.Game != e.Name && engine.SameRules(c.Game, e.Name) {
		other, err := Of(c)
		return other.Game, err
	}
	return e.Game, c.Check(e.Spec)
}

// Variants returns the game and, after it, the same game with each other value of the option features
// (see [engine.FeaturesOption]). It returns only the game itself if the game has no such option or if
// its name already sets the option.
func (e Entry) Variants() ([]Entry, error) {
	all, separator := []Entry{e}, ":"
	base, text, optional := strings.Cut(e.Name, separator)
	if optional {
		separator = ","
	}
	for _, plain := range All {
		if plain.Name != base || plain.configured == nil {
			continue
		}
		set := engine.ReadSettings(base, text)
		plain.configured(e.Name, set)
		for i, value := range set.Open(engine.FeaturesOption) {
			if i == 0 {
				continue // e has the default value
			}
			variant, err := ByName(e.Name + separator + engine.FeaturesOption + "=" + value)
			if err != nil {
				return nil, err
			}
			all = append(all, variant)
		}
	}
	return all, nil
}

// Names returns the names of all games.
func Names() (names []string) {
	for _, e := range All {
		names = append(names, e.Name)
	}
	return names
}
