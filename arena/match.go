package arena

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"

	"dojo.example/engine"
	"dojo.example/internal/memory"
)

// Options is a match of player A against player B. In each game one of them
// is First and the other Second.
type Options struct {
	Game engine.Game
	A, B Contestant // their names in errors are "A" and "B" if they have none

	// Games is even: each opening is played twice, sides swapped.
	Games int

	// Seed decides all random numbers of openings and players.
	Seed uint64

	// OpeningPlies is the number of random actions before the players start.
	// An opening is drawn again if it ends the game, if the player to move can win
	// at once, or if the match has had it before and the game has others. Plies returns
	// a number that gives enough openings.
	OpeningPlies int

	// Again has the openings played again in the same order when the game has no new one, whoever
	// plays. Otherwise the match ends then, unless a player has luck: the others would only
	// repeat their games.
	Again bool

	// Balanced decides whether an opening may be played; if not, another one is drawn. Nil
	// allows all.
	Balanced *Balance

	// Skip is the number of pairs that were played before. The match begins with the
	// pair after them, and their games are not in its result.
	Skip int

	// Workers is the number of games played at the same time, at least 1. No
	// more are started than there are pairs, and never more than maxWorkers.
	Workers int

	// Source plays the pairs; nil is PlayHere.
	Source Source

	// Log, if not nil, keeps the games of the match. Games that it has count in the result, also
	// those beyond Games, and are not played again.
	Log    *MatchLog
	logged map[int][]Record // pairs that Log had at the beginning, by number

	// Test, if not nil, ends the match when it is decided.
	Test *SPRT

	// These are called one at a time, in the order of the pairs; each may be nil.
	Records  func(Record) error       // each game that is played now; an error ends the match
	Progress func(done int, r Result) // after each pair: games done, and the result so far

	// Notice is told if fewer games are played at the same time than Workers, for lack of memory; it may be nil.
	Notice func(text string)
}

// fit returns how many of n workers play the match in this process: fewer if there are fewer
// pairs, or memory for fewer players. The error says that there is no memory for two.
func (o *Options) fit(n int) (int, error) {
	n = min(max(1, n), max(1, o.Games/2-o.Skip), maxWorkers)
	fit, err := memory.Workers(n, memory.Sum(o.A.Bytes, o.B.Bytes), "%s against %s", cmp.Or(o.A.Player, "A"), cmp.Or(o.B.Player, "B"))
	if err == nil && fit < n && o.Notice != nil {
		o.Notice(fmt.Sprintf("%d games are played at a time, and not %d: the search trees of more could need more memory than --memory %v leaves", fit, n, memory.Limit()))
	}
	return fit, err
}

// CheckMemory returns an error if there is no memory for the searches of the players.
func (o Options) CheckMemory() error {
	o.Notice = nil
	_, err := o.fit(o.Workers)
	return err
}

// maxWorkers bounds the searches that are held in memory at the same time.
const maxWorkers = 256

// Record is a game of a match. Its JSON is part of what EncodePair and a [MatchLog] write.
type Record struct {
	Pair    int            `json:"-"`                 // the number of the opening; its two games follow each other
	AFirst  bool           `json:"-"`                 // whether A was First
	Opening string         `json:"opening,omitempty"` // the position after the random actions
	Actions []string       `json:"actions"`           // after the opening, by their names
	Outcome engine.Outcome `json:"outcome"`
	Forfeit string         `json:"forfeit,omitempty"` // why the loser lost, if not by the rules of the game
	Points  []int          `json:"points,omitempty"`  // of First and Second in the end; nil in a game without scores or with a forfeit

	// Repeat says that an earlier game of the match had the same opening, the
	// same player as First, and the same actions. Such a game gives no new
	// information and does not count in the score, Elo and their intervals.
	Repeat bool `json:"-"`
}

// Match plays a match. Its result depends on the seed and the players alone,
// not on the number of workers. The memory it takes without a log does not depend on the
// number of games. With an error, the result is that of the games so far.
func Match(ctx context.Context, o Options) (Result, error) {
	if o.Games < 2 || o.Games%2 != 0 {
		return Result{}, fmt.Errorf("match: %d games are not an even number of at least 2", o.Games)
	}
	if o.OpeningPlies < 0 {
		return Result{}, fmt.Errorf("match: openings of %d actions are impossible", o.OpeningPlies)
	}
	r := referee{opt: &o, next: o.Skip, waiting: map[int][]Record{}, standing: newStanding()}
	if o.Log != nil {
		o.logged = o.Log.pairs(o.played().key(), o.A)
		r.advance()
		o.Skip = r.next
	}
	if r.over != nil || o.Skip >= o.Games/2 {
		return r.Result, nil
	}
	var err error
	if o.Workers, err = o.fit(o.Workers); err != nil {
		return Result{}, err
	}
	source := o.Source
	if source == nil {
		source = PlayHere
	}
	err = source(ctx, NewPairs(o), r.finish)
	if errors.Is(err, ErrEnough) {
		err = nil
	}
	return r.Result, err
}

// A Source has the pairs of a match played, by this process or others. It calls finish with
// the games of each pair, which p has played or checked, in any order and from any goroutine,
// until all pairs are played or finish returns ErrEnough. When it returns, finish is not
// called any more.
type Source func(ctx context.Context, p *Pairs, finish Finish) error

// Finish receives the games of a pair. Pairs are counted in the order of their numbers; it
// returns how many of them it has counted now. ErrEnough says that the match is decided.
type Finish func(pair int, games []Record) (counted int, err error)

// ErrEnough says that [Options].Test has ended a match.
var ErrEnough = errors.New("the match is decided")

// A referee receives pairs in the order in which they end, and counts them in the order of
// their numbers.
type referee struct {
	opt *Options

	mu       sync.Mutex
	next     int              // the number of the next pair to count; guarded by mu
	waiting  map[int][]Record // pairs that ended before an earlier one; guarded by mu
	standing                  // of the pairs before next; guarded by mu
	over     error            // why no further pair counts: ErrEnough, or what Options.Records returned; guarded by mu
}

// finish receives a pair and counts all pairs whose turn has come; see Finish.
func (r *referee) finish(pair int, records []Record) (counted int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[pair] = records
	if r.opt.Log != nil && r.over == nil {
		r.over = r.opt.Log.record(r.opt, records)
	}
	return r.advance(), r.over
}

// advance counts the pairs whose turn has come, and returns how many of them finish has received.
// The caller holds mu.
func (r *referee) advance() (received int) {
	for r.over == nil {
		if pair := r.opt.logged[r.next]; pair != nil {
			r.count(pair, false)
		} else if pair := r.waiting[r.next]; pair != nil {
			delete(r.waiting, r.next)
			r.count(pair, true)
			received++
		} else {
			break
		}
	}
	return received
}

// count adds the next pair to the result and reports it. isNew is false for a pair of the log.
// The caller holds mu.
func (r *referee) count(pair []Record, isNew bool) {
	r.next++
	r.add(pair)
	for _, record := range pair {
		if isNew && r.opt.Records != nil && r.over == nil {
			r.over = r.opt.Records(record)
		}
	}
	if r.opt.Progress != nil {
		r.opt.Progress(2*r.next, r.Result)
	}
	if r.opt.Test != nil && r.over == nil {
		if _, v := r.opt.Test.Verdict(r.Result); v != Continue {
			r.over = ErrEnough
		}
	}
}

// A standing counts the pairs of a match so far, in the order of their numbers.
type standing struct {
	Result
	seen map[uint64]bool // hashes of the openings and games so far
}

func newStanding() standing { return standing{seen: map[uint64]bool{}} }

// add counts a pair, after it has found out which of its games are repeats.
func (s *standing) add(pair []Record) {
	for i := range pair {
		g := &pair[i]
		if s.first(g.Opening) {
			s.Openings++
		}
		how := fmt.Sprint(g.AFirst, g.Outcome, g.Forfeit != "")
		g.Repeat = !s.first(append([]string{g.Opening, how}, g.Actions...)...)
	}
	s.Result.add(pair)
}

// first reports whether the texts are met for the first time, and remembers them.
func (s *standing) first(texts ...string) bool {
	const most = 3 * maxOpenings // an opening and its two games
	key := hash(texts...)
	first := !s.seen[key]
	if len(s.seen) < most {
		s.seen[key] = true
	}
	return first
}

// hash returns a hash of texts.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", texts)
	return h.Sum64()
}
