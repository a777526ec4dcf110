package codingame

import (
	"fmt"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// A Game is a game's part of the bots. Its texts stand between the weights and the layers of
// the network, and declare, in C++ and in Go:
//
//	C++                                           Go
//	MOST                                          most                      legal actions of a position at most
//	struct State with mover, outcome,             type state, likewise      a position of whole words without padding,
//	                                                                        which are all 0 at first; mover is 0 or 1, and outcome
//	    operator==, legal, play                       with is, legal, play  ONGOING, FIRST, SECOND or DRAW
//	tables()                                      tables()                  called once, before the weights are read
//	possible(action)                              possible(action)          whether it may be legal anywhere
//	features(state, list)                         state.features()          as engine.FeatureLister, but for those in base
//	effects(state, actions, n, list)              state.effects(...)        as engine.ActionFeatureLister
//	base(state)                                   state.base()              b1, or sums of it and of columns of w1
//	strikes(state), threatened(state)             state.strikes() ...       as engine.Striker, of who moves and of the other;
//	                                                                        not needed for states that are no engine.Striker
//	ask(state)                                    state.ask()               reads a question; state is the position after
//	                                                                        the last answer, zero before the first
//	answer(state, action, text)                   state.answer(action)      the line of an answer
//
// Legal actions are in the order of engine.State.Legal. They read lines by readLine or read. The bots of Onitama and of examples/breakthrough show
// all of it.
type Game struct {
	Title    string          // as people write the game's name
	Game     engine.Game     // has the protocol of the referee, with the name codingame
	CPP, Go  string          // the texts
	Possible []engine.Action // actions that can be legal somewhere, in order; nil: all

	protocol engine.Protocol
}

var games = map[string]Game{}

// Register adds a game, whose bots Program can then write. It panics if a game of that name is
// there, or lacks the protocol.
func Register(g Game) {
	if _, ok := games[g.Game.Name]; ok {
		panic(fmt.Sprintf("codingame: %s is registered already", g.Game.Name))
	}
	var err error
	if g.protocol, err = g.Game.Protocol("codingame"); err != nil {
		panic(err)
	}
	if g.Possible == nil {
		for a := range g.Game.Actions {
			g.Possible = append(g.Possible, engine.Action(a))
		}
	}
	games[g.Game.Name] = g
}

func init() {
	Register(Game{
		Title: "Onitama", Game: onitama.Classic.Game(), CPP: onitamaCPP, Go: onitamaGo,
		Possible: onitama.Possible(),
	})
}

// turn is the time of the referee's protocol for an answer.
func (g Game) turn() time.Duration { return time.Duration(g.protocol.TurnTime()) * time.Millisecond }

// part is the game's text in a language.
func (g Game) part(l Language) string {
	if l == Go {
		return g.Go
	}
	return g.CPP
}
