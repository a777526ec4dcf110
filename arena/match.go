package arena

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"dojo/engine"
)

// Maker makes one of the players that a match needs: one for each worker.
type Maker func() Player

// Options is a match of player A against player B. In each game one of them
// is First and the other Second.
type Options struct {
	Game engine.Game
	A, B Maker

	// Names are what errors call A and B; "A" and "B" if they are empty.
	Names [2]string

	// Games is even: each opening is played twice, sides swapped.
	Games int

	// Seed is where openings and players draw from, pair by pair.
	Seed uint64

	// OpeningPlies is the number of random actions before the players start.
	// An opening that ends the game, or in which a win is at hand, is drawn
	// again, and so is one that the match has had, while the game has others.
	OpeningPlies int

	// Balanced says whether an opening may be played; if not, it is drawn again. Nil is
	// any opening. It depends on the position alone, and is called by one goroutine at a
	// time.
	Balanced func(context.Context, engine.Position) (bool, error)

	// Skip is the number of pairs that were played before: the match begins with the
	// pair after them, and its result does not count their games.
	Skip int

	// Workers is the number of games played at the same time, at least 1. No
	// more are started than there are pairs, and never more than maxWorkers.
	Workers int

	// Source plays the pairs; nil is PlayHere.
	Source Source

	// These are called one at a time, in the order of the pairs; each may be
	// nil. Stop ends the match early by returning true.
	Records  func(Record)             // each game
	Progress func(done int, r Result) // after each pair: games done, and the result so far
	Stop     func(r Result) bool      // after each pair
}

// maxWorkers bounds the searches that are held in memory at the same time.
const maxWorkers = 256

// Record is a game of a match.
type Record struct {
	Pair    int  // the number of the opening; its two games follow each other
	AFirst  bool // whether A was First
	Opening string
	Actions []string // after the opening, by their names
	Outcome engine.Outcome
	Forfeit error // how the loser lost, if not by the rules; nil otherwise
	Points  []int // what First and Second had in the end; nil in a game without scores or with a forfeit

	// Repeat tells that an earlier game of the match had the same opening,
	// the same player as First, and the same actions. It says nothing new, and
	// does not count in the score, Elo and their intervals.
	Repeat bool
}

// Match plays a match. Its result depends on the seed and the players alone,
// not on the number of workers. The memory it takes does not depend on the
// number of games.
func Match(ctx context.Context, o Options) (Result, error) {
	if o.Games < 2 || o.Games%2 != 0 {
		return Result{}, fmt.Errorf("match: %d games are not an even number of at least 2", o.Games)
	}
	source := o.Source
	if source == nil {
		source = PlayHere
	}
	r := referee{opt: &o, pairs: NewPairs(o), counted: o.Skip, waiting: make(map[int][]Record), games: make(map[uint64]struct{})}
	err := source(ctx, r.pairs, r.finish)
	if r.stopped {
		err = nil
	}
	return r.result, err
}

// A Source sees to it that the pairs of a match are played, here or elsewhere. It gives
// the games of each pair to finish, after p has played or checked them, in any order and
// from any goroutine, until there are no more or finish returns ErrEnough. It returns
// when finish will not be called again.
type Source func(ctx context.Context, p *Pairs, finish Finish) error

// Finish takes the games of a pair. It returns how many pairs have been counted: they
// are counted in the order of their numbers. ErrEnough says that the match is decided.
type Finish func(pair int, games []Record) (counted int, err error)

// ErrEnough says that [Options].Stop has ended a match.
var ErrEnough = errors.New("the match is decided")

// A referee takes pairs in the order in which they end, and counts them in the order of
// their numbers.
type referee struct {
	opt   *Options
	pairs *Pairs

	mu      sync.Mutex
	counted int                 // pairs in result; guarded by mu
	waiting map[int][]Record    // pairs that ended before an earlier one; guarded by mu
	games   map[uint64]struct{} // hashes of the games in result, to find repeats; guarded by mu
	result  Result              // guarded by mu
	stopped bool                // by Options.Stop: no further pair counts; guarded by mu
}

// maxGames is the most games that are remembered to find repeats: both of
// every opening.
const maxGames = 2 * maxOpenings

// finish takes a pair that was played and counts all whose turn has come; see Finish.
func (r *referee) finish(pair int, records []Record) (counted int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[pair] = records
	for next := r.waiting[r.counted]; next != nil && !r.stopped; next = r.waiting[r.counted] {
		delete(r.waiting, r.counted)
		r.count(next)
	}
	if r.stopped {
		err = ErrEnough
	}
	return r.counted, err
}

// count adds the next pair to the result and tells of it. The caller holds mu.
func (r *referee) count(records []Record) {
	for i := range records {
		records[i].Repeat = r.repeats(records[i])
		if r.opt.Records != nil {
			r.opt.Records(records[i])
		}
	}
	r.counted++
	r.result.add(records)
	r.result.Openings = r.pairs.different(r.counted)
	if r.opt.Progress != nil {
		r.opt.Progress(2*r.counted, r.result)
	}
	r.stopped = r.opt.Stop != nil && r.opt.Stop(r.result)
}

// repeats reports whether a game repeats an earlier one, and remembers it.
// The caller holds mu.
func (r *referee) repeats(g Record) bool {
	key := g.key()
	_, known := r.games[key]
	if !known && len(r.games) < maxGames {
		r.games[key] = struct{}{}
	}
	return known
}

// key is the same for games that repeat each other.
func (g Record) key() uint64 {
	how := fmt.Sprint(g.AFirst, g.Outcome, g.Forfeit != nil)
	return hash(append([]string{g.Opening, how}, g.Actions...)...)
}
