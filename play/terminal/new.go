package terminal

import (
	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/play"
	"dojo.example/search/think"
)

// Human names a player whose actions are typed at the terminal.
const Human = "human"

// Options sets the players and the start position of a [Session].
type Options struct {
	Players arena.Env // environment for creating players; it includes the game

	// Model plays for each side whose entry in Seats is "", and gives the hints. If Model.Evaluator
	// is nil, there is no model.
	Model think.Options

	Tables bool // if true, all models use endgame tables
	// Seats names the players of First and Second: Human, a text for arena.Parse, or "" for the
	// model.
	Seats       [2]string
	Position    string // position where games begin; see play.Position
	Seed        uint64 // determines the first start position and the seeds of the players
	Simulations int    // number of simulations of each search of the model
}

// New returns a session. Call its method Run to play.
func New(o Options) (*Session, error) {
	game := o.Players.Game
	start, err := play.Position(game.Game, o.Position, o.Seed)
	if err != nil {
		return nil, err
	}
	if o.Tables {
		o.Model = o.Model.WithTables()
		o.Players.WithTables = true
	}
	s := &Session{Game: play.New(game.Game, start)}
	seed := o.Seed - 1
	s.seed = func() uint64 { seed++; return seed }
	s.deal = func() (engine.Position, error) { return play.Position(game.Game, o.Position, s.seed()) }
	s.hints.Thinker, s.hints.byModel = think.New(game, o.Model), o.Model.Evaluator != nil
	s.hints.budget = think.Budget{Visits: o.Simulations}
	bytes := game.Bytes(o.Model.WithDefaults().Search, o.Simulations, true) // memory for the search of a hint; the players' memory is added below
	for i, text := range o.Seats {
		player, err := seated(text, o)
		if err != nil {
			return nil, err
		}
		s.seats[i] = seat{name: player.Player}
		if player.Make != nil {
			s.seats[i].player = player.Make()
		}
		bytes = memory.Sum(bytes, player.Bytes)
	}
	return s, memory.Check(bytes, "the searches of both players and the hints")
}

// seated returns the player for an entry of Options.Seats. For Human it returns a Contestant whose
// Make is nil.
func seated(text string, o Options) (player arena.Contestant, err error) {
	switch {
	case text == Human:
		player.Player = Human
		return player, nil
	case text == "" && o.Model.Evaluator != nil:
		player = arena.MCTS(o.Players.Game, o.Model, think.Budget{Visits: o.Simulations})
		player.Player = "model"
		return player, nil
	case text == "":
		text = "mcts:1000"
	}
	return arena.Parse(text, o.Players)
}
