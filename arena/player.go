// Package arena measures how strong players are. It creates players from their names (Parse),
// including external programs (External), and provides fixed opponents for comparison. It plays
// matches in which both players get the same openings (Match), computes Elo with confidence
// intervals (Result) and ladders of many players (MatchLog, Ladder), and asks players about
// positions of known value (Answer).
package arena

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/memory"
	"dojo.example/model"
	"dojo.example/search/alphabeta"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
)

// Player chooses actions, in one game at a time. It may keep memory, such as a search tree, from
// move to move; NewGame clears it. Only one goroutine uses a player at a time.
type Player interface {
	// NewGame is called before the first move of each game. The player must derive all of its
	// randomness in this game from seed.
	NewGame(seed uint64)

	// Choose returns a legal action in position p, in which this player is to move. The positions
	// of a game come in order, but the player is not told which actions were played since the last
	// call. A player that keeps a tree must look for p in the tree.
	Choose(ctx context.Context, p engine.Position) (engine.Action, error)
}

// Release frees what players hold, such as external programs, and returns when those programs have
// exited. The code that created the players calls Release. It closes every player that is an
// [io.Closer].
func Release(players ...Player) {
	for _, p := range players {
		if c, ok := p.(io.Closer); ok {
			_ = c.Close() // the error does not matter: the player is no longer needed
		}
	}
}

// Forfeit is the error of a player that broke the rules of the match, for example by exceeding its
// time limit. The player loses the game. Any other error ends the match.
type Forfeit struct{ Reason error }

func (f Forfeit) Error() string { return f.Reason.Error() }
func (f Forfeit) Unwrap() error { return f.Reason }

// A Contestant describes a player of matches and how to create it.
type Contestant struct {
	Player string `json:"player"`          // name of the player; see [Parse]
	Model  string `json:"model,omitempty"` // hash of the model, if the player uses one

	// Constants holds the search constants that are stored with the model; see model.Meta.Players.
	// It does not include constants that are changed in the player's name.
	Constants string `json:"constants,omitempty"`

	Make func() Player `json:"-"` // makes a player; each worker of a match calls it once
	// Luck is true if the player may answer differently when a game is repeated, because it uses
	// chance, because its time is limited, or because it is an external program.
	Luck       bool              `json:"-"`
	Checkpoint *model.Checkpoint `json:"-"` // the model, if the player uses one
	// Changes holds the changes in the name of a player that uses a model, such as "#float32".
	Changes string       `json:"-"`
	Budget  think.Budget `json:"-"` // search budget per move
	// Bytes is the most memory, in bytes, that the search trees of one such player use.
	Bytes int64 `json:"-"`
}

// NameWith returns the name that the player would have if its model had the given name. A player
// that uses no model keeps its own name.
func (c Contestant) NameWith(model string) string {
	if c.Checkpoint == nil {
		return c.Player
	}
	if c.Budget.Time > 0 {
		return fmt.Sprintf("%s%s@%v", model, c.Changes, c.Budget.Time)
	}
	return fmt.Sprintf("%s%s:%d", model, c.Changes, c.Budget.Visits)
}

// A searcher plays by tree search and keeps its tree between moves.
type searcher struct {
	*think.Thinker
	budget think.Budget // budget for each move
}

func (s searcher) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if _, err := s.Think(ctx, p, s.budget); err != nil {
		return 0, err
	}
	return s.Thinker.Choose(), nil
}

// MCTS returns a player that searches within a budget and plays the best action. If the search is
// limited only by time, its tree may use 512 MiB, or less if two such trees per core would not fit
// into memory.
func MCTS(game mcts.Game, opt think.Options, b think.Budget) Contestant {
	opt = opt.WithDefaults()
	bytes := game.Bytes(opt.Search, b.Visits, true)
	if b.Visits == 0 {
		bytes = min(512<<20, int64(memory.ForTrees())/int64(2*runtime.GOMAXPROCS(0)))
		opt.Search.Memory = bytes
	}
	luck := opt.Evaluator == nil || opt.Random > 0 || b.Time > 0
	return Contestant{Budget: b, Luck: luck, Bytes: bytes, Make: func() Player { return searcher{think.New(game, opt), b} }}
}

// Net returns a player with the given name that uses evaluator e as AlphaZero does in matches: it
// searches with the constants in cfg and without noise, and plays the best action.
func Net(name string, game mcts.Game, e model.Evaluator, cfg mcts.Config) Contestant {
	c := MCTS(game, think.Options{Evaluator: e, Search: cfg}, think.Budget{Visits: cfg.Simulations})
	c.Player = name
	return c
}

// AlphaBeta returns a player that uses the classical search of package alphabeta. It serves as a
// fixed opponent for trained bots. limit bounds the search of each turn, and t bounds its time; if
// t is 0, there is no time limit. If the search is limited only by depth or nodes, the player plays
// the same on every machine.
func AlphaBeta(newSearch func() alphabeta.Searcher, limit alphabeta.Limit, t time.Duration) Contestant {
	return Contestant{Luck: t > 0, Make: func() Player { return &alphaBeta{newSearch(), limit, t} }}
}

type alphaBeta struct {
	search alphabeta.Searcher
	limit  alphabeta.Limit
	time   time.Duration
}

func (y *alphaBeta) NewGame(uint64) { y.search.Reset() }

func (y *alphaBeta) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	begin, limit := time.Now(), y.limit
	limit.Stop = func() bool { return ctx.Err() != nil || y.time > 0 && time.Since(begin) >= y.time }
	return y.search.Search(p, limit).Action, ctx.Err()
}

// Random returns a player that chooses among the legal actions at random.
func Random() Contestant {
	return Contestant{Player: "random", Luck: true, Make: func() Player { return &random{} }}
}

type random struct{ rng *rand.Rand }

func (r *random) NewGame(seed uint64) { r.rng = rand.New(rand.NewPCG(seed, 0)) }

func (r *random) Choose(_ context.Context, p engine.Position) (engine.Action, error) {
	legal := p.Legal(nil)
	return legal[r.rng.IntN(len(legal))], nil
}

// Greedy returns a player that looks one action ahead. It plays a winning action if there is one.
// Otherwise it avoids actions after which the opponent can win immediately. Of the remaining
// actions it plays the one with the best engine.Heuristic, for example a capture; it breaks ties at
// random. If the opponent can win after every action, it plays any action.
func Greedy() Contestant {
	return Contestant{Player: "greedy", Luck: true, Make: func() Player { return &greedy{} }}
}

type greedy struct{ random }

func (g *greedy) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	me := p.ToMove()
	var best []engine.Action
	var bestScore int
	for _, a := range p.Legal(nil) {
		// Check the context here: with hundreds of actions and hundreds of answers to each, the
		// loop can take a long time.
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next := p.Play(a)
		if next.Outcome() == engine.WonBy(me) {
			return a, nil
		}
		if next.Outcome() == engine.WonBy(1-me) || next.ToMove() != me && winsAtOnce(next) {
			continue
		}
		score := engine.HeuristicOf(next.State()) * int(me.Sign())
		if best == nil || score > bestScore {
			best, bestScore = best[:0], score
		}
		if score == bestScore {
			best = append(best, a)
		}
	}
	if best == nil {
		return g.random.Choose(ctx, p)
	}
	return best[g.rng.IntN(len(best))], nil
}

// winsAtOnce reports whether the player to move has a winning action.
func winsAtOnce(p engine.Position) bool {
	if p.Outcome() != engine.Ongoing {
		return false
	}
	for _, a := range p.Legal(nil) {
		if p.Play(a).Outcome() == engine.WonBy(p.ToMove()) {
			return true
		}
	}
	return false
}
