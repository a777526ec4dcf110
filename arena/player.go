// Package arena measures how strong players are. It has the players and the names by
// which they are given (Parse), other programs as players (External), fixed opponents to
// compare with, matches over paired openings (Match), Elo with intervals (Result), ladders
// of many players (MatchLog, Ladder), and tests in positions of known value (Answer).
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

// Player chooses actions in one game at a time. A player may keep memory, such as
// a search tree, from move to move; NewGame clears it. A player is used by one
// goroutine at a time.
type Player interface {
	// NewGame is called before the first move of each game, with the seed
	// that all of the player's randomness in this game must come from.
	NewGame(seed uint64)

	// Choose returns a legal action of p, in which this player is to move.
	// Positions of one game come in order, but the actions between two calls
	// are not announced: a player that keeps a tree looks for p in it.
	Choose(ctx context.Context, p engine.Position) (engine.Action, error)
}

// Release ends what players need to play, such as another program, and returns when that has
// ended. Whoever made the players calls it. A player that needs it is an [io.Closer].
func Release(players ...Player) {
	for _, p := range players {
		if c, ok := p.(io.Closer); ok {
			_ = c.Close() // a player that is not needed any more
		}
	}
}

// Forfeit is the error of a player that broke the rules of the match, such as its
// clock, and so loses the game. Other errors end the match.
type Forfeit struct{ Reason error }

func (f Forfeit) Error() string { return f.Reason.Error() }
func (f Forfeit) Unwrap() error { return f.Reason }

// A Contestant is a player of matches, and how it is made.
type Contestant struct {
	Player string `json:"player"`          // its name; see [Parse]
	Model  string `json:"model,omitempty"` // the hash of the model, if it is one

	// Constants has the constants of the search that the model keeps, without changes by the player's
	// name; see model.Meta.Players.
	Constants string `json:"constants,omitempty"`

	Make       func() Player     `json:"-"` // is called once for each worker of a match
	Luck       bool              `json:"-"` // it may answer a game differently when it is played again: by chance, by time, or because nobody knows its program
	Checkpoint *model.Checkpoint `json:"-"` // the model, if it is one
	Changes    string            `json:"-"` // of the model's player, as its name has them: "#float32"
	Budget     think.Budget      `json:"-"` // of a search
	Bytes      int64             `json:"-"` // the most memory that the trees of one player take
}

// NameWith returns the name of the player if its model, if it is one, had the given name.
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
	budget think.Budget // of a move
}

func (s searcher) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	if _, err := s.Think(ctx, p, s.budget); err != nil {
		return 0, err
	}
	return s.Thinker.Choose(), nil
}

// MCTS plays the best action of a search within a budget. The tree of a search that only time limits may
// take 512 MiB, or less where two players for each core would not fit.
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

// Net is the named model, playing as AlphaZero does in matches: the best action of a search with
// the constants cfg, without noise.
func Net(name string, game mcts.Game, e model.Evaluator, cfg mcts.Config) Contestant {
	c := MCTS(game, think.Options{Evaluator: e, Search: cfg}, think.Budget{Visits: cfg.Simulations})
	c.Player = name
	return c
}

// AlphaBeta returns the player of package alphabeta, a classical search as the fixed opponent
// of trained bots, with a limit on the search of a turn and, unless it is 0, a time. By depth or
// nodes it plays the same on every machine.
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

// Random plays any legal action.
func Random() Contestant {
	return Contestant{Player: "random", Luck: true, Make: func() Player { return &random{} }}
}

type random struct{ rng *rand.Rand }

func (r *random) NewGame(seed uint64) { r.rng = rand.New(rand.NewPCG(seed, 0)) }

func (r *random) Choose(_ context.Context, p engine.Position) (engine.Action, error) {
	legal := p.Legal(nil)
	return legal[r.rng.IntN(len(legal))], nil
}

// Greedy looks one action ahead. It takes a win if there is one. Otherwise it
// leaves out the actions that let the other player win at once and plays the
// one after which engine.Heuristic is best, such as a capture; equal ones at random. If every action loses, it plays any.
func Greedy() Contestant {
	return Contestant{Player: "greedy", Luck: true, Make: func() Player { return &greedy{} }}
}

type greedy struct{ random }

func (g *greedy) Choose(ctx context.Context, p engine.Position) (engine.Action, error) {
	me := p.ToMove()
	var best []engine.Action
	var bestScore int
	for _, a := range p.Legal(nil) {
		if err := ctx.Err(); err != nil { // with hundreds of actions and of answers to each, the loop takes long
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
