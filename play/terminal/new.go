package terminal

import (
	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/play"
	"dojo.example/search/think"
)

// Human names a side that the user plays.
const Human = "human"

// Options say who plays a [Session], and from where.
type Options struct {
	Players     arena.Env     // what players are made from
	Model       think.Options // plays where no seat is named, and gives hints; without an evaluator: none
	Tables      bool          // all models know the endings of the game
	Seats       [2]string     // Human, or a player as arena.Parse reads it; "" is the model
	Position    string        // where games begin; see play.Position
	Seed        uint64        // of the first deal
	Simulations int           // of the model's searches
}

// New returns a session that Run plays.
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
	bytes := game.Bytes(o.Model.WithDefaults().Search, o.Simulations, true) // of the hints
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

// seated finds who is meant by the text of a seat. Nobody makes the player Human.
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
