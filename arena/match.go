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

// Options describes a match between players A and B. In each game, one of them plays First (the
// side that moves first) and the other plays Second.
type Options struct {
	Game engine.Game
	A, B Contestant // error messages call a player without a name "A" or "B"

	// Games is the number of games. It is even, because each opening is played twice, with sides
	// swapped.
	Games int

	// Seed determines the random openings and all random numbers that the players use.
	Seed uint64

	// OpeningPlies is the number of random actions before the players start. A random opening is
	// discarded if it ends the game, if the player to move has a winning action, or if the match
	// has already used it and the game has others. Plies returns a number that gives enough
	// openings.
	OpeningPlies int

	// Again decides what happens when the match has used every opening of the game. If Again is
	// true, the match uses its openings again in the same order. If it is false, the match ends,
	// because the players would only repeat their games. If a player is not deterministic (see
	// [Contestant].Luck), the match always uses its openings again.
	Again bool

	// Balanced decides whether an opening may be played; the match discards all other openings. Nil
	// allows every opening.
	Balanced *Balance

	// Skip is the number of pairs that were played in an earlier match with these options. The
	// match begins with the pair after them. The games of skipped pairs do not count in the result.
	Skip int

	// Workers is the number of games that are played at the same time, at least 1. The match starts
	// at most one worker per pair, and at most maxWorkers workers.
	Workers int

	// Source plays the pairs of games. Nil means PlayHere.
	Source Source

	// Log stores the games of the match; it may be nil. Games that are already in Log are not
	// played again. They count in the result, even if Log has more games than the field Games asks
	// for.
	Log    *MatchLog
	logged map[int][]Record // pairs that were already in Log when the match began, by number

	// Test is a sequential test. The match ends as soon as the test is decided. Nil means no test.
	Test *SPRT

	// Records and Progress are called from one goroutine at a time, in the order of the pairs. Each
	// may be nil.
	Records  func(Record) error       // called for each newly played game; an error ends the match
	Progress func(done int, r Result) // called after each pair, with the number of games done and the result so far

	// Notice is called if there is not enough memory to play Workers games at the same time. It may
	// be nil.
	Notice func(text string)
}

// fit returns how many workers, at most n, can play the match in this process. The number is
// smaller than n if the match has fewer than n pairs, or if memory is too small for the players of
// n workers. fit returns an error if there is not even memory for one player A and one player B.
func (o *Options) fit(n int) (int, error) {
	n = min(max(1, n), max(1, o.Games/2-o.Skip), maxWorkers)
	fit, err := memory.Workers(n, memory.Sum(o.A.Bytes, o.B.Bytes), "%s against %s", cmp.Or(o.A.Player, "A"), cmp.Or(o.B.Player, "B"))
	if err == nil && fit < n && o.Notice != nil {
		o.Notice(fmt.Sprintf("only %d games are played at a time instead of %d: more search trees could need more memory than --memory %v allows", fit, n, memory.Limit()))
	}
	return fit, err
}

// CheckMemory returns an error if there is not enough memory for the searches of both players.
func (o Options) CheckMemory() error {
	o.Notice = nil
	_, err := o.fit(o.Workers)
	return err
}

// maxWorkers limits the number of games that are played at the same time, because the searches of
// all of them are in memory.
const maxWorkers = 256

// Record describes one game of a match. EncodePair and [MatchLog] write its JSON form.
type Record struct {
	Pair    int            `json:"-"`                 // number of the pair; its two games have the same opening
	AFirst  bool           `json:"-"`                 // whether player A played First
	Opening string         `json:"opening,omitempty"` // position after the random actions
	Actions []string       `json:"actions"`           // names of the actions after the opening
	Outcome engine.Outcome `json:"outcome"`
	Forfeit string         `json:"forfeit,omitempty"` // why the loser lost, if not by the rules
	Points  []int          `json:"points,omitempty"`  // final points of First and Second; nil for a forfeit or a game without scores

	// Repeat is true if an earlier game of the match had the same opening, the same First player
	// and the same actions. Such a game gives no new information. It does not count in the score,
	// in Elo or in their intervals.
	Repeat bool `json:"-"`
}

// Match plays a match. The result depends only on the seed and the players, not on the number of
// workers. Unless the match has a log, memory use does not depend on the number of games. If Match
// returns an error, its result covers the games that were counted before the error.
func Match(ctx context.Context, o Options) (Result, error) {
	if o.Games < 2 || o.Games%2 != 0 {
		return Result{}, fmt.Errorf("match: %d games: the number must be even and at least 2", o.Games)
	}
	if o.OpeningPlies < 0 {
		return Result{}, fmt.Errorf("match: openings of %d actions: the number must not be negative", o.OpeningPlies)
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

// A Source plays the pairs of a match, in this process or in others. It calls finish with the games
// of each pair after p has played or checked them. The calls may come in any order and from any
// goroutine. Source returns when all pairs are played or when finish returns an error such as
// ErrEnough. It must not call finish after it has returned.
type Source func(ctx context.Context, p *Pairs, finish Finish) error

// Finish receives the games of a pair. Pairs are counted in the order of their numbers, so a pair
// waits until all earlier pairs have arrived. counted is the number of pairs that this call
// counted: the given pair and the pairs that waited for it, or 0 if the given pair must wait.
// ErrEnough says that the match is decided.
type Finish func(pair int, games []Record) (counted int, err error)

// ErrEnough ends a match whose sequential test (see [Options].Test) is decided.
var ErrEnough = errors.New("the match is decided")

// A referee receives the pairs of a match in the order in which they finish, and counts them in the
// order of their numbers.
type referee struct {
	opt *Options

	mu       sync.Mutex
	next     int              // number of the next pair to count; guarded by mu
	waiting  map[int][]Record // pairs that wait for an earlier pair; guarded by mu
	standing                  // result of the pairs with numbers below next; guarded by mu
	over     error            // why counting stopped: ErrEnough, or an error of Options.Records or Log; guarded by mu
}

// finish receives a pair. It then counts this pair and the waiting pairs, up to the first pair that
// is missing; see Finish.
func (r *referee) finish(pair int, records []Record) (counted int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[pair] = records
	if r.opt.Log != nil && r.over == nil {
		r.over = r.opt.Log.record(r.opt, records)
	}
	return r.advance(), r.over
}

// advance counts pairs in the order of their numbers until one is missing. It returns how many of
// the counted pairs came through finish rather than from the log. The caller holds mu.
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

// count adds the next pair to the result and calls the callbacks in the options. isNew is false if
// the pair comes from the log. The caller holds mu.
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

// A standing holds the result of a match so far. Pairs must be added in the order of their numbers.
type standing struct {
	Result
	seen map[uint64]bool // hashes of the openings and games counted so far
}

func newStanding() standing { return standing{seen: map[uint64]bool{}} }

// add marks the games of a pair that repeat earlier games, and then counts the pair.
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

// first reports whether it is called with these texts for the first time.
func (s *standing) first(texts ...string) bool {
	const most = 3 * maxOpenings // each opening adds three hashes: its own and one for each of its two games
	key := hash(texts...)
	first := !s.seen[key]
	if len(s.seen) < most {
		s.seen[key] = true
	}
	return first
}

// hash returns a hash of the given texts.
func hash(texts ...string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q", texts)
	return h.Sum64()
}
