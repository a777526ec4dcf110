package codingame

import (
	"fmt"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
)

// A Game is the part of an exported bot that differs from game to game. Its texts CPP and Go are
// placed between the weights and the layers of the network. They declare:
//
//	C++                                Go                    meaning
//	MOST                               most                  largest number of legal actions in a position
//	struct State                       type state            a position: 32-bit words without padding, at first
//	                                                         all zeros
//	    mover, outcome                     mover, outcome    mover is 0 or 1; outcome is ONGOING, FIRST, SECOND or DRAW
//	    operator==, legal, play            is, legal, play
//	tables()                           tables()              called once, before the weights are read
//	possible(action)                   possible(action)      whether the action is legal in any position
//	features(state, list)              state.features()      as engine.FeatureLister, without the features in base
//	effects(state, actions, n, list)   state.effects(...)    as engine.ActionFeatureLister
//	base(state)                        state.base()          b1, or the sum of b1 and the columns of w1
//	                                                         for some features of the state
//	strikes(state)                     state.strikes()       as engine.Striker, for the player to move;
//	                                                         only for games with engine.Striker
//	threatened(state)                  state.threatened()    as engine.Striker, for the other player;
//	                                                         only for games with engine.Striker
//	ask(state)                         state.ask()           reads a question, and sets state to its position;
//	                                                         before, state is the position after the last
//	                                                         answer, or zero before the first question
//	answer(state, action, text)        state.answer(action)  writes the answer line for the action
//
// Legal actions are in the order of engine.State.Legal. The texts read lines of input with readLine
// or read. The bots of Onitama and of examples/breakthrough are complete examples; examples/ultimate
// has a bot in C++ only.
type Game struct {
	Title    string          // the game's name, as people write it
	Game     engine.Game     // must have the referee's protocol "codingame"
	CPP, Go  string          // the game's part of a bot's source, in each language
	Possible []engine.Action // actions that are legal in some position, in order; nil means all actions

	protocol engine.Protocol
}

var games = map[string]Game{}

// Register adds a game, so that Bot.Program can write bots that play it. It panics if the game is
// already registered or lacks the protocol "codingame".
func Register(g Game) {
	if _, ok := games[g.Game.Name]; ok {
		panic(fmt.Sprintf("codingame: game %s is already registered", g.Game.Name))
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

// turn returns the time limit for one answer in the referee's protocol.
func (g Game) turn() time.Duration { return time.Duration(g.protocol.TurnTime()) * time.Millisecond }

// part returns the game's part of a bot's source in a language.
func (g Game) part(l Language) string {
	if l == Go {
		return g.Go
	}
	return g.CPP
}
