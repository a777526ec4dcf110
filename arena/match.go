package arena

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

	// Skip is the number of pairs that were played before: the match begins with the
	// opening after theirs, and its result does not count them.
	Skip int

	// Workers is the number of games played at the same time, at least 1. No
	// more are started than there are pairs, and never more than maxWorkers.
	Workers int

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
	workers := min(max(1, o.Workers), max(1, o.Games/2-o.Skip), maxWorkers)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := referee{
		opt:     &o,
		ahead:   make(chan struct{}, 16*workers),
		deals:   openings{opt: &o, seen: make(map[uint64]struct{})},
		waiting: make(map[int][]Record),
		games:   make(map[uint64]struct{}),
	}
	for range o.Skip {
		if _, err := r.deals.deal(ctx); err != nil {
			return Result{}, fmt.Errorf("match: %w", err)
		}
	}
	r.counted = o.Skip
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			if err := r.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && !r.stopped {
		return r.result, err
	}
	return r.result, nil
}

var errStopped = errors.New("stopped early")

// A referee hands out pairs in order, takes them back in the order in which
// they end, and counts them in the order in which they were handed out.
type referee struct {
	opt *Options

	// ahead holds an entry for each pair that was handed out and is not yet
	// counted. When it is full no pair is handed out, so that a long game
	// does not make the others' records pile up.
	ahead chan struct{}

	mu      sync.Mutex
	deals   openings            // the pairs handed out; guarded by mu
	counted int                 // pairs in result; guarded by mu
	waiting map[int][]Record    // pairs that ended before an earlier one; guarded by mu
	games   map[uint64]struct{} // hashes of the games in result, to find repeats; guarded by mu
	result  Result              // guarded by mu
	stopped bool                // by Options.Stop: no further pair counts; guarded by mu
}

// maxGames is the most games that are remembered to find repeats: both of
// every opening.
const maxGames = 2 * maxOpenings

// work plays pairs until there are no more.
func (r *referee) work(ctx context.Context) error {
	players := [2]Player{r.opt.A(), r.opt.B()}
	for {
		select {
		case r.ahead <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		pair, opening, err := r.deal(ctx)
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		if opening == nil || ctx.Err() != nil {
			return nil
		}
		records, err := r.opt.playPair(ctx, players, pair, opening)
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		if r.finish(pair, records) {
			return errStopped
		}
	}
}

// deal hands out the next pair with its opening, which is nil when the match
// has no more.
func (r *referee) deal(ctx context.Context) (pair int, opening engine.Position, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pair = r.deals.dealt
	if pair >= r.opt.Games/2 {
		return 0, nil, nil
	}
	opening, err = r.deals.deal(ctx)
	return pair, opening, err
}

// finish takes a pair that was played and counts all whose turn has come. It
// reports whether the match is to end.
func (r *referee) finish(pair int, records []Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting[pair] = records
	for next := r.waiting[r.counted]; next != nil && !r.stopped; next = r.waiting[r.counted] {
		delete(r.waiting, r.counted)
		r.count(next)
		<-r.ahead
	}
	return r.stopped
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
	r.result.Openings = r.deals.different(r.counted)
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

// playPair plays an opening twice: A is First in one game, B in the other.
func (o *Options) playPair(ctx context.Context, players [2]Player, pair int, opening engine.Position) ([]Record, error) {
	var records []Record
	for swapped := range 2 {
		for i, p := range players {
			p.NewGame(o.Seed ^ uint64(4*pair+2*swapped+i+1)*0x9e3779b97f4a7c15)
		}
		r, err := o.playGame(ctx, players, opening, swapped)
		if err != nil {
			return nil, err
		}
		r.Pair = pair
		records = append(records, r)
	}
	return records, nil
}

// playGame plays from an opening to the end. A is First if swapped is 0, and
// Second if it is 1.
func (o *Options) playGame(ctx context.Context, players [2]Player, opening engine.Position, swapped int) (Record, error) {
	r := Record{AFirst: swapped == 0, Opening: opening.String()}
	p := opening
	for p.Outcome() == engine.Ongoing {
		if err := ctx.Err(); err != nil { // players that answer at once do not ask
			return r, err
		}
		who := int(p.ToMove()) ^ swapped // 0 is A, 1 is B
		a, err := players[who].Choose(ctx, p)
		if f := (Forfeit{}); errors.As(err, &f) {
			r.Outcome, r.Forfeit = engine.WonBy(1-p.ToMove()), f
			return r, nil
		}
		if err != nil {
			return r, fmt.Errorf("player %s: %w", o.name(who), err)
		}
		if !slices.Contains(p.Legal(nil), a) {
			return r, fmt.Errorf("player %s answers %q with action %d, which is not legal", o.name(who), p, a)
		}
		r.Actions = append(r.Actions, p.ActionString(a))
		p = p.Play(a)
	}
	r.Outcome = p.Outcome()
	return r, nil
}

// name is what errors call A (0) or B (1).
func (o *Options) name(who int) string {
	if o.Names[who] != "" {
		return o.Names[who]
	}
	return string("AB"[who])
}
