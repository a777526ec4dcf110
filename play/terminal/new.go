package terminal

import (
	"dojo.example/arena"
	"dojo.example/engine"
	"dojo.example/play"
	"dojo.example/think"
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
	for i, text := range o.Seats {
		if s.seats[i], err = newSeat(text, o); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newSeat finds who is meant by the text of a seat.
func newSeat(text string, o Options) (seat, error) {
	switch {
	case text == Human:
		return seat{name: Human}, nil
	case text == "" && o.Model.Evaluator != nil:
		return seat{"model", arena.MCTS(o.Players.Game, o.Model, think.Budget{Visits: o.Simulations}).Make()}, nil
	case text == "":
		text = "mcts:1000"
	}
	player, err := arena.Parse(text, o.Players)
	if err != nil {
		return seat{}, err
	}
	return seat{player.Player, player.Make()}, nil
}
