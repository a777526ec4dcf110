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

// Options describes a match between players A and B. In each game one of them is First and the
// other is Second.
type Options struct {
	Game engine.Game
	A, B Contestant // errors call them "A" and "B" if they have no name

	// Games is the number of games. It is even, because each opening is played twice, with sides
	// swapped.
	Games int

	// Seed determines all random numbers of openings and players.
	Seed uint64

	// OpeningPlies is the number of random actions before the players start. An opening is drawn
	// again if it ends the game, if the player to move has a winning action, or if the match has
	// already had it and the game has others. Plies returns a number that gives enough openings.
	OpeningPlies int

	// Again makes the match repeat its openings in the same order when the game has no new one. If
	// Again is false, the match ends at that point, because the players would only repeat their
	// games. If a player is not deterministic (see [Contestant].Luck), openings always repeat.
	Again bool

	// Balanced decides whether an opening may be played. If not, another one is drawn. Nil allows
	// every opening.
	Balanced *Balance

	// Skip is the number of pairs that were played earlier. The match begins with the pair after
	// them, and their games do not count in its result.
	Skip int

	// Workers is the number of games played at the same time, at least 1. The match starts at most
	// one worker per pair, and at most maxWorkers.
	Workers int

	// Source plays the pairs. Nil means PlayHere.
	Source Source

	// Log keeps the games of the match; it may be nil. Games that are already in Log are not played
	// again. They count in the result, even those beyond Games.
	Log    *MatchLog
	logged map[int][]Record // pairs that were in Log when the match began, by number

	// Test ends the match as soon as the test is decided. Nil means no test.
	Test *SPRT

	// Records and Progress are called one at a time, in the order of the pairs. Each may be nil.
	Records  func(Record) error       // called for each newly played game; an error ends the match
	Progress func(done int, r Result) // called after each pair, with the number of games done and the result so far

	// Notice is called if memory allows fewer games at the same time than Workers. It may be nil.
	Notice func(text string)
}

// fit returns how many of n workers can play the match in this process. There are fewer than n if
// the match has fewer pairs, or if memory allows fewer players. fit returns an error if there is
// not even memory for two players.
func (o *Options) fit(n int) (int, error) {
	n = min(max(1, n), max(1, o.Games/2-o.Skip), maxWorkers)
	fit, err := memory.Workers(n, memory.Sum(o.A.Bytes, o.B.Bytes), "%s against %s", cmp.Or(o.A.Player, "A"), cmp.Or(o.B.Player, "B"))
	if err == nil && fit < n && o.Notice != nil {
		o.Notice(fmt.Sprintf("only %d games are played at a time instead of %d: more search trees could need more memory than --memory %v allows", fit, n, memory.Limit()))
	}
	return fit, err
}

// CheckMemory returns an error if there is not enough memory for the players' searches.
func (o Options) CheckMemory() error {
	o.Notice = nil
	_, err := o.fit(o.Workers)
	return err
}

// maxWorkers limits the number of searches in memory at the same time.
const maxWorkers = 256

// Record describes one game of a match. EncodePair and [MatchLog] write its JSON form.
type Record struct {
	Pair    int            `json:"-"`                 // number of the pair; its two games have the same opening
	AFirst  bool           `json:"-"`                 // whether A played First
	Opening string         `json:"opening,omitempty"` // position after the random actions
	Actions []string       `json:"actions"`           // names of the actions after the opening
	Outcome engine.Outcome `json:"outcome"`
	Forfeit string         `json:"forfeit,omitempty"` // why the loser lost, if not by the rules of the game
	Points  []int          `json:"points,omitempty"`  // final points of First and Second; nil for a forfeit or a game without scores

	// Repeat says that an earlier game of the match had the same opening, the same First player and
	// the same actions. Such a game gives no new information. It does not count in the score, in
	// Elo or in their intervals.
	Repeat bool `json:"-"`
}

// Match plays a match. The result depends only on the seed and the players, not on the number of
// workers. Without a log, memory use does not depend on the number of games. If Match returns an
// error, the result covers the games that were counted before it.
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

// A Source lets the pairs of a match be played, by this process or by others. It calls finish with
// the games of each pair after p has played or checked them. The calls may come in any order and
// from any goroutine. They end when all pairs are played or finish returns an error such as
// ErrEnough. A Source must not call finish after it has returned.
type Source func(ctx context.Context, p *Pairs, finish Finish) error

// Finish receives the games of a pair. Pairs are counted in the order of their numbers; counted is
// the number of received pairs that this call could count. ErrEnough says that the match is
// decided.
type Finish func(pair int, games []Record) (counted int, err error)

// ErrEnough is the error that ends a match when [Options].Test is decided.
var ErrEnough = errors.New("the match is decided")

// A referee receives pairs in the order in which they finish and counts them in the order of their
// numbers.
type referee struct {
	opt *Options

	mu       sync.Mutex
	next     int              // number of the next pair to count; guarded by mu
	waiting  map[int][]Record // pairs that finished before an earlier pair; guarded by mu
	standing                  // result of the pairs before next; guarded by mu
	over     error            // why counting stopped: ErrEnough, or an error of Options.Records or Log; guarded by mu
}

// finish receives a pair and counts every pair that is next in order; see Finish.
func (r *referee) finish(pair int, records []Record) (counted int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[pair] = records
	if r.opt.Log != nil && r.over == nil {
		r.over = r.opt.Log.record(r.opt, records)
	}
	return r.advance(), r.over
}

// advance counts the pairs that are next in order, as far as they are known. It returns how many of
// these came through finish, as opposed to the log. The caller holds mu.
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

// count adds the next pair to the result and reports it. isNew is false if the pair comes from the
// log. The caller holds mu.
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

// A standing holds the result of the first pairs of a match, counted in the order of their numbers.
type standing struct {
	Result
	seen map[uint64]bool // hashes of the openings and games counted so far
}

func newStanding() standing { return standing{seen: map[uint64]bool{}} }

// add marks the games of a pair that are repeats, and then counts the pair.
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

// first reports whether these texts have not been seen before, and remembers them.
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
